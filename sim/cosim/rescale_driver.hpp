// SPDX-License-Identifier: Apache-2.0
// Random vectors for npu_rescale_unit.
#pragma once

#include "sim/cosim/lock_step.hpp"
#include "sim/cosim/rescale_vectors.hpp"

#include <array>
#include <vector>

namespace vernier::cosim {

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
  Port value_, multiplier_, shift_, scale32_, rounding_, in_type_, in_unsigned_, in_zero_point_, out_type_, out_unsigned_,
      out_zero_point_, clamp_min_, clamp_max_;
  std::array<Vector, kNumSlots> vectors_;
  RescaleSetup setup_;
  bool is_setup_legal_ = true;
  RescaleCoverage coverage_;
};

}  // namespace vernier::cosim
