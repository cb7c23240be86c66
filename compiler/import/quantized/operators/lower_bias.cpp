// SPDX-License-Identifier: Apache-2.0
// Sums of products and a constant: the constant goes into the bias of the operator that makes the sums.
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

constexpr double kGreatest = 0x1p31 - 1;

/// The operator that makes the sums of products in that tensor; null for another one.
ir::Operator* producer_of(Lowering& lowering, ir::TensorId tensor) {
  std::vector<ir::Operator>& operators = lowering.graph.graph().operators;
  const auto found = std::find_if(operators.rbegin(), operators.rend(),
                                  [&](const ir::Operator& op) { return op.outputs.front() == tensor; });
  const bool is_sum =
      found != operators.rend() && (found->kind == ir::OpKind::Conv2d || found->kind == ir::OpKind::DepthwiseConv2d);
  return is_sum ? &*found : nullptr;
}

size_t computed_of(const Lowering& lowering, const Node& node) { return lowering.is_constant(node, 0) ? 1 : 0; }

/// The constant in steps of the sums, one or one for each channel, not rounded. None where the node is no sum of products
/// and a constant for each channel, or something else reads the sums too.
std::optional<std::vector<double>> steps_of(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2 || lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return std::nullopt;
  const size_t operand = computed_of(lowering, node);
  const Value& value = lowering.value(node, operand);
  const bool is_sum = value.kind == Value::Kind::Integers && value.is_wide() && !value.has_function();
  if (!is_sum || !lowering.is_read_once(node.inputs[operand]) || producer_of(lowering, value.tensor) == nullptr)
    return std::nullopt;
  const AxisNumbers added = numbers_of(lowering, node, 1 - operand, "the constant", value.shape);
  const Format& format = value.format;
  const int64_t channel = value.order.back();
  if (added.numbers.size() > 1 && added.axis != channel) return std::nullopt;
  if (format.is_per_axis() && format.axis != channel) return std::nullopt;
  std::vector<double> steps(std::max(added.numbers.size(), format.scales.size()));
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i] = added.numbers[added.numbers.size() > 1 ? i : 0] / format.scales[format.is_per_axis() ? i : 0];
    if (!(std::fabs(steps[i]) <= kGreatest)) return std::nullopt;
  }
  return steps;
}

}  // namespace

bool exact_bias(Lowering& lowering, const Node& node) {
  const auto steps = steps_of(lowering, node);
  return steps && std::all_of(steps->begin(), steps->end(), [](double step) { return step == std::nearbyint(step); });
}

bool lower_bias(Lowering& lowering, const Node& node) {
  const auto steps = steps_of(lowering, node);
  if (!steps) return false;
  Value value = lowering.value(node, computed_of(lowering, node));
  ir::Operator& op = *producer_of(lowering, value.tensor);
  const ir::TensorInfo info = lowering.graph.tensor(op.inputs[2]);
  std::vector<int64_t> bias(static_cast<size_t>(info.shape.front()));
  const Rest* left = lowering.left(value.tensor);
  Rest rest = left != nullptr ? *left : Rest{std::vector<double>(bias.size()), ""};
  int64_t greatest = 0;
  for (size_t i = 0; i < bias.size(); ++i) {
    const double exact = (*steps)[steps->size() > 1 ? i : 0];
    const auto step = static_cast<int64_t>(std::nearbyint(exact));
    rest.steps.at(i) += exact - static_cast<double>(step);
    bias[i] = info.constant->at(static_cast<int64_t>(i)) + step;
    greatest = std::max(greatest, std::abs(step));
    if (std::abs(bias[i]) > static_cast<int64_t>(kGreatest)) return false;
  }
  op.inputs[2] = lowering.graph.add_constant(info.type, info.shape, bias);
  lowering.leave(value.tensor, std::move(rest));
  value.magnitude += greatest;
  lowering.define(node, std::move(value));
  return true;
}

}  // namespace vernier::import::quantized
