// SPDX-License-Identifier: Apache-2.0
// Graphs to .tosa files to graphs: nothing changes.
#include "compiler/export/export.hpp"
#include "compiler/export/mlir/to_mlir.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/error.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/graph_difference.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier {

namespace {

namespace fs = std::filesystem;
using base::ElementType;
using ir::OpKind;
using tests::GraphBuilder;

ir::Graph written_and_read(const ir::Graph& graph, const ir::Level& level = ir::kLevel8k) {
  return import::import_graph("written", exporter::to_tosa(graph, "written"), level);
}

/// Nothing is different, and writing once more gives the same bytes.
void check_round_trip(const ir::Graph& graph, const ir::Level& level = ir::kLevel8k) {
  const ir::Graph again = written_and_read(graph, level);
  CHECK(tests::graph_difference(graph, again) == "");
  CHECK(exporter::to_tosa(again, "again") == exporter::to_tosa(written_and_read(again, level), "again"));
}

/// The same, numbers of tensors included.
void check_exact_round_trip(const ir::Graph& graph) {
  const ir::Graph again = written_and_read(graph);
  CHECK(tests::graph_difference(graph, again) == "");
  CHECK(ir::print(graph) == ir::print(again));
}

/// The values at both ends, and around 0.
base::Tensor extremes(ElementType type) {
  const int64_t least = type == ElementType::Int4 ? -7 : base::min_value(type);  // TOSA's int4 has no -8
  return tests::make_tensor(type, {5}, {least, -1, 0, 1, base::max_value(type)});
}

/// Operators, their attributes, the types of their operands and results, and the values of constants: all that MLIR text
/// keeps of a graph but names of inner tensors.
void check_same_operators(const ir::Graph& left, const ir::Graph& right) {
  const auto told = [](const ir::Graph& graph) {
    std::vector<std::string> lines;
    for (const ir::Operator& op : graph.operators) {
      std::string line(ir::to_string(op.kind));
      const auto add = [&](ir::TensorId id) {
        const ir::TensorInfo& tensor = graph.tensor(id);
        line += fmt::format(" {}{}", base::to_string(tensor.type), base::to_string(tensor.shape));
        if (!tensor.constant) return;
        for (int64_t i = 0; i < tensor.constant->size(); ++i) line += fmt::format(" {}", tensor.constant->at(i));
      };
      for (const ir::TensorId id : op.inputs) add(id);
      line += " ->";
      for (const ir::TensorId id : op.outputs) add(id);
      lines.push_back(std::move(line));
    }
    return lines;
  };
  CHECK(told(left) == told(right));
  for (size_t i = 0; i < std::min(left.operators.size(), right.operators.size()); ++i) {
    const auto index = static_cast<ir::OpId>(i);
    if (!ir::is_control_flow(left.operators[index].kind))
      CHECK(left.operators[index].attributes == right.operators[index].attributes);
  }
}

/// As MLIR text and back: the same operators, and the same text once more.
void check_text_round_trip(const ir::Graph& graph) {
  const std::string text = exporter::to_mlir(graph, "written");
  const ir::Graph again = import::import_graph("written", std::as_bytes(std::span(text.data(), text.size())), ir::kLevel8k);
  check_same_operators(graph, again);
  CHECK(exporter::to_mlir(again, "again") == text);
}

}  // namespace

TEST_CASE("graphs of every kind are read again from MLIR text") {
  using tests::fuzz::GraphKind;
  for (const GraphKind kind : {GraphKind::Single, GraphKind::Connected, GraphKind::Control, GraphKind::Variables}) {
    const int64_t count = kind == GraphKind::Single ? 2 * tests::fuzz::num_single_turns() : 60;
    for (int64_t i = 0; i < count; ++i) {
      INFO("kind " << static_cast<int>(kind) << ", seed " << 1000 + i);
      check_text_round_trip(tests::fuzz::random_graph(static_cast<uint64_t>(1000 + i), kind, false).graph);
    }
  }
}

TEST_CASE("graphs of every operator with each of its types are read again as they were") {
  std::set<OpKind> kinds;
  for (int64_t i = 0; i < 2 * tests::fuzz::num_single_turns(); ++i) {
    const ir::Graph graph =
        tests::fuzz::random_graph(static_cast<uint64_t>(1000 + i), tests::fuzz::GraphKind::Single, false).graph;
    INFO("seed " << 1000 + i << "\n" << ir::print_shortened(graph));
    check_round_trip(graph);
    for (const ir::Operator& op : graph.operators) kinds.insert(op.kind);
  }
  for (int kind = 1; kind <= ir::kNumOpKinds; ++kind) {
    const auto op = static_cast<OpKind>(kind);
    // Control flow and variables have cases of their own.
    const bool is_none = op == OpKind::Const || op == OpKind::ConstShape || op == OpKind::Variable;
    if (!ir::is_supported(op) || ir::is_control_flow(op) || ir::uses_variable(op) || is_none) continue;
    INFO(ir::to_string(op));
    CHECK(kinds.contains(op));
  }
}

