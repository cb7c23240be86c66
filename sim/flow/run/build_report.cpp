// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/build_report.hpp"

#include "hw/base/division.hpp"
#include "hw/base/text.hpp"
#include "sim/explain/bound.hpp"
#include "sim/explain/bound_detail.hpp"
#include "sim/report/approximations.hpp"
#include "sim/soc/run_commands.hpp"

#include <array>
#include <utility>

namespace vernier::flow {
namespace {

report::Traffic traffic_of(const timing::Traffic& traffic) {
  return {traffic.sram_read_bytes, traffic.sram_write_bytes, traffic.external_read_bytes, traffic.external_write_bytes};
}

/// By the names of `units` in the report.
std::string_view unit_of(units::Work work) {
  switch (work) {
    case units::Work::None: return "command_processor";
    case units::Work::Array: return "mac_array";
    case units::Work::Vector: return "vector_unit";
    default: return "dma";
  }
}

using StallCycles = std::array<int64_t, timing::kNumStalls>;

std::vector<std::pair<std::string_view, int64_t>> named(const StallCycles& cycles) {
  std::vector<std::pair<std::string_view, int64_t>> result;
  for (size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i] > 0) result.emplace_back(timing::kStallNames[i], cycles[i]);
  }
  return result;
}

report::Command command_of(const units::CommandRecord& record, const std::vector<units::Share>& all_shares) {
  report::Command command;
  command.layer_idx = record.layer_idx;
  command.unit = unit_of(record.work);
  if (record.work != units::Work::None) command.queue = spec::kQueueNames[static_cast<size_t>(record.queue)];
  command.dispatch_cycle = record.dispatch_cycle;
  command.start_cycle = record.start_cycle;
  command.end_cycle = record.end_cycle;
  command.traffic = traffic_of(record.traffic);
  const auto add = [&](const units::Shares& shares, StallCycles& stalls) {
    for (size_t i = shares.first; i < size_t{shares.first} + shares.count; ++i) {
      const auto& [bucket, cycles] = all_shares[i];
      (bucket == kit::Bucket::busy() ? command.busy_cycles : stalls[bucket.stall_idx()]) += cycles;
    }
  };
  StallCycles stalls{}, waits{};
  add(record.main.shares, stalls);
  add(record.drain.shares, stalls);
  add(record.waits, waits);
  // Between its phases it waits until the drain before it leaves it the rescale unit.
  if (record.drain.start_cycle >= 0) {
    stalls[static_cast<size_t>(timing::Stall::RescaleContention)] += record.drain.start_cycle - record.main.end_cycle;
  }
  command.stall_cycles = named(stalls);
  command.wait_cycles = named(waits);
  return command;
}

/// What lies in memory before the first job: it does not change from job to job.
int64_t image_bytes_of(const package::Package& package) {
  auto bytes = static_cast<int64_t>(package.stream.size());
  bytes += package::flow_table_bytes(package.flow);
  for (const package::Segment& segment : package.image) bytes += static_cast<int64_t>(segment.bytes.size());
  return bytes;
}

/// In the order of the package.
std::vector<report::SramBlock> blocks_of(const package::Package& package, const soc::JobResult& job) {
  std::vector<report::SramBlock> blocks;
  blocks.reserve(package.sram_blocks.size());
  for (const package::SramBlock& block : package.sram_blocks) {
    report::SramBlock told{block.name, block.is_constant, block.begin_byte, block.end_byte, 0, job.cycles};
    if (!job.streams.empty()) {  // which of its commands come first and last, the values decide
      blocks.push_back(std::move(told));
      continue;
    }
    if (block.first_command >= 0) told.first_cycle = job.commands.at(block.first_command).start_cycle;
    const int64_t last = block.last_command;
    if (last < 0) told.end_cycle = 0;                                       // no command uses it
    if (last >= 0 && last + 1 < static_cast<int64_t>(job.commands.size()))  // END is the last one
      told.end_cycle = job.commands[last].end_cycle;
    blocks.push_back(std::move(told));
  }
  return blocks;
}

/// MACs of a layer whose commands ran as often as these say: all of them each time.
int64_t macs_of_runs(int64_t macs, int64_t num_commands, int64_t num_run) {
  return num_commands == 0 ? 0 : base::ceil_div(macs * num_run, num_commands);
}

/// With control flow a layer has run as often as its streams have.
void count_runs(report::Report& report, const package::Package& package, const soc::JobResult& job) {
  std::vector<int64_t> num_commands(report.layers.size()), num_run(report.layers.size());
  for (const int32_t layer : package.command_layers) ++num_commands[static_cast<size_t>(layer)];
  soc::RunCommands places(package, job);
  for (size_t i = 0; i < job.commands.size(); ++i) {
    const int32_t layer = package::layer_of(package, places.next().command_idx);
    if (layer >= 0) ++num_run[static_cast<size_t>(layer)];
  }
  for (size_t i = 0; i < report.layers.size(); ++i)
    report.layers[i].macs = macs_of_runs(report.layers[i].macs, num_commands[i], num_run[i]);
}

}  // namespace

