// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/vector_replay.hpp"

#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/replay/lane_replay.hpp"
#include "sim/cosim/replay/sampled_command.hpp"
#include "sim/cosim/stream/vector_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

/// What a command repeats: its loops, and the vectors of its lanes.
constexpr size_t kLanesTurn = spec::kNumVectorLoops, kNumTurns = spec::kNumVectorLoops + 1;

int64_t turns_of(const spec::VectorCommand& command, size_t turn, const spec::Datapath& datapath) {
  return turn == kLanesTurn ? base::ceil_div(command.lanes, datapath.vector_lanes()) : command.counts[turn];
}

/// The command without its first or its last `number` turns. None where it has no more than that, and none without the first
/// turns of a reduction: steps before and after a reduction find their elements at its first turn.
std::optional<spec::VectorCommand> without_turns(spec::VectorCommand command, size_t turn, int64_t number, bool is_first,
                                                 const spec::Datapath& datapath) {
  const int64_t turns = turns_of(command, turn, datapath);
  const bool is_lanes = turn == kLanesTurn;
  if (turns <= number) return std::nullopt;
  if (is_first) {
    if (is_lanes ? command.lanes_reduced : static_cast<int64_t>(turn) >= command.kept_loops) return std::nullopt;
    for (spec::VectorStream& stream : command.streams)
      stream.base += number * (is_lanes ? datapath.vector_lanes() * stream.lane_stride_bytes : stream.strides_bytes[turn]);
    if (is_lanes) command.lanes -= number * datapath.vector_lanes();
  } else if (is_lanes) {
    command.lanes = (turns - number) * datapath.vector_lanes();
  }
  if (!is_lanes) command.counts[turn] -= number;
  return command;
}

}  // namespace

std::vector<std::vector<std::string>> vector_stores(const VectorReplay& replay, const spec::Datapath& datapath) {
  std::vector<std::vector<std::string>> of_commands;
  for (const VectorJob& job : replay.jobs) {
    std::vector<std::string>& beats = of_commands.emplace_back();
    VectorRun run(job, datapath, replay.tables);
    while (run.store) {
      std::vector<std::string> values;
      for (int64_t lane = 0; lane < run.store->first.count; ++lane)
        values.push_back(fmt::format("{:x}", run.take_element(*run.store, lane)));
      beats.push_back(fmt::format("cycle {} step {}: {}", run.store->cycle, run.store->step, fmt::join(values, " ")));
      if (!run.stores.next(*run.store)) run.store.reset();
    }
  }
  return of_commands;
}

LockStepResult run_vector_replay(const VectorReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                 bool is_strict) {
  VectorLockStep lock_step(block, datapath, 1);
  if (!is_strict) lock_step.relax_cycles();
  lock_step.set_tables(replay.tables);
  lock_step.name_sequence(replay.name);
  lock_step.share_lanes(replay.shared_percent);
  lock_step.go_on_from(replay.random_state);
  block.count_from(replay.first_cycle);
  try {
    if (replay.reset_after_cycles) {
      lock_step.drop_sequence(replay.jobs, replay.pace, *replay.reset_after_cycles);
    } else {
      lock_step.run_sequence(replay.jobs, replay.pace);
      lock_step.idle(kIdleCycles);
    }
  } catch (const Hang& hang) {
    return lock_step.result().ended_at(hang);
  }
  return lock_step.result();
}

VectorCut cut_vectors(const VectorFault& fault, const spec::Datapath& datapath, bool is_strict,
                      const std::function<std::unique_ptr<ClockedBlock>()>& make) {
  const auto shows = [&](const VectorReplay& replay) {
    const std::unique_ptr<ClockedBlock> block = make();
    return shows_fault(run_vector_replay(replay, datapath, *block, is_strict), fault.mismatch);
  };
  VectorReplay alone;
  alone.tables = fault.all.tables;
  alone.name = fault.all.name;
  alone.first_cycle = fault.all.first_cycle;
  alone.jobs = {sample_vector(fault.all.jobs[fault.command].command, datapath, fault.all.jobs[fault.command].sram).job};
  if (!shows(alone)) {
    VectorCut cut{fault.all, true, false};
    cut.is_reproduced = shows(cut.replay);
    return cut;
  }
  const auto take = [&](const std::optional<spec::VectorCommand>& less) {
    if (!less || !is_legal(*less, datapath)) return false;
    VectorReplay tried = alone;
    tried.jobs = {sample_vector(*less, datapath, alone.jobs.front().sram).job};
    try {
      if (!shows(tried)) return false;
    } catch (const Hang&) {
      return false;
    }
    alone = std::move(tried);
    return true;
  };
  // Half of the turns goes, then a quarter, and so on, from either end, as long as the rest shows it. Where one turn of n is
  // enough, about 2 log2(n) runs find it.
  for (size_t number = 0; number < kNumTurns; ++number) {
    const size_t turn = (number + kLanesTurn) % kNumTurns;
    const auto command = [&]() -> const spec::VectorCommand& { return alone.jobs.front().command; };
    for (int64_t less = turns_of(command(), turn, datapath) / 2; less > 0; less /= 2) {
      while (take(without_turns(command(), turn, less, true, datapath)) ||
             take(without_turns(command(), turn, less, false, datapath))) {
      }
    }
  }
  return {std::move(alone), false, true};
}

}  // namespace vernier::cosim
