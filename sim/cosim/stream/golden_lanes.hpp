// SPDX-License-Identifier: Apache-2.0
// Rescale and table lanes in C++ on the scale_* and look_* ports of npu_mac_array or npu_vector_unit: what npu_rescale_unit
// and npu_table_unit would answer, from hw/model.
//
// The array's lanes move as it says. Those of the vector unit are shared: there npu_lane_share is between, and somebody else
// may have them in a cycle, also in one in which it asks for nothing.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "sim/cosim/stream/participant.hpp"
#include "sim/kernels/kernels.hpp"

#include <deque>
#include <string_view>
#include <vector>

namespace vernier::cosim {

class GoldenLanes : public Participant {
 public:
  GoldenLanes(const ClockedBlock& block, const kernels::TableMemory& tables);
  /// Answers what was asked.
  void offer(bool is_enabled) override;
  /// Sees what is asked, and moves where the array lets its lanes move.
  Seen see() override;
  void was_reset() override;
  /// Somebody else has the vector unit's lanes in so many of 100 cycles, drawn from `random`, which outlives this.
  void share(Random& random, int64_t percent) {
    random_ = &random;
    percent_ = percent;
  }
  /// The port by which it moves all the same in a cycle in which it has to wait for the lanes; else empty. When outputs have
  /// settled.
  [[nodiscard]] std::string_view moving_port() const {
    if (!keeps_waiting()) return {};
    return scale_en_.get() != 0 ? "scale_en_o" : look_en_.get() != 0 ? "look_en_o" : std::string_view();
  }
  /// Whether the vector unit stands still in this cycle because of the lanes. After offer().
  [[nodiscard]] bool keeps_waiting() const { return scale_.keeps_waiting || look_.keeps_waiting; }

 private:
  struct Vector {
    bool is_valid = false;
    uint64_t tag = 0;
    std::vector<int32_t> results;
  };
  /// Lanes with a result in each stage, the last one on the pins; and of the vector unit what it knows of them: in which of
  /// its own cycles results are due, and those that came before.
  struct Pipe {
    std::deque<Vector> stages;
    std::deque<bool> due;
    std::deque<Vector> early;
    bool keeps_waiting = false;
  };
  void reset(Pipe& pipe, int64_t latency_cycles) const;
  void drive_shared(Pipe& pipe, Port valid, Port tag, Port result, Port ready);
  void move(Pipe& pipe, bool is_enabled, Vector vector) const;
  [[nodiscard]] Vector rescaled() const;
  [[nodiscard]] Vector looked_up() const;
  static void put(const Vector& vector, Port valid, Port tag, Port result);

  int64_t lanes_;
  const kernels::TableMemory& tables_;
  Port scale_en_, scale_valid_, scale_tag_, value_, multiplier_, shift_, scale32_, rounding_, in_type_, in_unsigned_,
      in_zero_point_, out_type_, out_unsigned_, out_zero_point_, clamp_min_, clamp_max_;
  Port look_en_, look_valid_, look_tag_, look_slot_, look_value_;
  Port scale_valid_i_, scale_tag_i_, scale_result_i_, look_valid_i_, look_tag_i_, look_result_i_;
  Port scale_ready_i_, look_ready_i_;  // of the vector unit
  bool is_shared_;
  Random* random_ = nullptr;
  int64_t percent_ = 0;
  Pipe scale_, look_;
};

}  // namespace vernier::cosim
