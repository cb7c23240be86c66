// SPDX-License-Identifier: Apache-2.0
// Random vectors for npu_rescale_unit.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/rescale_vectors.hpp"
#include "sim/cosim/stream/unit_driver.hpp"

#include <array>
#include <span>
#include <vector>

namespace vernier::cosim {

/// The unit's operand ports.
struct RescalePins {
  explicit RescalePins(const ClockedBlock& block);
  /// At most as many lanes as the block has.
  void drive(const RescaleSetup& setup, std::span<const RescaleLane> lanes);
  Port value, multiplier, shift, scale32, rounding, in_type, in_unsigned, in_zero_point, out_type, out_unsigned,
      out_zero_point, clamp_min, clamp_max;
};

class RescaleDriver : public UnitDriver {
 public:
  explicit RescaleDriver(ClockedBlock& block);
  void draw(int slot, Random& random) override;
  void drive(int slot) override;
  void scramble(Random& random) override;
  [[nodiscard]] std::span<const int32_t> expected(int slot) const override;
  [[nodiscard]] int group_of(int slot) const override;
  [[nodiscard]] std::vector<std::string> groups() const override { return rescale_groups(); }
  [[nodiscard]] std::string explain(int slot, int lane) const override;
  [[nodiscard]] const RescaleCoverage& coverage() const { return coverage_; }

 private:
  struct Vector {
    RescaleSetup setup;
    std::vector<RescaleLane> lanes;
    std::vector<int32_t> expected;
  };
  int lanes_;
  RescalePins pins_;
  std::array<Vector, kNumSlots> vectors_;
  RescaleSetup setup_;
  bool is_setup_legal_ = true;
  RescaleCoverage coverage_;
};

}  // namespace vernier::cosim
