// SPDX-License-Identifier: Apache-2.0
// All that sim/flow tells of the made networks (tests/golden/networks), on several machines, as rows of
// recorded_networks.txt (tests/support/recorded.hpp): reports, stories, dumps, and which faults an injection tries.
#include "hw/base/error.hpp"
#include "hw/package/stream_commands.hpp"
#include "sim/check/checker.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/flow/look/dump_text.hpp"
#include "sim/flow/look/memory_dump.hpp"
#include "sim/flow/look/tell_layer.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/model/source_graph.hpp"
#include "sim/flow/run/build_report.hpp"
#include "sim/flow/run/injection.hpp"
#include "sim/flow/run/to_checker.hpp"
#include "tests/support/recorded.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace vernier::flow {
namespace {

tests::Recorded& rows() {
  static tests::Recorded rows("tests/unit/sim_flow/recorded_networks.txt");
  return rows;
}

void record(const std::string& what, const std::string& text) {
  rows().check(fmt::format("{}, {} bytes", what, text.size()), text);
}

std::string text_of(const InjectionPlan& plan) {
  std::string text = plan.reason + "\n";
  for (const units::Injection& one : plan.candidates) {
    text += fmt::format("{} {} {} {} {}: {}\n", kind_of(one.site), one.cycle, one.command_idx, one.index.value_or(-1),
                        one.bit.value_or(-1), to_string(one, {one.index.value_or(7), one.bit.value_or(5), one.command_idx}));
  }
  return text;
}

/// In several cycles, with and without an index and a bit.
std::string injections_text(const package::Package& package, const soc::JobResult& job) {
  std::string text;
  for (const char* kind : {"accumulator:bitflip", "weight:bitflip", "sram:bitflip", "command:bitflip", "token:drop"}) {
    for (int64_t i = 0; i <= 8; ++i) {
      for (const char* more : {"", ":0", ":40", ":40:3", ":99999999", ":3:47", ":3:7"}) {
        try {
          text +=
              text_of(plan_injection(parse_injection(fmt::format("{}@{}{}", kind, job.cycles * i / 8, more)), package, job));
        } catch (const base::UserError& error) {
          text += fmt::format("{}\n", error.what());
        }
      }
    }
  }
  return text;
}

std::string dumps_text(const package::Package& package, const std::vector<base::Tensor>& inputs, int64_t cycles) {
  std::string text;
  std::vector<int32_t> dumped;
  for (size_t i = 0; i < package.tensors.size(); ++i) {
    const auto idx = static_cast<int32_t>(i);
    if (is_dumped(package, idx)) dumped.push_back(idx);
    if (!has_sums(package, idx)) continue;
    const AccumulatorDump sums = dump_tensor_sums(package, inputs, idx);
    text += to_text(*sums.sums) + sums.sums->note;
  }
  for (const DumpedTensor& tensor : dump_tensors(package, inputs, dumped).tensors) text += to_text(tensor) + to_hex(tensor);
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  size_t num_sums = 0;
  for (size_t i = 0; i < commands.size() && num_sums < 4; ++i) {
    if (!std::holds_alternative<spec::MacCommand>(commands[i].command.body)) continue;
    ++num_sums;
    const AccumulatorDump sums = dump_command_sums(package, inputs, static_cast<int32_t>(i));
    if (sums.sums) text += to_text(*sums.sums) + sums.sums->note + to_hex(*sums.sums);
  }
  for (const int64_t cycle : {int64_t{0}, cycles / 2, cycles - 1, cycles, cycles + 1}) {
    const SramDump sram = dump_sram(package, inputs, 3, 200, cycle);
    text += fmt::format("{} bytes\n", sram.bytes.size());
    if (!sram.bytes.empty()) text += to_text(sram, cycle) + to_hex(sram, cycle);
  }
  return text;
}

std::string report_text(const Model& model, const package::Package& package, const soc::JobResult& job,
                        const std::vector<base::Tensor>& inputs) {
  report::Report report = base_report(package, model.file, "sim");
  add_simulation(report, package, job);
  check::Checker checker;
  for (const int32_t idx : package.outputs) {
    const package::TensorEntry& entry = package.tensors[idx];
    checker.add_expected(entry.name, base::Tensor(entry.type, entry.shape));
  }
  add_check(report, package, checker.outcome(), inputs.size() == 1);
  report.source_graph = source_graph(model);
  std::string text = to_json(report);
  for (const auto& node : report.source_graph.nodes) text += fmt::format("{} {} {}\n", node.key, node.layer, node.kind);
  return text;
}

std::string stories_text(const Model& model, const MachineOptions& options, const soc::JobResult& job) {
  const ExplainedModel explained = explain_model(model, options);
  std::string text = explained.choices_note;
  for (size_t i = 0; i < explained.explained.package.layers.size(); ++i)
    text += to_json(tell_layer(model, explained, job, static_cast<int64_t>(i)));
  return text;
}

/// The paths of messages and reports are those of the source tree.
Model load(const std::string& network, const MachineOptions& options) {
  Model model = load_network(tests::source_path("tests/golden/networks/" + network + "/model.tosa").string(), options);
  model.file = network;
  return model;
}

TEST_CASE("what is told of the made networks is as it was") {
  size_t number = 0;
  for (const char* network : {"add_ranks",
                              "avg_pool_3x3_pad",
                              "branch_accumulator",
                              "branch_two_consumers",
                              "clamp_int16",
                              "conv3d_padded",
                              "conv_1x1_stride2_slice",
                              "conv_clamp_table",
                              "conv_oc17",
                              "conv_stride2",
                              "depthwise_computed_weights",
                              "depthwise_separable",
                              "fc_200_17",
                              "fc_batch_3",
                              "gather_int8",
                              "mul_types",
                              "reduce_rows",
                              "rescale_to_unsigned",
                              "residual_add_itself",
                              "residual_shortcut",
                              "scatter_int16",
                              "slice_channels",
                              "small_classifier",
                              "softmax_rank_3",
                              "table_int8"}) {
    MachineOptions options;
    options.config = std::array{"v256", "v64", "v1024"}.at(number % 3);
    options.memory = std::array{"external", "sram", "weights-external"}.at((number / 3 + number) % 3);
    options.optimize = number % 4 == 3 ? 0 : 1;
    if (*options.memory == "external" && number % 2 == 0) options.sram_bytes = 16384;
    ++number;
    CAPTURE(network, *options.config, *options.memory);
    const Model model = load(network, options);
    const package::Package package = package_of(model, options);
    const std::vector<base::Tensor> inputs = make_inputs(ends_of(package).inputs, {}, number);
    const soc::JobResult job = soc::Npu(package.config).run(package, inputs, {});
    REQUIRE(job.is_done());
    record("report", report_text(model, package, job, inputs));
    record("stories", stories_text(model, options, job));
    record("dumps", dumps_text(package, inputs, job.cycles));
    record("injections", injections_text(package, job));
  }
}

}  // namespace
}  // namespace vernier::flow
