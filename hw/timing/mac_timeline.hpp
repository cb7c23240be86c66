// SPDX-License-Identifier: Apache-2.0
// The time line of the array: the two weight tiles and the two accumulator banks.
//   A weight tile is loaded into the shadow from the cycle on in which the tile before became the active one. It becomes the
//   active one when it is there, all rows that use the tile before are over, and the rows that come have their bank.
//   Row tile t takes its bank when the drain of row tile t - 2 is over. Its own drain begins when its last row and the drain
//   of row tile t - 1 are over; the first one of a command begins when the last result of the command before has left.
// A cycle in which the array has neither bank nor weights counts for the bank. Time is in any unit that the caller likes,
// from the command's first word of weights on.
#pragma once

#include "hw/spec/machine.hpp"

#include <algorithm>
#include <cstdint>

namespace vernier::timing {

static_assert(spec::kNumAccumulatorBanks == 2, "the recurrence looks two row tiles back");

class MacTimeline {
 public:
  /// For a command that follows another: that one's last drain holds a bank until `drain_end`, and its last result leaves at
  /// `last_result`. The results of this command leave after it.
  explicit MacTimeline(int64_t drain_end = 0, int64_t last_result = 0) : last_result_(last_result), drain_end_(drain_end) {}

  /// A row tile begins.
  void take_bank() { wait(drain_end_before_, bank_waits_); }
  /// The tile in the shadow becomes the active one; its load took `load`.
  void take_weights(int64_t load) {
    wait(swap_ + load, weight_waits_);
    swap_ = now_;
  }
  void multiply(int64_t duration) { now_ += duration; }
  /// The row tile is over, and is drained.
  void drain(int64_t duration) {
    drain_start_ = std::max({now_, drain_end_, last_result_});
    drain_end_before_ = drain_end_;
    drain_end_ = drain_start_ + duration;
  }
  /// After the last drain(): the next command waits until that drain has begun.
  void wait_for_last_drain() { wait(drain_start_, bank_waits_); }

  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] int64_t drain_start() const { return drain_start_; }
  [[nodiscard]] int64_t drain_end() const { return drain_end_; }
  [[nodiscard]] int64_t bank_waits() const { return bank_waits_; }
  [[nodiscard]] int64_t weight_waits() const { return weight_waits_; }

 private:
  void wait(int64_t until, int64_t& waits) {
    if (until <= now_) return;
    waits += until - now_;
    now_ = until;
  }

  int64_t now_ = 0;   // the last row has entered the pipeline
  int64_t swap_ = 0;  // the active tile became it, and the shadow free
  int64_t last_result_;
  int64_t drain_start_ = 0, drain_end_ = 0, drain_end_before_ = 0;
  int64_t bank_waits_ = 0, weight_waits_ = 0;
};

}  // namespace vernier::timing
