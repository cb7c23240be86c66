// SPDX-License-Identifier: Apache-2.0
// What the machine says about itself, counted a second time from the times of the commands: idle is counted only while a
// unit's queue is empty and nothing of it is in flight, everything else has another name; and the simulator's own work is
// bounded by the commands, whatever they move.
#include "compiler/import/import.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::tests {
namespace {

constexpr int64_t kMostEventsPerCommand = 4;

struct Run {
  std::string name;
  std::vector<spec::Command> commands;
  soc::JobResult job;
};

std::vector<std::filesystem::path> own_models() {
  std::vector<std::filesystem::path> files{source_path("tests/e2e/demo/demo.tosa")};
  for (const char* name : {"depthwise_separable", "residual_block", "softmax_rows", "small_classifier", "unary_chain"}) {
    files.push_back(source_path("tests/golden/networks") / name / "model.tosa");
  }
  return files;
}

std::vector<std::filesystem::path> real_models() {
  std::vector<std::filesystem::path> files;
  for (const char* name : {"ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "ds_cnn_kws_int16x8", "vit_tiny_int8",
                           "mobilenet_v1_025_96_int8"}) {
    const std::filesystem::path file = shared_path(std::filesystem::path("golden/nets") / name / "model.tosa");
    if (file.empty()) WARN("../shared/golden/nets/" << name << " is not there");
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

/// Each network on several machines, memory modes and levels; cycles do not depend on values.
std::vector<Run> runs_of(const std::vector<std::filesystem::path>& models) {
  std::vector<Run> runs;
  for (const std::filesystem::path& file : models) {
    const ir::Graph graph = import::import_file(file, ir::kLevel8k);
    for (const char* preset : {"v64", "v256", "v1024", "v256-port8"}) {
      for (const auto memory : {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
        for (const int64_t optimize : {0, 1}) {
          const config::MachineConfig config = machine(preset, memory);
          const auto package = compile_if_it_fits(graph, config, optimize);
          if (!package) continue;
          soc::JobOptions options;
          options.values = false;
          runs.push_back({fmt::format("{} {} {} optimize {}", file.parent_path().filename().string(), preset,
                                      spec::kMemoryModeNames[static_cast<size_t>(memory)], optimize),
                          commands_of(*package), soc::Npu(config).run(*package, random_inputs(graph, 1), options)});
        }
      }
    }
  }
  return runs;
}

/// Cycles in which a command of one of the queues was dispatched and had not ended.
int64_t cycles_with_work(const Run& run, const std::vector<spec::Queue>& queues) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (size_t i = 0; i < run.commands.size(); ++i) {
    const bool is_end = std::holds_alternative<spec::EndCommand>(run.commands[i].body);
    const bool is_wanted = std::count(queues.begin(), queues.end(), run.commands[i].header.queue) > 0;
    if (is_wanted && !is_end) spans.emplace_back(run.job.commands[i].dispatch_cycle, run.job.commands[i].end_cycle);
  }
  std::sort(spans.begin(), spans.end());
  int64_t covered = 0, until = 0;
  for (const auto& [begin, end] : spans) {
    covered += std::max<int64_t>(0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return covered;
}

/// Most cycles that the command processor can have waited because a command of the stream limits its queue: those between
/// the dispatch of such a command and of the one before it. None where no command limits its queue.
int64_t most_limited_cycles(const Run& run) {
  int64_t cycles = 0;
  for (size_t i = 0; i < run.commands.size(); ++i) {
    if (run.commands[i].header.queue_limit == 0) continue;
    cycles += run.job.commands[i].dispatch_cycle - (i == 0 ? 0 : run.job.commands[i - 1].dispatch_cycle);
  }
  return cycles;
}

/// Idle is what is left of a unit's time when nothing is in its queue or in flight; the rest adds up.
void check_books(const std::vector<Run>& runs) {
  using spec::Queue;
  const std::vector<std::pair<std::string, std::vector<Queue>>> units{
      {"mac_array", {Queue::MacArray}}, {"vector_unit", {Queue::VectorUnit}}, {"dma", {Queue::Dma0, Queue::Dma1}}};
  for (const Run& run : runs) {
    INFO(run.name);
    REQUIRE(run.job.is_done());
    for (const auto& [name, queues] : units) {
      INFO(name);
      CHECK(run.job.units.value(name + "/idle_cycles") == run.job.cycles - cycles_with_work(run, queues));
    }
    const int64_t idle_cycles = run.job.units.value("command_processor/idle_cycles");
    const int64_t after_end_cycles = run.job.cycles - run.job.commands.back().end_cycle;
    CHECK(idle_cycles >= after_end_cycles);
    CHECK(idle_cycles <= after_end_cycles + most_limited_cycles(run));
    CHECK(run.job.units.children().size() == 6);
    for (const kit::Statistics& unit : run.job.units.children()) {
      INFO(unit.name());
      CHECK(unit.sum() == run.job.cycles);  // busy, every stall and idle
    }
  }
}

/// The simulator spends at most four events a command, however many bursts it moves.
void check_events(const std::vector<Run>& runs) {
  int64_t most_bursts = 0;
  for (const Run& run : runs) {
    INFO(run.name << ": " << run.job.num_events << " events, " << run.job.num_commands << " commands, " << run.job.num_bursts
                  << " bursts");
    CHECK(run.job.num_events <= kMostEventsPerCommand * run.job.num_commands);
    CHECK(run.job.num_events >= run.job.num_commands);  // counted at all
    most_bursts = std::max(most_bursts, run.job.num_bursts / run.job.num_commands);
  }
  CHECK(most_bursts > 4 * kMostEventsPerCommand);
}

void check_runs(const std::vector<Run>& runs) {
  if (runs.empty()) return;
  check_books(runs);
  check_events(runs);
}

}  // namespace

TEST_CASE("books: cycles of each unit add up, and a command costs at most four events", "[slow]") {
  check_runs(runs_of(own_models()));
}

TEST_CASE("books of real networks: cycles of each unit add up, and a command costs at most four events", "[nightly]") {
  check_runs(runs_of(real_models()));
}

}  // namespace vernier::tests
