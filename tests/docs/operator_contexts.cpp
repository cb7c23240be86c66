// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/operator_contexts.hpp"

#include "compiler/passes/program.hpp"
#include "tests/support/graph_builder.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace vernier::tests {
namespace {

using TensorId = ir::TensorId;

passes::Program lowered(const ir::Graph& graph) {
  ir::verify(graph, "graph", ir::kLevel8k);
  return passes::lower(graph, config::preset_config("v256", "tosa_support"), {}, "graph");
}

std::string_view unit_of(const spec::Command& command) {
  if (std::holds_alternative<spec::MacCommand>(command.body)) return "array";
  if (std::holds_alternative<spec::VectorCommand>(command.body)) return "vector";
  VERNIER_CHECK(std::holds_alternative<spec::DmaCommand>(command.body), "a step is a command of a unit");
  return "DMA";
}

/// The units of the steps that work for one operator of the graph.
std::string units_of(const ir::Graph& graph, ir::OpId op) {
  std::set<std::string_view> units;
  for (const passes::Step& step : lowered(graph).steps) {
    if (std::find(step.ops.begin(), step.ops.end(), op) != step.ops.end()) units.insert(unit_of(step.command));
  }
  return units.empty() ? "none" : fmt::format("{}", fmt::join(units, ", "));
}

/// Each element inverted: any type that such an operator takes; nothing otherwise.
std::optional<TensorId> inverted(GraphBuilder& b, TensorId x) {
  const ElementType type = b.type_of(x);
  if (type == ElementType::Bool) return b.unary(ir::OpKind::LogicalNot, x);
  if (type == ElementType::Int8 || type == ElementType::Int16 || type == ElementType::Int32)
    return b.unary(ir::OpKind::BitwiseNot, x);
  return std::nullopt;
}

TensorId rescaled(GraphBuilder& b, TensorId x, ElementType type) {
  const bool is_wide = b.type_of(x) == ElementType::Int48;
  GraphBuilder::Scale scale;
  if (is_wide) scale = {.multipliers = {1 << 14}, .shifts = {20}, .attributes = {.scale32 = false}};
  return b.rescale(x, type, scale);
}

/// A convolution whose result, rescaled if need be, has that type and shape.
std::optional<TensorId> convolved(GraphBuilder& b, ElementType type, const Shape& shape) {
  if (shape.size() != 4 || type == ElementType::Bool || type == ElementType::Int4) return std::nullopt;
  const bool is_wide = type == ElementType::Int48;
  const ElementType in = is_wide ? ElementType::Int16 : ElementType::Int8;
  const TensorId x = b.input("map", in, shape);
  const TensorId weight = b.constant(random_tensor(ElementType::Int8, {shape[3], 1, 1, shape[3]}, 1));
  const TensorId bias = b.constant(base::Tensor(is_wide ? ElementType::Int48 : ElementType::Int32, {shape[3]}));
  const TensorId sum = b.conv2d(x, weight, bias, {});
  return type == b.type_of(sum) ? sum : rescaled(b, sum, type);
}

/// The first operand of the operator, in place of the graph input that it has in its own graph.
using MakeFirst = std::function<std::optional<TensorId>(GraphBuilder&, ElementType, const Shape&)>;

/// The units of the operator with that first operand, and its result inverted.
std::string units_after(const OneOperator& one, const MakeFirst& make_first) {
  const ir::Operator& op = one.graph.operators[0];
  GraphBuilder b;
  std::vector<TensorId> operands;
  for (const TensorId id : op.inputs) {
    const ir::TensorInfo& operand = one.graph.tensor(id);
    if (operands.empty()) {
      const std::optional<TensorId> first = make_first(b, operand.type, operand.shape);
      if (!first) return "-";
      operands.push_back(*first);
    } else if (operand.constant) {
      operands.push_back(b.constant(*operand.constant));
    } else {
      operands.push_back(b.input(operand.name, operand.type, operand.shape));
    }
  }
  const ir::TensorInfo& result = one.graph.tensor(op.outputs[0]);
  const auto number = static_cast<ir::OpId>(b.graph().operators.size());
  const TensorId y = b.op(op.kind, operands, result.type, result.shape, op.attributes);
  std::optional<TensorId> last = inverted(b, y);
  if (!last && result.type == ElementType::Int48) last = rescaled(b, y, ElementType::Int32);
  return units_of(b.build({last.value_or(y)}), number);
}

}  // namespace

bool is_lowered(const ir::Graph& graph) {
  try {
    return !lowered(graph).steps.empty();
  } catch (const base::UserError&) {
    return false;
  }
}

OperatorUnits units_of(const OneOperator& one) {
  if (!is_lowered(one.graph)) return {false, "-", "-", "-"};
  const MakeFirst inverted_input = [](GraphBuilder& b, ElementType type, const Shape& shape) {
    return inverted(b, b.input("x", type, shape));
  };
  return {true, units_of(one.graph, 0), units_after(one, inverted_input), units_after(one, convolved)};
}

}  // namespace vernier::tests
