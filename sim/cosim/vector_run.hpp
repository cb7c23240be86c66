// SPDX-License-Identifier: Apache-2.0
// A vector command on its way through the vector unit: what its loads and stores have to be, and when. Elements come from
// sim/kernels, beats and their cycles from hw/sequence, the command's cycles from hw/timing; none from RTL.
#pragma once

#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/vector_vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace vernier::cosim {

struct VectorRun {
  VectorRun(VectorJob made, const spec::Datapath& datapath, const kernels::TableMemory& tables);
  /// The byte that the next store gives which writes there.
  std::byte take_expected(size_t address);

  VectorJob job;
  sequence::VectorBeats loads, stores;
  std::optional<sequence::VectorBeat> load, store;  // the next ones
  int64_t cycles = 0;                               // from its handshake to the next one's
  int64_t first_cycle = 0;                          // edges from its handshake to that of the schedule's cycle 0
  int64_t taken_edge = -1;

 private:
  std::vector<std::byte> after_;  // the memory when it has ended
  std::map<size_t, std::deque<std::byte>>
      overwritten_;  // of bytes that are written again, the earlier values in their order
};

}  // namespace vernier::cosim
