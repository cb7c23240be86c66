// SPDX-License-Identifier: Apache-2.0
// Recorded edges of npu_rescale_unit or npu_table_unit, driven once more: what has to come out, whether it does, and the
// shortest end of them that shows a mismatch.
//
// Expected values come from hw/model by way of LaneOracle, expected edges from the block's latency. Not modelled: a table
// unit that takes no word in some cycle (D-024).
#pragma once

#include "sim/cosim/lockstep/scoreboard.hpp"
#include "sim/cosim/stream/pin_log.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Edges, and how a run called the first of their vectors.
struct LaneReplay {
  PinRows rows;
  int64_t first_vector = 0;
};

/// What an edge finds on the output ports.
struct LaneOutputs {
  bool is_known = false;         // not while rst_ni is low
  std::optional<uint64_t> tag;   // of the result that is there; none: valid is low
  std::vector<int32_t> results;  // of that
  uint64_t formats = 0;          // slot_format_o, of a table unit
};
/// What a pipe of `latency_cycles` gives in each row. UserError (of `subject`) for rows that no unit takes.
std::vector<LaneOutputs> lane_outputs(const LaneReplay& replay, const spec::RtlBlock& unit, int lanes,
                                      int64_t latency_cycles, std::string_view subject);

struct LaneReplayed {
  LockStepResult result;
  int64_t first_mismatch_vector = -1;  // from the first one of the rows on; -1: the first mismatch is of none
};
/// Drives the rows, and cycles without operands until the last result is there. `kind` is that of the mismatch which it
/// is to show, where that is known.
LaneReplayed run_lane_replay(const LaneReplay& replay, std::optional<MismatchKind> kind, ClockedBlock& block,
                             std::string_view subject);

/// Whether the first mismatch of a replay is that one.
bool shows_fault(const LockStepResult& result, const Mismatch& mismatch);

/// The least of what a run had that shows a mismatch.
template <typename Replay>
struct Cut {
  Replay replay;
  bool is_whole = false;       // nothing shorter shows it
  bool is_reproduced = false;  // nor does all of it, when this is false
};
using LaneCut = Cut<LaneReplay>;
/// The last rows of `all`, after a reset and with the tables that were full then, that show `mismatch` on a block of
/// make(). `tables` are those that are full at the first row.
LaneCut cut_lanes(const PinRows& all, const kernels::TableMemory& tables, const Mismatch& mismatch,
                  const std::function<std::unique_ptr<ClockedBlock>()>& make);

}  // namespace vernier::cosim
