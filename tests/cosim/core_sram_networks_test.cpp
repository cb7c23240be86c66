// SPDX-License-Identifier: Apache-2.0
// Networks on npu_core_sram: array and vector unit at once, commands in the order of the model's edges; what the DMA does
// comes from the model. All bytes that the model has written stand in the SRAM at the end, and the total is near the
// model's.
#include "hw/package/range.hpp"
#include "hw/package/stream_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/core_sram_bench.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/cosim/network_runs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
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

/// What ended in the model so long before another command started that a token could order the two does so here too.
/// Commands of one unit that follow each other sooner are kept in order by the unit.
void add_order(ModelRun& run) {
  for (size_t later = 0; later < run.jobs.size(); ++later) {
    const int64_t start = run.records[run.command_of_job[later]].start_cycle;
    // Of each unit the last one: commands of a unit end in their order.
    std::array<std::optional<size_t>, 3> last;
    for (size_t earlier = 0; earlier < run.jobs.size(); ++earlier) {
      const int64_t end = run.records[run.command_of_job[earlier]].end_cycle;
      if (end >= 0 && end + spec::kTokenCycles <= start) last[run.jobs[earlier].command.index()] = earlier;
    }
    for (const std::optional<size_t>& earlier : last) {
      if (earlier) run.jobs[later].after.push_back({*earlier, spec::kTokenCycles});
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
  int64_t last_end = 0;
  for (const int32_t idx : run.command_of_job) last_end = std::max(last_end, run.records[idx].end_cycle);
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
    if (cycle < last_end) return;
    run.last_sram.assign(bytes.begin(), bytes.begin() + first.sram_peak_bytes);
    run.is_written.assign(run.last_sram.size(), true);
    for (int64_t at = 0; at < first.sram_peak_bytes; ++at) {
      if (sram.first_unwritten(at, 1)) run.is_written[static_cast<size_t>(at)] = false;
    }
  };
  REQUIRE(npu.run(package, inputs, options).is_done());
  return run;
}

int64_t first_wrong_byte(const std::vector<std::byte>& actual, const ModelRun& model) {
  for (size_t i = 0; i < actual.size(); ++i) {
    if (model.is_written[i] && actual[i] != model.last_sram[i]) return static_cast<int64_t>(i);
  }
  return -1;
}

struct NetworkTotals {
  int64_t rtl = 0, model = 0;
  int64_t worst_permille = 0;  // of a command, of those of 100 cycles and more
  std::string text;            // of commands that are far off
};

/// The package on `bench`: its values are compared.
NetworkTotals run_network(CoreSramBench& bench, const package::Package& package) {
  const ModelRun model = run_model(package, random_inputs(package));
  bench.write(0, model.first_sram);
  const std::vector<CoreEdges> edges = bench.run(model.jobs);
  CHECK(first_wrong_byte(bench.read(0, static_cast<int64_t>(model.last_sram.size())), model) == -1);
  NetworkTotals totals;
  for (size_t i = 0; i < edges.size(); ++i) {
    const units::CommandRecord& record = model.records[model.command_of_job[i]];
    totals.rtl = std::max(totals.rtl, edges[i].end);
    totals.model = std::max(totals.model, record.end_cycle);
    const int64_t cycles = record.end_cycle - record.start_cycle;
    const int64_t permille = std::abs(edges[i].cycles() - cycles) * 1000 / std::max<int64_t>(cycles, 100);
    totals.worst_permille = std::max(totals.worst_permille, permille);
    if (permille < 100) continue;
    totals.text += fmt::format("command {}: {} to {}, model {} to {}; ", model.command_of_job[i], edges[i].start,
                               edges[i].end, record.start_cycle, record.end_cycle);
  }
  return totals;
}

}  // namespace

TEST_CASE("core with its memory: small networks run on it with the model's values and nearly its cycles") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  CoreSramBench bench(static_cast<int>(kLanes));
  int64_t rtl_cycles = 0, model_cycles = 0;
  for (const std::string name :
       {"small_classifier", "residual_block", "depthwise_separable", "softmax_rows", "conv_clamp_table", "avg_pool_2x2",
        "residual_shortcut", "branch_two_consumers", "table_int16", "resize_int16_wide"}) {
    const NetworkTotals totals = run_network(bench, compiled(name, v64()));
    INFO(name << ": " << totals.rtl << " cycles, model " << totals.model << "; " << totals.text);
    CHECK(std::abs(totals.rtl - totals.model) <= std::max<int64_t>(32, totals.model * 3 / 100));
    rtl_cycles += totals.rtl;
    model_cycles += totals.model;
  }
  INFO(rtl_cycles << " cycles, model " << model_cycles);
  CHECK(std::abs(rtl_cycles - model_cycles) * 100 <= model_cycles);
}

TEST_CASE("core with its memory: real networks run on it with the model's values and within 1 % of its cycles", "[slow]") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  CoreSramBench bench(static_cast<int>(kLanes));
  for (const char* name : {"ad01_int8", "kws_ref_model", "str_ww_ref_model", "pretrainedResnet_quant"}) {
    const std::string file = nets / name / "model.tosa";
    const std::vector<std::byte> bytes = base::read_file(file);
    const package::Package package =
        emit::compile(import::import_graph(file, bytes, ir::kLevel8k), {file, bytes}, v64(), {1});
    const NetworkTotals totals = run_network(bench, package);
    INFO(name << ": " << totals.rtl << " cycles, model " << totals.model << "; " << totals.text);
    CHECK(totals.worst_permille <= 100);
    CHECK(std::abs(totals.rtl - totals.model) * 100 <= totals.model);
  }
}
