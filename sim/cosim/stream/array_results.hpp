// SPDX-License-Identifier: Apache-2.0
// The rows that leave the array on out_*: whether they hold until they are taken, and whether one is what it has to be.
#pragma once

#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/stream/array_streams.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

class ArrayResults {
 public:
  explicit ArrayResults(const ClockedBlock& block);
  void reset() { held_.forget(); }
  /// Offers room in the next cycle, or none.
  void give_room(bool has_room) { ready_.set(has_room ? 1 : 0); }
  [[nodiscard]] bool is_valid() const { return valid_.get() != 0; }
  [[nodiscard]] bool is_taken() const { return is_valid() && ready_.get() != 0; }
  [[nodiscard]] bool has_room() const { return ready_.get() != 0; }
  /// In each cycle: which port of a row that was not taken has moved; none where it holds.
  std::optional<Mismatch> moved(bool is_enabled) {
    return held_.check(is_valid() && (!has_room() || !is_enabled), "moves before it is taken");
  }
  /// The row on the port against the one that is due, in `bank`: the first value that differs, with its operands when
  /// `has_operands`, or the first flag; what else differs is said before or after it. Without unit and cycle.
  [[nodiscard]] std::optional<Mismatch> compare(const ArrayTraffic& traffic, const ArrayRow& row, int64_t bank,
                                                bool has_operands) const;
  /// Gives the sink the results of the lanes that the mask names, as elements of `type`.
  void give(const ArrayRow& row, base::ElementType type, const ResultSink& sink) const;

 private:
  [[nodiscard]] int64_t value_of(int64_t lane) const;

  Port valid_, ready_, value_, mask_, row_, bank_, last_of_tile_, last_;
  HeldPorts held_;
};

}  // namespace vernier::cosim