TEST_CASE("graphs with control flow are read again as they were") {
  size_t num_regions = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    const ir::Graph graph = tests::fuzz::random_graph(seed, tests::fuzz::GraphKind::Control, false).graph;
    check_round_trip(graph);
    num_regions += written_and_read(graph).regions.size();
  }
  CHECK(num_regions > 100);
}

TEST_CASE("graphs with variables are read again with the same reads and writes") {
  const auto uses_of = [](const ir::Graph& graph) {
    std::vector<std::string> uses;
    for (const ir::Operator& op : graph.operators) {
      if (!ir::uses_variable(op.kind)) continue;
      const std::string value =
          op.kind == OpKind::VariableRead ? graph.tensor(op.outputs[0]).name : graph.tensor(op.inputs[0]).name;
      uses.push_back(
          fmt::format("{} {} {}", ir::to_string(op.kind), op.attributes_as<ir::VariableAttributes>().variable, value));
    }
    return uses;
  };
  size_t num_uses = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    const ir::Graph graph = tests::fuzz::random_graph(seed, tests::fuzz::GraphKind::Variables, false).graph;
    const ir::Graph again = written_and_read(graph);
    CHECK(uses_of(again) == uses_of(graph));
    for (size_t i = 0; i < graph.regions.size(); ++i)
      CHECK(uses_of(*ir::find_region(again, graph.regions[i].name)) == uses_of(graph.regions[i].graph));
    REQUIRE(again.variables.size() == graph.variables.size());
    for (size_t i = 0; i < graph.variables.size(); ++i) {
      CHECK(again.variables[i].name == graph.variables[i].name);
      REQUIRE((again.variables[i].initial == nullptr) == (graph.variables[i].initial == nullptr));
      if (graph.variables[i].initial) CHECK(*again.variables[i].initial == *graph.variables[i].initial);
    }
    CHECK(exporter::to_tosa(again, "again") == exporter::to_tosa(written_and_read(again), "again"));
    num_uses += uses_of(graph).size();
  }
  CHECK(num_uses > 200);
}

TEST_CASE("graphs of connected operators are read again as they were") {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    check_round_trip(tests::fuzz::random_graph(seed, tests::fuzz::GraphKind::Connected, false).graph);
  }
}

TEST_CASE("constants of every type keep every value") {
  for (const ElementType type : {ElementType::Bool, ElementType::Int4, ElementType::Int8, ElementType::Int16,
                                 ElementType::Int32, ElementType::Int48}) {
    INFO(base::to_string(type));
    GraphBuilder b;
    const auto scalar = b.constant(tests::make_tensor(type, {}, {1}));
    const auto odd = b.constant(extremes(type));
    const auto even = b.constant(extremes(type).reshaped({1, 5, 1}));
    const auto many = b.constant(tests::random_tensor(
        type, {3, 7, 11}, 5, type == ElementType::Int4 ? -7 : base::min_value(type), base::max_value(type)));
    check_exact_round_trip(b.build({scalar, odd, b.unary(OpKind::Identity, even), many, odd}));
  }
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 1});
  const auto scalar = b.reshape(x, {});
  check_exact_round_trip(b.build({b.reshape(scalar, {1, 1, 1, 1, 1, 1})}));
}

TEST_CASE("attributes keep every value") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 6, 5, 4});
  const auto wide = b.input("wide", ElementType::Int16, {2, 3, 4});
  std::vector<ir::TensorId> outputs{b.clamp(x, -128, 127), b.clamp(x, -3, -2), b.clamp(wide, -32768, 32767)};
  for (const bool scale32 : {false, true}) {
    for (const auto rounding : {spec::Rounding::Single, spec::Rounding::Double, spec::Rounding::Inexact}) {
      if (rounding == spec::Rounding::Double && !scale32) continue;
      for (const int flags : {0, 1, 2}) {
        outputs.push_back(b.rescale(x, ElementType::Int8,
                                    {.multipliers = {20000, 20001, 1, 0},
                                     .shifts = {14, 15, 2, 62},
                                     .input_zp = -128,
                                     .output_zp = 127,
                                     .attributes = {scale32, rounding, true, (flags & 1) != 0, (flags & 2) != 0}}));
      }
    }
  }
  for (const bool round : {false, true})
    outputs.push_back(b.binary(OpKind::ArithmeticRightShift, wide, wide, ir::ShiftAttributes{round}));
  for (const int64_t axis : {0, 1, 2}) {
    outputs.push_back(b.op(OpKind::Reverse, {wide}, ElementType::Int16, {2, 3, 4}, ir::AxisAttributes{axis}));
    outputs.push_back(b.reduce(OpKind::ReduceMax, wide, axis));
  }
  outputs.push_back(b.op(OpKind::Transpose, {wide}, ElementType::Int16, {4, 2, 3}, ir::TransposeAttributes{{2, 0, 1}}));
  outputs.push_back(b.avg_pool2d(x, {3, 2}, {.pad = {1, 2, 0, 1}, .stride = {3, 2}, .input_zp = 5, .other_zp = -6}));
  check_exact_round_trip(b.build(outputs));
}

