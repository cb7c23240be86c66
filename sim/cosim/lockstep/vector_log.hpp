// SPDX-License-Identifier: Apache-2.0
// What a run of the vector unit keeps of a sequence, so that it can be run once more.
#pragma once

#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"
#include "sim/cosim/stream/port_stalls.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

/// A sequence of commands, from a reset or an idle unit on, and how its ports and lanes were served.
struct VectorReplay {
  kernels::TableMemory tables{};
  std::vector<VectorJob> jobs{};
  std::string name{};  // of the command of a network; may be empty
  ArrayPace pace = ArrayPace::Ideal;
  uint64_t random_state = 1;   // of the generator that draws pauses, and what stands on ports without a beat
  int64_t shared_percent = 0;  // of the cycles: somebody else has the lanes
  std::optional<int64_t> reset_after_cycles{};
  int64_t first_cycle = 0;  // of the block, where it begins
};

/// The first mismatch of a run, with the sequence that had it.
struct VectorFault {
  Mismatch mismatch;
  VectorReplay all;
  size_t command = 0;  // of the sequence
};

}  // namespace vernier::cosim
