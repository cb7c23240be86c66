// SPDX-License-Identifier: Apache-2.0
// When the array has to do what: the edge of every row of results, of the next command's handshake, and the sums of stall_o,
// from the beats of hw/sequence and the rules of docs/architecture/mac-array.md. It knows nothing of hw/timing and of RTL.
//
// Time is counted in edges from the handshake of a sequence's first command; every stream is ready kSramReadLatencyCycles
// after its command, and results are always taken.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstdint>
#include <vector>

namespace vernier::cosim {

struct ArrayEdges {
  int64_t start = 0;          // the command's handshake
  std::vector<int64_t> rows;  // of results, in their order
  int64_t next_command = 0;   // the earliest handshake of the next command
  int64_t busy_cycles = 0, weight_load_cycles = 0, rescale_contention_cycles = 0;  // from `start` to `next_command`
};

/// Commands one after the other, from an idle array on.
class ArraySchedule {
 public:
  explicit ArraySchedule(const spec::Datapath& datapath) : datapath_(datapath) {}
  /// The next command: a convolution.
  ArrayEdges add(const spec::MacCommand& command);

 private:
  void wait(int64_t until, int64_t& stall_cycles);
  spec::Datapath datapath_;
  int64_t now_ = 0;               // edge of the last row that was taken, or what it waited for
  int64_t drain_end_ = 0;         // the last row tile has left its bank
  int64_t drain_end_before_ = 0;  // the one before it
  int64_t last_out_ = 0;          // the last row of the command before is out
};

}  // namespace vernier::cosim
