// SPDX-License-Identifier: Apache-2.0
// Control flow taken apart into streams, and these in a package.
#include "compiler/emit/flow_plan.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/base/error.hpp"
#include "hw/package/stream_check.hpp"
#include "tests/support/control_flow_graphs.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier {

using Catch::Contains;
using package::StepKind;
using tests::kBranchText;
using tests::kLoopText;
using tests::parsed;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string steps_of(const emit::FlowPlan& plan) {
  std::string text;
  for (const emit::FlowStep& step : plan.steps) {
    constexpr std::string_view kNames[] = {"run", "if", "else", "loop", "while", "end"};
    text += fmt::format("{}{}", text.empty() ? "" : " ", kNames[static_cast<size_t>(step.kind)]);
    if (step.kind == StepKind::Run) text += std::to_string(step.part);
  }
  return text;
}

config::MachineConfig external(const std::string& preset) {
  config::MachineConfig config = config::preset_config(preset, "test");
  config.memory_mode = spec::MemoryMode::External;
  return config;
}

package::Package compiled(const ir::Graph& graph) { return emit::compile(graph, {"net.tosa", {}}, external("v64"), {1}); }

}  // namespace

TEST_CASE("a branch is a stream for each side, after one that makes the condition") {
  const emit::FlowPlan plan = emit::plan_flow(parsed(kBranchText), "net.tosa");
  // The condition is an input, and a package begins with a stream: it is copied.
  CHECK(steps_of(plan) == "run0 if run1 else run2 end");
  CHECK_FALSE(plan.is_plain());
  REQUIRE(plan.parts.size() == 3);
  CHECK(plan.parts[0].graph.operators.front().kind == ir::OpKind::Identity);
  CHECK(plan.steps[1].condition == plan.parts[0].outputs[0]);
  CHECK(plan.parts[1].graph.operators.front().kind == ir::OpKind::Add);
  // Both sides write the result where the network has it.
  CHECK(plan.parts[1].outputs == plan.outputs);
  CHECK(plan.parts[2].outputs == plan.outputs);
  CHECK(plan.values[static_cast<size_t>(plan.outputs[0])].name == "y");
}

TEST_CASE("a branch whose condition is constant is no branch") {
  for (const bool is_true : {true, false}) {
    std::string text = replaced(kBranchText, "tensor go bool[1]", fmt::format("tensor go bool[1] = 0x0{}", is_true ? 1 : 0));
    const ir::Graph graph = parsed(replaced(text, "input go\n", ""));
    const emit::FlowPlan plan = emit::plan_flow(graph, "net.tosa");
    REQUIRE(plan.is_plain());
    CHECK_FALSE(emit::needs_steps(graph, "net.tosa"));
    REQUIRE(plan.parts[0].graph.operators.size() == 1);
    CHECK(plan.parts[0].graph.operators[0].kind == (is_true ? ir::OpKind::Add : ir::OpKind::Sub));
    // It runs in every memory mode.
    const package::Package package = emit::compile(graph, {"net.tosa", {}}, config::preset_config("v64", "test"), {1});
    CHECK(package.flow.steps.empty());
    CHECK(package.tensors[package.outputs[0]].name == "y");
    CHECK(package.tensors[package.inputs[0]].name == "x");
  }
}

TEST_CASE("a loop copies what its body gives to where the next one reads it, aside first where it has to") {
  const ir::Graph graph = parsed(kLoopText);
  const emit::FlowPlan plan = emit::plan_flow(graph, "net.tosa");
  // First values; condition; body; what was q goes aside before p takes it; all three.
  CHECK(steps_of(plan) == "run0 loop run1 while run2 run3 run4 end");
  CHECK(plan.parts[3].inputs.size() == 1);
  CHECK(plan.parts[4].outputs == plan.parts[0].outputs);
  std::set<emit::ValueId> read(plan.parts[4].inputs.begin(), plan.parts[4].inputs.end());
  for (const emit::ValueId written : plan.parts[4].outputs) CHECK_FALSE(read.contains(written));
  std::set<std::string> names;
  for (const emit::CarriedValue& value : plan.values) CHECK(names.insert(value.name).second);
}

TEST_CASE("what a region cannot be is refused when the network is compiled") {
  const std::string self = replaced(replaced(kBranchText, "SUB(ten, a) -> (difference)",
                                             "COND_IF(yes, a) -> (difference) {then_graph = less, else_graph = less}"),
                                    "tensor ten int32[1] = 0x0a000000", "tensor yes bool[1] = 0x01");
  CHECK_THROWS_WITH(emit::plan_flow(parsed(self), "net.tosa"), Catch::EndsWith("[MaxNestingExceeded]"));
  CHECK_THROWS_WITH(
      emit::plan_flow(parsed(replaced(kBranchText, "tensor three int32[1] = 0x03000000", "tensor three int8[1] = 0x03")),
                      "net.tosa"),
      Contains("ADD 'sum': the types are"));
  const emit::ModelSource source{"net.tosa", {}};
  CHECK_THROWS_WITH(emit::compile(parsed(kLoopText), source, config::preset_config("v64", "test"), {1}),
                    Contains("needs memory mode 'external', found 'sram'"));
  CHECK_NOTHROW(emit::plan_flow(tests::nested_branches(6), "net.tosa"));
  CHECK_THROWS_WITH(emit::plan_flow(tests::nested_branches(7), "net.tosa"), Catch::EndsWith("[MaxNestingExceeded]"));
}

TEST_CASE("the streams of a package lie before what they write, and it reads back") {
  for (const std::string& text : {kBranchText, kLoopText}) {
    const ir::Graph graph = parsed(text);
    const package::Package package = compiled(graph);
    CHECK(package::from_bytes("net.vnpu", package::to_bytes(package)) == package);
    CHECK_NOTHROW(package::check_streams("net.vnpu", package));
    const auto table_end = static_cast<int64_t>(package.flow.table.offset) + package::flow_table_bytes(package.flow);
    CHECK((package.flow.most_commands > 0) == (text == kLoopText));
    REQUIRE(package.outputs.size() == graph.outputs.size());
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const package::TensorEntry& entry = package.tensors[package.outputs[i]];
      CHECK(entry.name == graph.tensor(graph.outputs[i]).name);
      CHECK(static_cast<int64_t>(entry.placement.base.offset) >= table_end);
      CHECK(static_cast<int64_t>(entry.placement.base.offset) < package.external_bytes);
    }
    CHECK(compiled(graph) == package);
  }
}

TEST_CASE("the printed stages have each stream, and each operator its layer") {
  const ir::Graph graph = parsed(kLoopText);
  const emit::ModelSource source{"net.tosa", {}};
  const std::string schedule = emit::print_stage("schedule", graph, source, external("v64"), {1});
  for (int stream = 0; stream < 5; ++stream) CHECK_THAT(schedule, Contains(fmt::format("# stream {}\n", stream)));
  const emit::Explained explained = emit::explain(graph, source, external("v64"), {1});
  CHECK(explained.package == compiled(graph));
  REQUIRE(explained.layer_of_op.size() == 1);
  std::set<std::string> names;
  for (const package::LayerEntry& layer : explained.package.layers) CHECK(names.insert(layer.name).second);
  CHECK(names.contains("left/body/sum"));
  std::vector<package::LayerEntry> listed = emit::layer_entries(graph, "net.tosa", external("v64"), {1});
  CHECK(listed.size() == explained.package.layers.size());
}

}  // namespace vernier
