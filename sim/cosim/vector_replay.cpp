// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/vector_replay.hpp"

#include "sim/cosim/lane_replay.hpp"
#include "sim/cosim/sampled_command.hpp"
#include "sim/cosim/vector_lock_step.hpp"
#include "sim/cosim/vector_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

/// After the last command, until a beat too many has had the time to come out.
constexpr int64_t kIdleCycles = 16;

/// The job with other extents and the bytes that it needs then; none where that is no legal command, or reads what it has
/// not.
std::optional<VectorJob> with_extents(const VectorJob& job, const spec::Datapath& datapath,
                                      const std::array<int64_t, spec::kNumVectorLoops>& counts, int64_t lanes) {
  spec::VectorCommand command = job.command;
  std::ranges::copy(counts, command.counts.begin());
  command.lanes = lanes;
  if (!is_legal(command, datapath)) return std::nullopt;
  return sample_vector(command, datapath, job.sram).job;
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
  if (replay.reset_after_cycles) {
    lock_step.drop_sequence(replay.jobs, replay.pace, *replay.reset_after_cycles);
  } else {
    lock_step.run_sequence(replay.jobs, replay.pace);
    lock_step.idle(kIdleCycles);
  }
  return lock_step.result();
}

VectorCut cut_vectors(const VectorFault& fault, const spec::Datapath& datapath, bool is_strict,
                      const std::function<std::unique_ptr<ClockedBlock>()>& make) {
  const std::string wanted = fault_of(fault.mismatch);
  const auto shows = [&](const VectorReplay& replay) {
    const std::unique_ptr<ClockedBlock> block = make();
    const LockStepResult result = run_vector_replay(replay, datapath, *block, is_strict);
    return !result.first_mismatches.empty() && fault_of(result.first_mismatches.front()) == wanted;
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
  const auto take = [&](const std::array<int64_t, spec::kNumVectorLoops>& counts, int64_t lanes) {
    auto less = with_extents(alone.jobs.front(), datapath, counts, lanes);
    if (!less) return false;
    VectorReplay tried = alone;
    tried.jobs = {std::move(*less)};
    if (!shows(tried)) return false;
    alone = std::move(tried);
    return true;
  };
  for (int loop = 0; loop < spec::kNumVectorLoops; ++loop) {
    for (int64_t divisor = alone.jobs.front().command.counts[static_cast<size_t>(loop)]; divisor > 1; divisor /= 2) {
      std::array<int64_t, spec::kNumVectorLoops> counts{};
      std::ranges::copy(alone.jobs.front().command.counts, counts.begin());
      int64_t& count = counts[static_cast<size_t>(loop)];
      if (count / divisor < 1) continue;
      count /= divisor;
      if (take(counts, alone.jobs.front().command.lanes)) break;
    }
  }
  for (int64_t lanes = datapath.vector_lanes(); lanes < alone.jobs.front().command.lanes; lanes *= 2) {
    std::array<int64_t, spec::kNumVectorLoops> counts{};
    std::ranges::copy(alone.jobs.front().command.counts, counts.begin());
    if (take(counts, lanes)) break;
  }
  return {std::move(alone), false, true};
}

}  // namespace vernier::cosim
