// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/oracle.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"
#include "sim/check/checker.hpp"
#include "sim/flow/rtl/core_rtl.hpp"
#include "sim/flow/rtl/rtl_session.hpp"
#include "tests/support/open_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace vernier::tests::fuzz {

namespace {

constexpr int64_t kRunsWithVariables = 3;
constexpr uint64_t kEvery = 8;  // what is costly is looked at once in so many seeds

[[noreturn]] void fail(const std::string& message) { throw base::InternalError(message); }

/// The size that "needs ... of SRAM" names.
int64_t named_sram_bytes(const std::string& message) {
  const size_t begin = message.find("needs ");
  if (begin == std::string::npos || message.find(" of SRAM") == std::string::npos) return 0;
  int64_t value = 0;
  size_t at = begin + 6;
  for (; at < message.size() && (std::isdigit(static_cast<unsigned char>(message[at])) != 0 || message[at] == ','); ++at)
    if (message[at] != ',') value = value * 10 + (message[at] - '0');
  const std::string unit = message.substr(at, 4);
  return value * (unit == " KiB" ? spec::kKibi : unit == " MiB" ? spec::kMebi : 1);
}

config::MachineConfig make_config(const Setup& setup) {
  config::MachineConfig config = config::load_config(setup.preset);
  config.memory_mode = setup.memory;
  if (setup.speed == 0) return config;
  Random random(static_cast<uint64_t>(setup.speed));
  config.name = fmt::format("{}-{}", setup.preset, setup.speed);
  config.external = {random.pick<int64_t>({1, 3, 4, 8, 32, 64}), random.within(1, 400), int64_t{8} << random.within(0, 6),
                     random.chance(50)};
  config.queue_depth = random.within(4, 20);
  return config;
}

/// With the SRAM of `config`; where that is not enough, with as much as the message names, which then has to be.
package::Package compile(const ir::Graph& graph, config::MachineConfig& config, const Setup& setup) {
  const emit::CompileOptions options{setup.optimize};
  if (setup.sram_percent > 0) config.sram_bytes = spec::kKibi;
  try {
    return emit::compile(graph, {"fuzz.tosa", {}}, config, options);
  } catch (const base::UserError& error) {
    const int64_t needed = named_sram_bytes(error.what());
    if (needed == 0) throw;
    const int64_t granule = int64_t{config.datapath.word_bytes()} * spec::kNumSramBanks;
    config.sram_bytes = base::round_up(needed * std::max<int64_t>(100, setup.sram_percent) / 100, granule);
  }
  config::validate(config, "fuzz");
  return emit::compile(graph, {"fuzz.tosa", {}}, config, options);
}

std::string status_text(const soc::JobResult& job) {
  if (const auto* fault = std::get_if<soc::Fault>(&job.status))
    return fmt::format("fault {} at cycle {}: {}", spec::to_string(fault->code), job.cycles, fault->detail);
  if (const auto* hang = std::get_if<soc::Hang>(&job.status)) return "hang:\n" + hang->wait_for;
  return "done";
}

soc::JobResult run(soc::Npu& npu, const package::Package& package, const std::vector<base::Tensor>& inputs,
                   const soc::JobOptions& options) {
  soc::JobResult job = npu.run(package, inputs, options);
  if (!job.is_done()) fail(status_text(job));
  return job;
}

void require_same_course(const soc::JobResult& a, const soc::JobResult& b, const std::string& what) {
  if (a.cycles != b.cycles) fail(fmt::format("{}: {} cycles instead of {}", what, b.cycles, a.cycles));
  if (a.commands != b.commands || a.layers != b.layers) fail(what + ": times of commands or layers differ");
  if (!(a.traffic == b.traffic) || a.sram_peak_bytes != b.sram_peak_bytes) fail(what + ": bytes differ");
}

void require_sums(const soc::JobResult& job) {
  for (const kit::Statistics& unit : job.units.children()) {
    const int64_t total = unit.sum();
    if (total != job.cycles) fail(fmt::format("cycles of {} add up to {}, not {}", unit.name(), total, job.cycles));
  }
  int64_t attributed = 0;
  for (const units::LayerCount& layer : job.layers) attributed += layer.attributed_cycles;
  if (!job.layers.empty() && attributed != job.cycles)
    fail(fmt::format("cycles of layers add up to {}, not {}", attributed, job.cycles));
}

/// Each command of the array and of the vector unit, on RTL: its values and its edges, which ideal memories and an SRAM
/// without limits give alike, and what the machine does with them.
void require_same_on_rtl(const package::Package& package, const std::vector<base::Tensor>& inputs, const soc::JobResult& job,
                         cosim::StreamSource memory, uint64_t seed) {
  flow::RtlSession session = flow::RtlBlocks(package.config.datapath, {.streams = memory}).begin(package, {.seed = seed});
  const auto [on_rtl, hang] = session.run_job(inputs, {});
  if (hang) fail(fmt::format("on RTL: {}", hang->what()));
  if (!on_rtl.is_done()) fail(status_text(on_rtl));
  const flow::RtlOutcome found = std::move(session).finish();
  if (!found.is_equal()) fail("on RTL: " + found.result().first_mismatches.at(0).print());
  for (const cosim::NetworkGroup& group : found.result().groups) {
    if (!group.without_rtl.empty() && group.name != "DMA") fail(fmt::format("{}: {}", group.name, group.without_rtl));
  }
  require_same_course(job, on_rtl, "on RTL");
  if (on_rtl.outputs != job.outputs) fail("on RTL: outputs differ");
  if (on_rtl.variables != job.variables) fail("on RTL: variables differ");
}

/// All commands together on the core with its memory: outputs, all bytes of its SRAM, and a total that is near the model's.
CoreTotals require_same_on_core(const package::Package& package, const std::vector<base::Tensor>& inputs,
                                const soc::JobResult& job, soc::Npu& npu, int64_t most_percent) {
  flow::CoreRtl core(package.config, {}, {});
  const flow::CoreJobRun ran = core.run_job(package, inputs, job, npu, {});
  if (ran.hang) fail(fmt::format("on the core: {}", ran.hang->what()));
  const report::RtlUse use = core.use();
  if (!use.first_mismatches.empty()) fail("on the core: " + use.first_mismatches.front());
  if (ran.outputs != job.outputs) fail("on the core: outputs differ");
  if (ran.variables != job.variables) fail("on the core: variables differ");
  const CoreTotals totals{use.core->total_cycles, use.core->model_total_cycles};
  if (totals.is_more_than(most_percent)) fail(fmt::format("on the core: {} cycles, model {}", totals.rtl, totals.model));
  return totals;
}

/// Every computed tensor is made by a command, or the package says why not.
void require_accounted(const ir::Graph& graph, const package::Package& package, const std::vector<bool>& is_made) {
  for (const ir::Operator& op : graph.operators) {
    if (ir::is_control_flow(op.kind)) continue;  // a result that nobody reads may have no place
    const std::string& name = graph.tensor(op.outputs[0]).name;
    const auto has_name = [&](const auto& entry) { return entry.name == name; };
    if (std::any_of(package.folded.begin(), package.folded.end(), has_name)) continue;
    const auto entry = std::find_if(package.tensors.begin(), package.tensors.end(), has_name);
    if (entry == package.tensors.end() || !is_made[static_cast<size_t>(entry - package.tensors.begin())])
      fail(fmt::format("no command makes '{}', and it is not folded", name));
  }
}

/// Operators of regions are judged where they run: here all are good.
void require_good_regions(const ir::Graph& graph) {
  ir::verify(graph, "fuzz", ir::kLevel8k);
  ir::Graph judged = graph;
  ir::judge_regions(judged, "fuzz", ir::kLevel8k);
  for (const ir::Region& region : judged.regions) {
    if (!region.mistake.empty()) fail(fmt::format("region '{}': {}", region.name, region.mistake));
  }
}

}  // namespace

