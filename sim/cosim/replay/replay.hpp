// SPDX-License-Identifier: Apache-2.0
// What shows a mismatch alone: the inputs of a unit, or commands of the array with the bytes that they read.
#pragma once

#include "hw/spec/machine.hpp"
#include "sim/cosim/block/rtl_library.hpp"
#include "sim/cosim/replay/array_replay.hpp"
#include "sim/cosim/replay/lane_replay.hpp"
#include "sim/cosim/replay/vector_replay.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

struct Replay {
  std::string unit;    // of spec::kRtlBlocks
  std::string config;  // name of the machine
  spec::Datapath datapath{};
  std::string mismatch{};                    // the first one of the run, in words
  std::optional<MismatchKind> kind{};        // of it; none: an older file does not say
  int reset_seed = RtlOptions{}.reset_seed;  // of the values that registers of foreign RTL start from
  bool is_whole = false;                     // not cut: nothing shorter shows it
  bool is_reproduced = true;                 // false: nor does this
  std::optional<LaneReplay> lanes{};         // of a unit that takes vectors
  std::optional<CommandReplay> commands{};   // of the array or the vector unit, which has one sequence
};

/// The first mismatch of a run, with what the run knows about it.
struct FirstFault {
  std::string unit;
  Mismatch mismatch;
  PinRows rows{};                          // of a unit that takes vectors: its inputs until then
  kernels::TableMemory tables{};           // that are full at the first of them
  int64_t latency_cycles = 0;              // that results were expected with
  bool is_measured = false;                // measured_latency() ran before it
  std::optional<CommandFault> commands{};  // of the array or the vector unit
};
/// Of a run of commands; none where it had no mismatch.
std::optional<FirstFault> first_fault(std::string_view unit, std::optional<CommandFault> commands);
/// The least that shows it: each part is tried on a block of `make`, which is that of the run. Hang where the block stands
/// still.
Replay make_replay(const FirstFault& fault, const std::string& config, const spec::Datapath& datapath, bool is_strict,
                   const BlockMaker& make);

/// Adds to the first of `mismatches`, where it is that of `fault`, what the RTL has in the accumulator.
void add_rtl_accumulator(std::vector<Mismatch>& mismatches, const FirstFault& fault, const spec::Datapath& datapath,
                         const BlockMaker& make);

/// What a replay found.
struct ReplayReport {
  LockStepResult result;
  int64_t latency_cycles = 0;                 // of a unit that takes vectors: that the results were expected with
  std::optional<CommandFault> array_fault{};  // the first one
};
/// Runs it on a block of its unit and lanes. With `is_strict` cycles have to be those of hw/spec, otherwise those that the
/// block shows. UserError (of `subject`) for inputs that no unit takes, Hang when the block stands still.
ReplayReport run_replay(const Replay& replay, std::unique_ptr<RtlBlock> block, bool is_foreign, bool is_strict,
                        std::string_view subject);

}  // namespace vernier::cosim
