// SPDX-License-Identifier: Apache-2.0
// A reset acts without a clock: the outputs say at once that nothing is left, and edges while it lasts change nothing.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Looks at the valids, readies, stall_o and slot_format_o of a block while rst_ni is low.
class ResetWatch {
 public:
  /// `block` outlives this.
  explicit ResetWatch(const ClockedBlock& block);
  /// Outputs have settled. The first time in a reset: each valid, stall_o or slot_format_o that is not 0. Later: each output
  /// that is not what it was the first time, once.
  std::vector<Mismatch> see();
  /// What comes next is another reset.
  void end() { has_seen_ = false; }

 private:
  struct Output {
    std::string_view name;
    Port port;
    bool is_zero;  // when nothing is left
    uint64_t at_once = 0;
    bool is_told = false;
  };
  const ClockedBlock& block_;
  std::vector<Output> outputs_;
  bool has_seen_ = false;
};

}  // namespace vernier::cosim
