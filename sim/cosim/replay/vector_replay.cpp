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

std::vector<std::vector<std::string>> vector_stores(const CommandReplay& replay, const spec::Datapath& datapath) {
  std::vector<std::vector<std::string>> of_commands;
  for (const Work& work : replay.sequences.front().works) {
    std::vector<std::string>& beats = of_commands.emplace_back();
    VectorRun run(work, datapath, replay.tables);
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

LockStepResult run_vector_replay(const CommandReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                 bool is_strict) {
  VectorLockStep lock_step(block, datapath, {.is_strict = is_strict, .tables = replay.tables});
  block.count_from(replay.first_cycle);
  Sequence sequence = replay.sequences.front();
  sequence.idle_cycles = kIdleCycles;
  try {
    lock_step.run_sequence(std::move(sequence));
  } catch (const Hang& hang) {
    return lock_step.result().ended_at(hang);
  }
  return lock_step.result();
}

Cut<CommandReplay> cut_vectors(const CommandFault& fault, const spec::Datapath& datapath, bool is_strict,
                               const std::function<std::unique_ptr<ClockedBlock>()>& make) {
  const auto shows = [&](const CommandReplay& replay) {
    const std::unique_ptr<ClockedBlock> block = make();
    return shows_fault(run_vector_replay(replay, datapath, *block, is_strict), fault.mismatch);
  };
  const Sequence& all = fault.all.sequences.front();
  const auto alone_with = [&](const spec::VectorCommand& command, std::span<const std::byte> bytes) {
    return CommandReplay{.tables = fault.all.tables,
                         .sequences = {{.works = {sample_vector(command, datapath, bytes)},
                                        .names = all.names,
                                        .random_state = 1,
                                        .shared_percent = 0}},
                         .first_cycle = fault.all.first_cycle};
  };
  CommandReplay alone = alone_with(all.works[fault.command].vector(), all.works[fault.command].bytes);
  const auto work = [&]() -> const Work& { return alone.sequences.front().works.front(); };
  if (!shows(alone)) {
    Cut<CommandReplay> cut{fault.all, true, false};
    cut.is_reproduced = shows(cut.replay);
    return cut;
  }
  const auto take = [&](const std::optional<spec::VectorCommand>& less) {
    if (!less || !is_legal(*less, datapath)) return false;
    CommandReplay tried = alone_with(*less, work().bytes);
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
    for (int64_t less = turns_of(work().vector(), turn, datapath) / 2; less > 0; less /= 2) {
      while (take(without_turns(work().vector(), turn, less, true, datapath)) ||
             take(without_turns(work().vector(), turn, less, false, datapath))) {
      }
    }
  }
  return {std::move(alone), false, true};
}

}  // namespace vernier::cosim
