// SPDX-License-Identifier: Apache-2.0
// Lock-step comparison of npu_vector_unit by itself: sequences of commands as VectorTraffic compares them, with rescale and
// table lanes of hw/model that somebody else may have now and then, and outputs that follow no input of the same cycle but
// where they may. Some sequences end by a reset in the middle of a command, with or without an edge in it: nothing of it
// comes out after that.
#pragma once

#include "sim/cosim/lockstep/vector_traffic.hpp"

#include <cstdint>
#include <vector>

namespace vernier::cosim {

class VectorLockStep : public VectorTraffic {
 public:
  VectorLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed);
  /// Random sequences at random paces until `vectors` beats of stores have been compared.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// One sequence of commands; not more than `most_beats` beats of it.
  void run_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t most_beats = INT64_MAX);
  /// One sequence that a reset ends after `cycles`, before its end; stores before it are compared, at most `most_beats`, and
  /// afterwards one of it is one too many.
  void drop_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t cycles, int64_t most_beats = INT64_MAX);
  /// So many cycles without a command, after a sequence: whatever comes then is too much.
  void idle(int64_t cycles);
  /// In so many of 100 cycles of the next sequences somebody else has the lanes.
  void share_lanes(int64_t percent) {
    shared_percent_ = percent;
    lanes_->share(random_, percent);
  }

  /// What stands behind the ports at the pace Memory; outlives this.
  void use_memory(StreamMemory& memory) {
    stalls_.use(memory);
    bench_.add(memory);
    memory.was_reset();
  }

 private:
  void run_sequences(int64_t vectors, VectorProgress& shown);
  [[nodiscard]] std::vector<VectorJob> draw_directed();
  [[nodiscard]] std::vector<VectorJob> draw_missing();
  void cycle() { bench_.cycle(stalls_.is_enabled()); }

  Bench bench_;
};

}  // namespace vernier::cosim
