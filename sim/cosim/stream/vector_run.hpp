// SPDX-License-Identifier: Apache-2.0
// A vector command on its way through the vector unit: what its loads and stores have to be, and when. Elements come from
// sim/kernels, beats and their cycles from hw/sequence, the command's cycles from hw/timing; none from RTL.
#pragma once

#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace vernier::cosim {

struct VectorRun {
  VectorRun(Work made, const spec::Datapath& datapath, const kernels::TableMemory& tables);
  /// The elements of the next load on ld_data_i, of which other bits stay what they are.
  void put_load(Port port, int64_t lanes) const;
  /// The bits that the next beat of a store has to have in a lane with an element.
  uint64_t take_element(const sequence::VectorBeat& beat, int64_t lane);
  /// The stream of a step.
  [[nodiscard]] const spec::VectorStream& stream_of(size_t step) const {
    return work.vector().streams[static_cast<size_t>(work.vector().steps[step].stream)];
  }
  /// Where the bits of a beat that has an element in the lane lie in memory, and how many bytes they are.
  [[nodiscard]] static int64_t address_of(const sequence::VectorBeat& beat, int64_t lane) {
    return beat.first.address + lane * beat.first.lane_stride_bytes + 4 * beat.part;
  }
  [[nodiscard]] int beat_bytes(size_t step) const;
  /// At which edge a beat is due, and at which one the next command.
  [[nodiscard]] int64_t edge_of(const sequence::VectorBeat& beat) const { return taken_edge + first_cycle + beat.cycle; }
  [[nodiscard]] int64_t next_edge() const { return taken_edge + cycles; }

  Work work;
  sequence::VectorBeats loads, stores;
  std::optional<sequence::VectorBeat> load, store;  // the next ones
  int64_t cycles = 0;                               // from its handshake to the next one's
  int64_t first_cycle = 0;                          // edges from its handshake to that of the schedule's cycle 0
  int64_t taken_edge = -1;

 private:
  std::byte take_expected(size_t address);
  std::vector<std::byte> after_;  // the memory when it has ended
  std::map<size_t, std::deque<std::byte>>
      overwritten_;  // of bytes that are written again, the earlier values in their order
};

}  // namespace vernier::cosim
