// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/replay.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/lockstep/foreign_block.hpp"

#include <utility>

namespace vernier::cosim {

std::optional<FirstFault> first_fault(std::string_view unit, std::optional<CommandFault> commands) {
  if (!commands) return std::nullopt;
  FirstFault fault{.unit = std::string(unit), .mismatch = commands->mismatch};
  fault.commands = std::move(commands);
  return fault;
}

Replay make_replay(const FirstFault& fault, const std::string& config, const spec::Datapath& datapath, bool is_strict,
                   const BlockMaker& make) {
  const spec::RtlBlock& unit = *spec::rtl_block_of_unit(fault.unit);
  const auto lanes = static_cast<int>(datapath.lanes);
  const auto make_clocked = [&] {
    auto block = std::make_unique<ClockedBlock>(make(fault.unit, lanes), unit, lanes);
    if (fault.is_measured) measured_latency(*block);  // what it leaves was there in the run, too
    if (fault.latency_cycles > 0) block->expect_latency(fault.latency_cycles);
    return block;
  };
  Replay replay;
  replay.unit = fault.unit;
  replay.config = config;
  replay.datapath = datapath;
  replay.mismatch = fault.mismatch.print();
  replay.kind = fault.mismatch.kind;
  const auto keep = [&](auto cut, auto& part) {
    part = std::move(cut.replay);
    replay.is_whole = cut.is_whole;
    replay.is_reproduced = cut.is_reproduced;
  };
  if (fault.commands) {
    const auto cut = unit.kind == spec::RtlKind::VectorUnit ? cut_vectors : cut_commands;
    keep(cut(*fault.commands, datapath, is_strict, make_clocked), replay.commands);
  } else {
    keep(cut_lanes(fault.rows, fault.tables, fault.mismatch, make_clocked), replay.lanes);
  }
  return replay;
}

void add_rtl_accumulator(std::vector<Mismatch>& mismatches, const FirstFault& fault, const spec::Datapath& datapath,
                         const BlockMaker& make) {
  const bool is_array = spec::rtl_block_of_unit(fault.unit)->kind == spec::RtlKind::Array;
  if (!is_array || !fault.commands || mismatches.empty() || mismatches.front() != fault.commands->mismatch) return;
  const auto lanes = static_cast<int>(datapath.lanes);
  ClockedBlock block(make(fault.unit, lanes), *spec::rtl_block_of_unit(fault.unit), lanes);
  mismatches.front().operands += rtl_accumulator_text(*fault.commands, datapath, block);
}

ReplayReport run_replay(const Replay& replay, std::unique_ptr<RtlBlock> rtl, bool is_foreign, bool is_strict,
                        std::string_view subject) {
  const spec::RtlBlock* unit = spec::rtl_block_of_unit(replay.unit);
  VERNIER_CHECK(unit != nullptr, "a replay of {}", replay.unit);
  ClockedBlock block(std::move(rtl), *unit, static_cast<int>(replay.datapath.lanes));
  ReplayReport report;
  report.latency_cycles = unit->latency_cycles;
  if (replay.lanes) {
    if (is_foreign) {
      block.draw(false);
      const int64_t latency_cycles = measured_latency(block);
      block.draw(true);
      if (!is_strict) block.expect_latency(latency_cycles);
      report.latency_cycles = latency_cycles;
    }
    report.result = run_lane_replay(*replay.lanes, replay.kind, block, subject).result;
  } else if (unit->kind == spec::RtlKind::VectorUnit) {
    report.result = run_vector_replay(*replay.commands, replay.datapath, block, is_strict);
  } else {
    report.result = run_array_replay(*replay.commands, replay.datapath, block, is_strict, &report.array_fault);
  }
  return report;
}

}  // namespace vernier::cosim
