// SPDX-License-Identifier: Apache-2.0
// What differs between units that take a vector and give its result a fixed number of cycles later.
#pragma once

#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/stimulus/random.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vernier::cosim {

/// Operands that are not taken yet or whose result is not there yet; a slot number is the tag.
inline constexpr int kNumSlots = 1 << spec::kRtlTagBits;

/// What differs between units: drawing operands, driving them, knowing the result.
class UnitDriver {
 public:
  UnitDriver() = default;
  UnitDriver(const UnitDriver&) = delete;
  UnitDriver& operator=(const UnitDriver&) = delete;
  virtual ~UnitDriver() = default;
  /// Whether there may be a next vector now.
  virtual bool can_draw() { return true; }
  virtual void draw(int slot, Random& random) = 0;
  /// Puts the operands of `slot` on the pins.
  virtual void drive(int slot) = 0;
  /// Puts anything on the operands' pins, for a cycle without valid.
  virtual void scramble(Random& random) = 0;
  [[nodiscard]] virtual std::span<const int32_t> expected(int slot) const = 0;
  /// Index of one of groups().
  [[nodiscard]] virtual int group_of(int slot) const = 0;
  [[nodiscard]] virtual std::vector<std::string> groups() const = 0;
  /// Operands and intermediate values of a lane, for a mismatch.
  [[nodiscard]] virtual std::string explain(int slot, int lane) const = 0;
  /// Other ports, as a Participant: their inputs, whether the edge takes a beat there, and what is after the edge.
  virtual void offer(Random& /*random*/) {}
  virtual bool see() { return false; }
  virtual void clocked() {}
  /// What differs about the state that the unit shows outside, without unit and cycle; none where nothing does.
  [[nodiscard]] virtual std::optional<Mismatch> state_difference() const { return std::nullopt; }
  /// The block was reset.
  virtual void was_reset() {}
  /// Whether a reset now would clear all that the unit can hold besides vectors in flight.
  [[nodiscard]] virtual bool is_good_for_reset() const { return true; }
  /// Who waits for whom, when nothing moves any more.
  [[nodiscard]] virtual std::string waiting() const { return {}; }
};

}  // namespace vernier::cosim