double CoreTotals::more_percent() const {
  return 100.0 * static_cast<double>(rtl - model) / static_cast<double>(std::max<int64_t>(model, 1));
}

bool CoreTotals::is_more_than(int64_t percent) const {
  return std::abs(rtl - model) > std::max<int64_t>(Setup::kCoreCycles, model * percent / 100);
}

std::string to_string(const Setup& setup) {
  std::string text = fmt::format("--config {} --memory {} --optimize {} --sram-percent {} --speed {}", setup.preset,
                                 spec::kMemoryModeNames[static_cast<size_t>(setup.memory)], setup.optimize,
                                 setup.sram_percent, setup.speed);
  if (setup.rtl_memory)
    text += fmt::format(" --rtl-memory {}", cosim::kStreamSourceNames[static_cast<size_t>(*setup.rtl_memory)]);
  if (setup.has_core) text += " --rtl-scope core";
  return text;
}

Verdict Oracle::judge(const RandomGraph& random, const Setup& setup, uint64_t seed) {
  try {
    const bool has_control = ir::has_control_flow(random.graph);
    if (has_control) {
      require_good_regions(random.graph);
    } else if (const std::string name = shape_that_does_not_follow(random.graph); !name.empty()) {
      fail(fmt::format("left open, the shape of '{}' comes back as another one", name));
    }
    config::MachineConfig config = make_config(setup);
    if (has_control) config.memory_mode = spec::MemoryMode::External;
    const package::Package package = compile(random.graph, config, setup);
    if (seed % kEvery == 0) {
      if (!(compile(random.graph, config, setup) == package)) fail("a second compilation gives other bytes");
      if (!(package::from_bytes("fuzz.vnpu", package::to_bytes(package)) == package)) fail("the file holds another package");
    }
    Verdict verdict = judge_package(random, package, setup, seed);  // a copy, whose variables change
    if (setup.sram_percent > 0 && seed % kEvery < 2) {
      config::MachineConfig roomy = config;
      roomy.sram_bytes = spec::kMaxSramBytes;
      verdict.is_cut =
          package.command_layers.size() > compile(random.graph, roomy, {.optimize = setup.optimize}).command_layers.size();
    }
    return verdict;
  } catch (const base::UserError& error) {
    const bool is_known = std::string_view(error.what()).find("not there yet") != std::string_view::npos;
    return {.kind = is_known ? Verdict::Kind::Refused : Verdict::Kind::Failed, .message = error.what()};
  } catch (const std::exception& error) {
    return {.kind = Verdict::Kind::Failed, .message = error.what()};
  }
}

