// SPDX-License-Identifier: Apache-2.0
// Rescale and table lanes in C++ on the scale_* and look_* ports of npu_mac_array: what npu_rescale_unit and npu_table_unit
// would answer, from hw/model.
#pragma once

#include "sim/cosim/clocked_block.hpp"
#include "sim/kernels/kernels.hpp"

#include <deque>
#include <vector>

namespace vernier::cosim {

class GoldenLanes {
 public:
  GoldenLanes(const ClockedBlock& block, const kernels::TableMemory& tables);
  void reset();
  /// Before an edge: sees what the array asks, and moves where it lets the lanes move.
  void before_edge();
  /// After the edge: answers.
  void drive();

 private:
  struct Vector {
    bool is_valid = false;
    uint64_t tag = 0;
    std::vector<int32_t> results;
  };
  [[nodiscard]] Vector rescaled() const;
  [[nodiscard]] Vector looked_up() const;
  static void put(const Vector& vector, Port valid, Port tag, Port result);

  int64_t lanes_;
  const kernels::TableMemory& tables_;
  Port scale_en_, scale_valid_, scale_tag_, value_, multiplier_, shift_, scale32_, rounding_, in_type_, in_unsigned_,
      in_zero_point_, out_type_, out_unsigned_, out_zero_point_, clamp_min_, clamp_max_;
  Port look_en_, look_valid_, look_tag_, look_slot_, look_value_;
  Port scale_valid_i_, scale_tag_i_, scale_result_i_, look_valid_i_, look_tag_i_, look_result_i_;
  std::deque<Vector> scale_, look_;  // the last one is on the pins
};

}  // namespace vernier::cosim
