// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/job_sum.hpp"

#include <algorithm>
#include <utility>

namespace vernier::soc {

namespace {

void shift(int64_t& cycle, int64_t by_cycles) {
  if (cycle >= 0) cycle += by_cycles;
}

void add(units::LayerCount& sum, const units::LayerCount& one, int64_t start_cycle) {
  sum.attributed_cycles += one.attributed_cycles;
  for (size_t i = 0; i < sum.attributed_by.size(); ++i) sum.attributed_by[i] += one.attributed_by[i];
  sum.in_flight_cycles += one.in_flight_cycles;
  sum.working_cycles += one.working_cycles;
  sum.traffic += one.traffic;
  if (one.first_cycle >= 0 && sum.first_cycle < 0) sum.first_cycle = start_cycle + one.first_cycle;
  if (one.last_cycle >= 0) sum.last_cycle = start_cycle + one.last_cycle;
}

void add(units::QueueUse& sum, const units::QueueUse& one) {
  sum.most_commands = std::max(sum.most_commands, one.most_commands);
  sum.full_cycles += one.full_cycles;
  sum.holding_cycles += one.holding_cycles;
}

/// As a command of the job, `first_share` and `first_record` after those of the streams before.
units::CommandRecord moved(units::CommandRecord record, const StreamRun& run, uint32_t first_share) {
  for (int64_t* cycle :
       {&record.token_cycle, &record.dispatch_cycle, &record.start_cycle, &record.end_cycle, &record.main.start_cycle,
        &record.main.end_cycle, &record.drain.start_cycle, &record.drain.end_cycle})
    shift(*cycle, run.start_cycle);
  for (units::Shares* shares : {&record.main.shares, &record.drain.shares, &record.waits}) shares->first += first_share;
  if (record.last_giver_idx >= 0) record.last_giver_idx += static_cast<int32_t>(run.first_record);
  return record;
}

}  // namespace

void add_stream(JobResult& sum, JobResult one, const StreamRun& run) {
  sum.status = std::move(one.status);
  sum.outputs = std::move(one.outputs);
  sum.cycles += one.cycles;
  sum.units.add(one.units);
  const auto first_share = static_cast<uint32_t>(sum.shares.size());
  for (const units::CommandRecord& record : one.commands) sum.commands.push_back(moved(record, run, first_share));
  sum.shares.insert(sum.shares.end(), one.shares.begin(), one.shares.end());
  sum.streams.push_back(run);
  while (sum.layers.size() < one.layers.size()) sum.layers.push_back({});
  for (size_t i = 0; i < one.layers.size(); ++i) {
    const auto layer = static_cast<int32_t>(i);
    add(sum.layers[layer], one.layers[layer], run.start_cycle);
  }
  for (size_t i = 0; i < sum.queues.size(); ++i) add(sum.queues[i], one.queues[i]);
  sum.traffic += one.traffic;
  sum.sram_peak_bytes = std::max(sum.sram_peak_bytes, one.sram_peak_bytes);
  sum.num_commands += one.num_commands;
  sum.sram_parity_errors += one.sram_parity_errors;
  sum.num_events += one.num_events;
  sum.num_bursts += one.num_bursts;
  if (one.injected) sum.injected = one.injected;
}

}  // namespace vernier::soc
