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
  /// `block` outlives this.
  VectorLockStep(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options = {});
  /// Random sequences at random paces until `vectors` beats of stores have been compared.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// One sequence. Of one that a reset ends, stores before the reset are compared; afterwards one of it is one too many.
  void run_sequence(Sequence sequence);
  /// So many cycles without a command, after a sequence: whatever comes then is too much.
  void idle(int64_t cycles);

 private:
  void run_sequences(int64_t vectors, VectorProgress& shown);
  [[nodiscard]] std::vector<DrawnWork> draw_directed();
  [[nodiscard]] std::vector<DrawnWork> draw_missing();
  void cycle() { bench_.cycle(stalls_.is_enabled()); }

  Bench bench_;
};

}  // namespace vernier::cosim