TEST_CASE("a rounding that TOSA does not have is not written") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1});
  const ir::Graph graph =
      b.build({b.rescale(x, ElementType::Int8, {.attributes = {true, spec::Rounding::HalfEven, false, false, false}})});
  CHECK_THROWS_AS(exporter::to_tosa(graph, "f"), base::InternalError);
}

TEST_CASE("names and locations may hold any character") {
  std::string all;
  for (int character = 0; character < 256; ++character) all += static_cast<char>(character);
  GraphBuilder b;
  const auto x = b.input(all, ElementType::Int32, {1});
  auto y = x;
  for (const std::string& location : {std::string("conv1/Relu;conv1/BiasAdd"), all, std::string("\\22\\"),
                                      std::string("\"("), std::string("\")"), std::string("a\"(\"b")}) {
    b.set_location(location);
    y = b.unary(OpKind::Abs, y);
  }
  b.set_location("");
  check_exact_round_trip(b.build({b.unary(OpKind::Clz, y), x}));
}

TEST_CASE("numbers of tensors do not matter, tensors that nothing makes are left out") {
  GraphBuilder b;
  const auto early = b.constant(ElementType::Int32, {1}, {1}, "early");
  const auto x = b.input("x", ElementType::Int32, {1});
  const auto y = b.binary(OpKind::Add, x, early);
  const auto late = b.constant(ElementType::Int32, {1}, {2}, "late");
  ir::Graph graph = b.build({b.binary(OpKind::Sub, y, late)});
  std::swap(graph.tensors[y], graph.tensors[late]);
  for (ir::Operator& op : graph.operators) {
    for (auto* ids : {&op.inputs, &op.outputs}) {
      for (ir::TensorId& id : *ids) id = id == y ? late : id == late ? y : id;
    }
  }
  graph.tensors.push_back(
      {"read by nobody", ElementType::Int8, {2}, std::make_shared<base::Tensor>(ElementType::Int8, base::Shape{2})});
  check_round_trip(graph);
  ir::Graph more = graph;
  more.tensors.push_back({"made by nobody", ElementType::Int8, {2}, nullptr});
  CHECK(tests::graph_difference(graph, written_and_read(more)) == "");
}

TEST_CASE("the small networks of this project are read again as they were") {
  for (const auto& entry : fs::directory_iterator(tests::source_path("tests/golden/networks"))) {
    if (!entry.is_directory()) continue;
    INFO(entry.path().filename().string());
    check_exact_round_trip(import::import_file(entry.path() / "model.tosa", ir::kLevel8k));
  }
}

TEST_CASE("the real networks are read again as they were") {
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  int count = 0;
  for (const auto& entry : fs::directory_iterator(nets)) {
    if (!fs::exists(entry.path() / "model.tosa")) continue;
    INFO(entry.path().filename().string());
    const ir::Graph graph = import::import_file(entry.path() / "model.tosa", ir::kLevel8k);
    const ir::Graph again = written_and_read(graph);
    CHECK(tests::graph_difference(graph, again) == "");
    CHECK((ir::print(graph) == ir::print(again)));
    ++count;
  }
  CHECK(count == 12);
}

TEST_CASE("the networks of the official conformance sample are read again as they were") {
  const auto sample = tests::shared_path("conformance/operators");
  if (sample.empty()) {
    WARN("skipped: ../shared/conformance is not there");
    return;
  }
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sample)) {
    if (entry.path().filename() != "test.tosa") continue;
    ir::Graph graph;
    try {
      graph = import::import_file(entry.path(), ir::kLevel8k);
    } catch (const base::UserError&) {
      continue;  // an ERROR_IF test, or what is not there yet
    }
    INFO(entry.path().string());
    check_exact_round_trip(graph);
    ++count;
  }
  CHECK(count >= 550);
}

}  // namespace vernier
