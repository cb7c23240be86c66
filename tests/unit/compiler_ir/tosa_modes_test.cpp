// SPDX-License-Identifier: Apache-2.0
// Every mode that the specification lists is verified and computed, and what lies next to it is refused. The numbers are
// those of the specification's appendix "Profiles and Extensions", so that no row of tosa_modes.txt can be forgotten.
#include "tests/support/tosa_modes.hpp"

#include "compiler/ir/op_table.hpp"
#include "compiler/reference/interpreter.hpp"
#include "tests/support/one_operator.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <set>

namespace vernier {

using base::ElementType;
using ir::OpKind;
using tests::complaint;
using tests::mode_types;
using tests::ModeTypes;
using tests::TosaRow;

namespace {

constexpr ElementType kTypes[] = {ElementType::Bool,  ElementType::Int4,  ElementType::Int8,
                                  ElementType::Int16, ElementType::Int32, ElementType::Int48};

/// A mode's types with each multiplier that it may have.
std::vector<std::string> spellings(const TosaRow& mode) {
  if (mode.what.find("multiplier") == std::string::npos) return {mode.what};
  std::vector<std::string> spelled{with_multiplier(mode, "int16")};
  if (!mode.what.starts_with("int48")) spelled.push_back(with_multiplier(mode, "int32"));
  return spelled;
}

std::set<std::string> spellings_of(OpKind kind) {
  std::set<std::string> all;
  for (const TosaRow& mode : tests::tosa_modes_of(kind)) {
    for (const std::string& types : spellings(mode)) all.insert(types);
  }
  return all;
}

std::string text_of(const ModeTypes& types, bool is_list) {
  std::string text;
  for (const ElementType type : types.operands) text += std::string(base::to_string(type)) + (is_list ? "... " : " ");
  return text + "-> " + std::string(base::to_string(types.result));
}

/// The types with one or two of them others: every such combination.
std::vector<ModeTypes> neighbours(const ModeTypes& types) {
  const size_t count = types.operands.size() + 1;
  const auto place = [](ModeTypes& of, size_t i) -> ElementType& {
    return i < of.operands.size() ? of.operands[i] : of.result;
  };
  std::vector<ModeTypes> all;
  for (size_t first = 0; first < count; ++first) {
    for (size_t second = first; second < count; ++second) {
      for (const ElementType a : kTypes) {
        for (const ElementType b : kTypes) {
          ModeTypes other = types;
          place(other, first) = a;
          place(other, second) = b;
          all.push_back(std::move(other));
        }
      }
    }
  }
  return all;
}

/// Of COND_IF and WHILE_LOOP the regions say the types: control_flow_test.cpp has them.
/// Whether the verifier's table has the operator's modes.
bool is_graph_operator(OpKind kind) { return ir::find_op_info(kind) != nullptr && !ir::find_op_info(kind)->modes.empty(); }

/// The value of a constant that is the graph's output.
base::Tensor constant_output(ElementType type) {
  ir::Graph graph;
  const auto value = std::make_shared<const base::Tensor>(type, base::Shape{2, 3});
  graph.tensors.push_back({"c", type, {2, 3}, value});
  graph.outputs = {0};
  CHECK(complaint(graph) == "");
  return reference::run(graph, {}).outputs.at(0);
}

void check_result(const ir::Graph& graph, const reference::Result& result) {
  const ir::TensorInfo& declared = graph.tensor(graph.outputs.at(0));
  REQUIRE(result.outputs.size() == 1);
  CHECK(result.unpredictable.empty());
  CHECK(result.outputs[0].type() == declared.type);
  CHECK(result.outputs[0].shape() == declared.shape);
}

}  // namespace

TEST_CASE("the list of modes has the specification's numbers of them") {
  struct Numbers {
    std::string set;
    size_t num_rows, num_operators;
  };
  size_t sum = 0;
  for (const Numbers& numbers : std::vector<Numbers>{{"PRO-INT", 130, 55},
                                                     {"EXT-INT16", 18, 15},
                                                     {"EXT-INT4", 6, 6},
                                                     {"EXT-CONTROLFLOW", 2, 2},
                                                     {"EXT-VARIABLE", 3, 3},  // of 9; the others are of floating point
                                                     {"EXT-DOUBLEROUND", 1, 1},
                                                     {"EXT-INEXACTROUND", 1, 1},
                                                     {"EXT-DYNAMIC", 29, 15}}) {
    const std::vector<TosaRow> rows = tests::tosa_rows(numbers.set);
    std::set<OpKind> operators;
    std::set<std::pair<OpKind, std::string>> different;
    for (const TosaRow& row : rows) {
      operators.insert(row.kind);
      different.emplace(row.kind, row.what);
    }
    INFO(numbers.set);
    CHECK(rows.size() == numbers.num_rows);
    CHECK(different.size() == numbers.num_rows);
    CHECK(operators.size() == numbers.num_operators);
    sum += rows.size();
  }
  CHECK(tests::tosa_rows().size() == sum);
}

TEST_CASE("the verifier's table is the specification's") {
  for (int number = 1; number <= ir::kNumOpKinds; ++number) {
    const auto kind = static_cast<OpKind>(number);
    const ir::OpInfo* info = ir::find_op_info(kind);
    INFO(ir::to_string(kind));
    if (!is_graph_operator(kind)) continue;
    std::set<std::string> listed, known;
    for (const TosaRow& mode : tests::tosa_modes_of(kind)) listed.insert(with_multiplier(mode, "*"));
    for (const std::string_view mode : info->modes) {
      const auto words = ir::split_words(mode);
      known.insert(ir::takes_list(*info) ? std::string(words[0]) + "... -> " + std::string(words[2]) : std::string(mode));
    }
    CHECK(known == listed);
  }
}

TEST_CASE("every mode is accepted, and computed by the reference") {
  size_t num_computed = 0, num_refused = 0;
  for (const TosaRow& mode : tests::tosa_rows()) {
    if (!tests::is_mode(mode)) continue;
    INFO(mode.set << " " << ir::to_string(mode.kind) << " " << mode.what);
    if (is_graph_operator(mode.kind)) {
      for (const std::string& types : spellings(mode)) {
        const tests::OneOperator one = one_operator(mode.kind, mode_types(types));
        CHECK(complaint(one.graph) == "");
        check_result(one.graph, reference::run(one.graph, one.inputs));
      }
      ++num_computed;
    } else if (mode.kind == OpKind::Const) {
      CHECK(constant_output(mode_types(mode.what).result).size() == 6);
      ++num_computed;
    } else if (mode.kind == OpKind::ConstShape) {  // a shape is no output: the operator that reads it is computed
      CHECK(one_operator(OpKind::Reshape, mode_types("int8 shape -> int8")).graph.tensor(1).constant != nullptr);
      ++num_computed;
    } else if (!ir::is_control_flow(mode.kind) && !ir::uses_variable(mode.kind)) {
      ir::Graph graph = tests::one_operator(OpKind::Identity, mode_types("int8 -> int8")).graph;
      graph.operators[0].kind = mode.kind;
      CHECK_THAT(complaint(graph), Catch::Contains(std::string(ir::to_string(mode.kind))));
      ++num_refused;
    }
  }
  // CUSTOM is not taken, VARIABLE is no operator of a graph; control flow, VARIABLE_READ and VARIABLE_WRITE have tests of
  // their own.
  CHECK(num_computed == 130 + 18 + 6 - 1);
  CHECK(num_refused == 1 + 1);
}

TEST_CASE("what is next to a mode and in no mode is refused for its types") {
  // ScaleTrue: an int48 operand of RESCALE with a multiplier of 32 bits.
  const std::regex rule(" \\[(Wrong(Input|Output|Bias)Type|ScaleTrue)\\]$");
  int64_t num_refused = 0;
  for (int number = 1; number <= ir::kNumOpKinds; ++number) {
    const auto kind = static_cast<OpKind>(number);
    if (!is_graph_operator(kind)) continue;
    const std::set<std::string> listed = spellings_of(kind);
    const bool is_list = ir::takes_list(*ir::find_op_info(kind));
    for (const std::string& mode : listed) {
      const tests::OneOperator one = one_operator(kind, mode_types(mode));
      for (const ModeTypes& other : neighbours(mode_types(mode))) {
        const std::string text = text_of(other, is_list);
        if (listed.contains(text)) continue;
        const std::string found = complaint(tests::with_types(one.graph, other));
        if (!std::regex_search(found, rule)) FAIL_CHECK(ir::to_string(kind) << " " << text << ": " << found);
        ++num_refused;
      }
    }
  }
  CHECK(num_refused > 10'000);
}

TEST_CASE("EXT-DYNAMIC: operands but shapes may be computed") {
  int64_t num_taken = 0, num_shapes = 0;
  std::set<std::pair<OpKind, size_t>> listed;
  for (const TosaRow& row : tests::tosa_rows("EXT-DYNAMIC")) {
    const auto operand = static_cast<size_t>(row.what.front() - '0');
    const ModeTypes types = mode_types(spellings(tests::tosa_modes_of(row.kind).front()).front());
    const ir::Graph graph = tests::with_computed(one_operator(row.kind, types).graph, operand);
    INFO(ir::to_string(row.kind) << " " << row.what);
    listed.emplace(row.kind, operand);
    if (types.operands.at(operand) == ElementType::Shape) {
      CHECK_THAT(complaint(graph), Catch::Contains("is a shape, allowed are tensors"));
      ++num_shapes;
      continue;
    }
    CHECK(complaint(graph) == "");
    const auto is_known = [&](ir::TensorId id) { return graph.is_constant(id); };
    CHECK(ir::find_computed_parameter(graph.operators[0], is_known) == operand);
    ++num_taken;
  }
  CHECK(num_taken == 21);
  CHECK(num_shapes == 8);
  // No other operand may be a parameter that is computed: either it has to be known always, or never.
  for (int number = 1; number <= ir::kNumOpKinds; ++number) {
    const ir::OpInfo* info = ir::find_op_info(static_cast<OpKind>(number));
    if (info == nullptr || info->modes.empty()) continue;
    const auto names = ir::split_words(info->operands);
    for (size_t i = 0; i < names.size(); ++i) {
      const bool is_parameter = names[i].back() == '?' || names[i].back() == '!';
      INFO(ir::to_string(info->kind) << " operand " << i);
      CHECK(is_parameter == listed.contains({info->kind, i}));
    }
  }
}

TEST_CASE("rounding modes that extensions add") {
  for (const auto& [set, rounding] :
       {std::pair{"EXT-DOUBLEROUND", spec::Rounding::Double}, {"EXT-INEXACTROUND", spec::Rounding::Inexact}}) {
    REQUIRE(tests::tosa_rows(set).size() == 1);
    tests::OneOperator one = one_operator(OpKind::Rescale, mode_types("int32 int32 int8 int32 int8 -> int8"));
    std::get<ir::RescaleAttributes>(one.graph.operators[0].attributes).rounding = rounding;
    CHECK(complaint(one.graph) == "");
    check_result(one.graph, reference::run(one.graph, one.inputs));
  }
}

}  // namespace vernier