Verdict Oracle::judge_package(const RandomGraph& random, package::Package package, const Setup& setup, uint64_t seed) {
  reference::Variables variables = reference::initial_variables(random.graph);
  const int64_t num_runs = variables.empty() ? 1 : kRunsWithVariables;
  Verdict verdict;
  for (int64_t i = 0; i < num_runs; ++i) {
    const Verdict of_run = judge_run(random, package, setup, seed + static_cast<uint64_t>(i) * kEvery, variables);
    const int64_t elements_before = verdict.elements_compared;
    verdict = of_run;
    verdict.elements_compared += elements_before;
  }
  return verdict;
}

Verdict Oracle::judge_run(const RandomGraph& random, package::Package& package, const Setup& setup, uint64_t seed,
                          reference::Variables& variables) {
  const ir::Graph& graph = random.graph;
  const std::vector<base::Tensor> inputs = random_inputs(random, seed);
  const bool has_steps = !package.flow.steps.empty();
  soc::Npu& npu = npu_for(package.config, has_steps ? soc::Control::Cpu : soc::Control::Direct);
  check::Checker checker;
  std::vector<bool> is_made(package.tensors.size());
  soc::JobOptions options;
  options.on_piece = [&](int32_t piece_idx, int32_t command_idx, int64_t cycle, const base::Tensor& values) {
    const package::Piece& piece = package.pieces[static_cast<size_t>(piece_idx)];
    const package::TensorEntry& tensor = package.tensors[piece.tensor_idx];
    checker.add_actual(tensor.name, tensor.shape, piece.begin, values, {command_idx, cycle}, piece.step);
    is_made[static_cast<size_t>(piece.tensor_idx)] = true;
  };
  const soc::JobResult job = run(npu, package, inputs, options);
  require_sums(job);
  require_accounted(graph, package, is_made);
  const reference::Result expected = reference::run(
      graph, inputs, [&](ir::TensorId id, const base::Tensor& value) { checker.add_expected(graph.tensor(id).name, value); },
      &variables);
  if (job.outputs != expected.outputs) {
    size_t i = 0;
    while (job.outputs[i] == expected.outputs[i]) ++i;
    if (checker.outcome().is_match()) fail(fmt::format("output {} differs", i));
  }
  if (const auto& first = checker.outcome().first) {
    fail(fmt::format("{} of {} elements differ, the first is '{}' {} expected {} actual {} (command {})",
                     checker.outcome().elements_different, checker.outcome().elements_compared, first->tensor,
                     base::to_string(first->coordinates), first->expected, first->actual, first->origin.command_idx));
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    if (job.variables[i] != variables[i]) fail(fmt::format("variable '{}' differs", graph.variables[i].name));
  }
  if (!has_steps) {  // else values decide what runs
    soc::JobOptions estimate;
    estimate.values = false;
    require_same_course(job, run(npu, package, inputs, estimate), "estimate");
  }
  // RTL is asked about one stream.
  if (setup.rtl_memory && !has_steps) require_same_on_rtl(package, inputs, job, *setup.rtl_memory, seed);
  std::optional<CoreTotals> core;
  if (setup.has_core && !has_steps) core = require_same_on_core(package, inputs, job, npu, setup.core_percent);
  if (seed % kEvery == 1) {
    const soc::JobResult again = run(npu, package, inputs, {});
    require_same_course(job, again, "a second run");
    if (again.outputs != job.outputs) fail("a second run gives other outputs");
    if (again.variables != job.variables) fail("a second run leaves other variables");
  }
  for (size_t i = 0; i < variables.size(); ++i) package.variables[i].value = job.variables[i];
  return {Verdict::Kind::Equal, "", checker.outcome().elements_compared, job.num_commands, job.cycles, {}, core};
}

soc::Npu& Oracle::npu_for(const config::MachineConfig& config, soc::Control control) {
  const bool is_preset = config == make_config({config.base, config.memory_mode});
  std::unique_ptr<soc::Npu>& npu =
      is_preset
          ? npus_[fmt::format("{} {} {}", config.name, static_cast<int>(config.memory_mode), static_cast<int>(control))]
          : odd_npu_;
  if (npu == nullptr || !is_preset) {
    npu.reset();
    npu = std::make_unique<soc::Npu>(config, control);
  }
  return *npu;
}

}  // namespace vernier::tests::fuzz
