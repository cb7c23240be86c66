// SPDX-License-Identifier: Apache-2.0
// Networks on npu_core_sram: array and vector unit at once, commands in the order of the model's edges; what the DMA does comes
// from the model. All bytes that the model has written stand in the SRAM at the end, and the total is near the model's.
#include "hw/package/range.hpp"
#include "hw/package/stream_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/core_sram_bench.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/cosim/network_runs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace vernier;
using namespace vernier::cosim;

namespace {

using CommandRecords = base::IndexedVector<int32_t, units::CommandRecord>;

/// A run of the model, and what npu_core_sram is to do.
struct ModelRun {
  int64_t cycles = 0;
  std::vector<std::byte> first_sram, last_sram;
  std::vector<bool> is_written;  // of last_sram
  std::vector<CoreJob> jobs;
  std::vector<int32_t> command_of_job;
  CommandRecords records;
};

/// Bytes from memory, run by run, of what a command writes into SRAM.
std::vector<OuterJob::Write> writes_of(const spec::Command& command, const spec::Datapath& datapath,
                                       std::span<const std::byte> sram) {
  std::vector<OuterJob::Write> writes;
  for (const package::Range& range : package::ranges_of(command, datapath)) {
    if (!range.is_write || range.storage != package::Storage::Sram) continue;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
      const auto run = sram.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
      writes.push_back({offset, {run.begin(), run.end()}});
    });
  }
  return writes;
}

std::optional<CoreJob> job_of(const spec::Command& command, const units::CommandRecord& record) {
  CoreJob job;
  job.earliest_cycle = record.start_cycle;
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    job.command = *mac;
  } else if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) {
    job.command = *vector;
  } else if (std::holds_alternative<spec::DmaCommand>(command.body)) {
    OuterJob outer;
    outer.cycles = record.end_cycle - record.start_cycle;
    job.command = outer;
  } else {
    return std::nullopt;
  }
  return job;
}

/// What ended in the model so long before another command started that a token could order the two does so here too. Commands of one
/// unit that follow each other sooner are kept in order by the unit.
void add_order(ModelRun& run) {
  for (size_t later = 0; later < run.jobs.size(); ++later) {
    const int64_t start = run.records[run.command_of_job[later]].start_cycle;
    for (size_t earlier = 0; earlier < run.jobs.size(); ++earlier) {
      const int64_t end = run.records[run.command_of_job[earlier]].end_cycle;
      if (end >= 0 && end + spec::kTokenCycles <= start) run.jobs[later].after.push_back({earlier, spec::kTokenCycles});
    }
  }
}

ModelRun run_model(const package::Package& package, const std::vector<base::Tensor>& inputs) {
  ModelRun run;
  const spec::Datapath& datapath = package.config.datapath;
  soc::Npu npu(package.config);
  const soc::JobResult first = npu.run(package, inputs);
  REQUIRE(first.is_done());
  run.cycles = first.cycles;
  run.records = first.commands;
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  std::vector<int32_t> order;
  for (int32_t i = 0; i < static_cast<int32_t>(commands.size()); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](int32_t idx) { return run.records[idx].start_cycle; });
  for (const int32_t idx : order) {
    auto job = job_of(commands[static_cast<size_t>(idx)].command, run.records[idx]);
    if (!job) continue;
    run.jobs.push_back(std::move(*job));
    run.command_of_job.push_back(idx);
  }
  add_order(run);
  // Once more, for what stands in memory when copies end and tables are filled.
  soc::JobOptions options;
  options.on_sram = [&](int64_t cycle, const mem::StorageView& sram) {
    const std::span<const std::byte> bytes = sram.bytes();
    if (cycle == 0 && run.first_sram.empty()) run.first_sram.assign(bytes.begin(), bytes.begin() + first.sram_peak_bytes);
    for (size_t i = 0; i < run.jobs.size(); ++i) {
      auto* outer = std::get_if<OuterJob>(&run.jobs[i].command);
      const int32_t idx = run.command_of_job[i];
      if (outer == nullptr || run.records[idx].end_cycle != cycle) continue;
      const spec::Command& command = commands[static_cast<size_t>(idx)].command;
      outer->writes = writes_of(command, datapath, bytes);
      const auto& dma = std::get<spec::DmaCommand>(command.body);
      if (dma.kind != spec::DmaKind::TableFill) continue;
      outer->table_slot = static_cast<size_t>(dma.table_slot);
      outer->table.type = dma.table_type;
      std::ranges::copy(bytes.subspan(dma.src.base.offset, static_cast<size_t>(dma.run_bytes)), outer->table.bytes.begin());
    }
    run.last_sram.assign(bytes.begin(), bytes.begin() + first.sram_peak_bytes);
    run.is_written.assign(run.last_sram.size(), true);
    for (int64_t at = 0; at < first.sram_peak_bytes; ++at) {
      if (sram.first_unwritten(at, 1)) run.is_written[static_cast<size_t>(at)] = false;
    }
  };
  REQUIRE(npu.run(package, inputs, options).is_done());
  return run;
}

int64_t first_difference(const std::vector<std::byte>& actual, const ModelRun& model) {
  for (size_t i = 0; i < actual.size(); ++i) {
    if (model.is_written[i] && actual[i] != model.last_sram[i]) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace

TEST_CASE("core with its memory: small networks run on it with the model's values and nearly its cycles") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  CoreSramBench bench(static_cast<int>(kLanes));
  int64_t rtl_cycles = 0, model_cycles = 0;
  for (const std::string name : {"small_classifier", "residual_block", "depthwise_separable", "softmax_rows", "conv_clamp_table",
                                 "avg_pool_2x2", "residual_shortcut", "branch_two_consumers", "table_int16", "resize_int16_wide"}) {
    INFO(name);
    const package::Package package = compiled(name, v64());
    const ModelRun model = run_model(package, random_inputs(package));
    bench.write(0, model.first_sram);
    const std::vector<CoreEdges> edges = bench.run(model.jobs);
    CHECK(first_difference(bench.read(0, static_cast<int64_t>(model.last_sram.size())), model) == -1);
    int64_t last = 0, last_of_model = 0;
    std::string text;
    for (size_t i = 0; i < edges.size(); ++i) {
      const units::CommandRecord& record = model.records[model.command_of_job[i]];
      last = std::max(last, edges[i].end);
      last_of_model = std::max(last_of_model, record.end_cycle);
      text += fmt::format("{} unit {}: {} to {}, model {} to {}; ", model.command_of_job[i], model.jobs[i].command.index(),
                          edges[i].start, edges[i].end, record.start_cycle, record.end_cycle);
    }
    INFO(text);
    WARN(name << ": " << last << " cycles, model " << last_of_model << " of " << model.cycles << ", commands " << edges.size() << " " << text);
    CHECK(std::abs(last - last_of_model) <= std::max<int64_t>(32, last_of_model * 3 / 100));
    rtl_cycles += last;
    model_cycles += last_of_model;
  }
  INFO(rtl_cycles << " cycles, model " << model_cycles);
  CHECK(std::abs(rtl_cycles - model_cycles) * 100 <= model_cycles);
}
