// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/vector_replay.hpp"

#include "sim/cosim/lane_replay.hpp"
#include "sim/cosim/sampled_command.hpp"
#include "sim/cosim/vector_lock_step.hpp"
#include "sim/cosim/vector_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace vernier::cosim {

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
  const auto shows = [&](const VectorReplay& replay) {
    const std::unique_ptr<ClockedBlock> block = make();
    return shows_fault(run_vector_replay(replay, datapath, *block, is_strict).first_mismatches, fault.mismatch);
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
  const auto take = [&](const auto& reduce) {
    const VectorJob& job = alone.jobs.front();
    spec::VectorCommand less = job.command;
    reduce(less);
    if (!is_legal(less, datapath)) return false;
    VectorReplay tried = alone;
    tried.jobs = {sample_vector(less, datapath, job.sram).job};
    if (!shows(tried)) return false;
    alone = std::move(tried);
    return true;
  };
  for (size_t loop = 0; loop < spec::kNumVectorLoops; ++loop) {
    for (int64_t divisor = alone.jobs.front().command.counts[loop]; divisor > 1; divisor /= 2) {
      if (take([&](spec::VectorCommand& less) { less.counts[loop] /= divisor; })) break;
    }
  }
  for (int64_t lanes = datapath.vector_lanes(); lanes < alone.jobs.front().command.lanes; lanes *= 2) {
    if (take([&](spec::VectorCommand& less) { less.lanes = lanes; })) break;
  }
  return {std::move(alone), false, true};
}

}  // namespace vernier::cosim