report::Report base_report(const package::Package& package, const std::string& file, const std::string& backend) {
  report::Report report;
  report.backend = backend;
  report.model_file = file;
  report.model_sha256 = package.model_sha256;
  report.model_name = package.model_name;
  report.config = package.config;
  report.optimize = package.optimize;
  for (size_t i = 0; i < package.layers.size(); ++i) {
    const package::LayerEntry& entry = package.layers[i];
    report::Layer layer;
    layer.layer_idx = static_cast<int64_t>(i);
    layer.name = layer.source_name = entry.name;
    layer.operators = entry.operators;
    layer.macs = entry.macs;
    layer.main_operator = entry.main_operator;
    report.layers.push_back(std::move(layer));
  }
  return report;
}

void add_simulation(report::Report& report, const package::Package& package, const soc::JobResult& job) {
  report.control = job.control;
  report.streams = job.streams;
  report.cycles = job.cycles;
  report.traffic = traffic_of(job.traffic);
  report.sram_peak_bytes = package.sram_peak_bytes;
  report.planned_sram_bytes = package.planned_sram_bytes;
  if (package.least_sram_bytes > 0) {
    report.notes.push_back(fmt::format(
        "the maps leave no room for weights, or little: of {} of SRAM the network needs {} at least; with 4 times that, "
        "weights come ahead in time",
        base::bytes_text(package.config.sram_bytes), base::bytes_text(package.least_sram_bytes)));
  }
  report.sram_written_peak_bytes = job.sram_peak_bytes;
  report.sram_parity_errors = job.sram_parity_errors;
  report.sram_peak = package.sram_peak;
  report.external_footprint_bytes = package.external_bytes;
  report.image_bytes = image_bytes_of(package);
  report.weight_bytes = package.weight_bytes;
  report.commands = job.num_commands;
  for (const kit::Statistics& unit : job.units.children()) {
    report::Unit entry;
    entry.name = unit.name();
    entry.busy_cycles = unit.value("busy_cycles");
    entry.idle_cycles = unit.value("idle_cycles");
    if (const kit::Statistics* stalls = unit.find("stall_cycles")) {
      for (const auto& [name, cycles] : stalls->counters()) {
        if (cycles > 0) entry.stall_cycles.emplace_back(name, cycles);
      }
    }
    report.units.push_back(std::move(entry));
  }
  for (size_t i = 0; i < job.queues.size(); ++i) {
    const units::QueueUse& use = job.queues[i];
    report.queues.push_back(
        {spec::kQueueNames[i], package.config.queue_depth, use.most_commands, use.full_cycles, use.holding_cycles});
  }
  if (!job.streams.empty()) count_runs(report, package, job);
  std::vector<explain::LayerBound> bounds = explain::bounds_of_layers(job);
  const std::vector<explain::LayerWork> work = explain::work_of_layers(package, job);
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const units::LayerCount& result = job.layers.at(i);
    report::Layer& layer = report.layers[i];
    layer.first_cycle = result.first_cycle;
    layer.last_cycle = result.last_cycle;
    layer.attributed_cycles = result.attributed_cycles;
    layer.in_flight_cycles = result.in_flight_cycles;
    layer.working_cycles = result.working_cycles;
    layer.traffic = traffic_of(result.traffic);
    layer.attributed_cycles_by = std::move(bounds[i].attributed_by);
    layer.spent_cycles = std::move(bounds[i].spent);
    layer.bound_detail = explain::bound_detail(result, bounds[i].bound_by, work[i], package.config);
    layer.bound_by = std::move(bounds[i].bound_by);
  }
  report.command_list.reserve(job.commands.size());
  soc::RunCommands places(package, job);
  for (const units::CommandRecord& record : job.commands) {
    report.command_list.push_back(command_of(record, job.shares));
    report.command_list.back().command_idx = places.next().command_idx;
  }
  report.sram_blocks = blocks_of(package, job);
  report.approximations = report::approximations(package, job);
}

void add_check(report::Report& report, const package::Package& package, const check::Outcome& outcome, bool list_folded) {
  report.check.result = outcome.is_match() ? "match" : "mismatch";
  report.check.elements_compared = outcome.elements_compared;
  report.check.tensors_compared = outcome.tensors_compared;
  report.check.elements_different = outcome.elements_different;
  if (outcome.first) {
    const check::Difference& d = *outcome.first;
    report::FirstDifference first{d.tensor, d.coordinates, d.expected, d.actual, -1, d.origin.command_idx, d.origin.cycle};
    if (d.origin.command_idx >= 0) {
      const auto command_idx = static_cast<size_t>(d.origin.command_idx);
      first.layer_idx = package.command_layers.at(command_idx);
      const package::LayerEntry& layer = package.layers.at(first.layer_idx);
      first.layer_name = layer.name;
      first.operators = fmt::format("{}", fmt::join(layer.operators, ", "));
      first.unit = report.command_list.at(command_idx).unit;
      first.start_cycle = report.command_list.at(command_idx).start_cycle;
    }
    report.check.first_difference = std::move(first);
  }
  if (!list_folded) return;
  for (const package::FoldedTensor& folded : package.folded) report.check.folded.emplace_back(folded.name, folded.reason);
}

}  // namespace vernier::flow
