// SPDX-License-Identifier: Apache-2.0
// Operators on each element, softmaxes and normalizations as steps of the host.
#include "compiler/import/quantized/boundary/host_emitter.hpp"
#include "compiler/import/quantized/functions/float_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace vernier::import::quantized {

namespace {

using package::HostOperator;
using package::HostStep;

HostOperator binary_operator(const std::string& kind) {
  if (kind == "Sum" || kind == "Mean") return HostOperator::Add;
  return package::host_operator_of(kind).value();
}

/// The operator with its operands changed over; none where there is no such operator.
std::optional<HostOperator> changed_over(HostOperator kind) {
  switch (kind) {
    case HostOperator::Sub: return HostOperator::SubFrom;
    case HostOperator::Div: return HostOperator::DivFrom;
    case HostOperator::Pow: return std::nullopt;
    default: return kind;
  }
}

/// A value and a constant that goes along with it as one step; none where it does not.
std::optional<size_t> with_own_constant(const HostEmitter& emitter, HostOperator kind, size_t value, const Value& constant) {
  HostStep step{kind, "", constant.shape, numbers_of_constant(constant), {}};
  const auto together = package::shape_together(emitter.shape(value), constant.shape);
  if (!together || *together != emitter.shape(value)) return std::nullopt;
  return emitter.add(std::move(step), {value});
}

size_t add_of_two(const HostEmitter& emitter, HostOperator kind, std::optional<size_t> first, size_t next) {
  const Node& node = emitter.node;
  const Lowering& lowering = emitter.lowering;
  if (first && lowering.is_constant(node, next)) {
    if (const auto one = with_own_constant(emitter, kind, *first, lowering.value(node, next))) return *one;
  }
  if (!first && lowering.is_constant(node, 0) && changed_over(kind)) {
    const size_t value = emitter.operand(next);
    if (const auto one = with_own_constant(emitter, *changed_over(kind), value, lowering.value(node, 0))) return *one;
  }
  const size_t a = first ? *first : emitter.operand(0);
  return emitter.add(kind, {a, emitter.operand(next)});
}

}  // namespace

std::vector<size_t> emit_binary(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  const bool is_list = node.kind == "Max" || node.kind == "Min" || node.kind == "Sum" || node.kind == "Mean";
  if (node.inputs.empty() || (!is_list && node.inputs.size() != 2))
    refuse("there are {} operands, expected 2", node.inputs.size());
  const HostOperator kind = binary_operator(node.kind);
  std::optional<size_t> result;
  if (!emitter.lowering.is_constant(node, 0) || node.inputs.size() == 1) result = emitter.operand(0);
  for (size_t i = 1; i < node.inputs.size(); ++i) result = add_of_two(emitter, kind, result, i);
  if (node.kind == "Mean") result = emitter.binary(HostOperator::Div, *result, static_cast<float>(node.inputs.size()));
  return {*result};
}

namespace {

/// Numbers that become integers lose what stands after the point.
size_t cast_on_host(const HostEmitter& emitter, size_t value) {
  constexpr std::array<int64_t, 3> kFloats{1, 10, 11};   // of TensorProto: FLOAT, FLOAT16, DOUBLE
  constexpr std::array<int64_t, 3> kIntegers{6, 7, 13};  // INT32, INT64, UINT64
  const int64_t to = int_of(emitter.node, "to", 0);
  if (to != kFloats[1] && std::find(kFloats.begin(), kFloats.end(), to) != kFloats.end()) return value;
  if (std::find(kIntegers.begin(), kIntegers.end(), to) == kIntegers.end())
    refuse("attribute to is {}, allowed at a float end are 1 (FLOAT), 6 (INT32), 7 (INT64), 11 (DOUBLE)", to);
  return emitter.add(HostOperator::Truncate, {value});
}

/// max(x, 0) + slope * min(x, 0), of which one is 0.
size_t leaky(const HostEmitter& emitter, size_t value) {
  const size_t below = emitter.binary(HostOperator::Min, value, 0);
  const Value& slope = emitter.lowering.value(emitter.node, 1);
  const bool is_constant = slope.kind == Value::Kind::Constant;
  const auto own = is_constant ? with_own_constant(emitter, HostOperator::Mul, below, slope) : std::nullopt;
  const size_t scaled = own ? *own : emitter.add(HostOperator::Mul, {below, emitter.operand(1)});
  return emitter.add_like(value, {HostOperator::Add, "", {}, {}, {}}, {emitter.add(HostOperator::Relu, {value}), scaled});
}

}  // namespace

std::vector<size_t> emit_function(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  const size_t value = emitter.operand(0);
  if (node.kind == "Identity") return {value};
  if (node.kind == "Relu") return {emitter.add(HostOperator::Relu, {value})};
  if (node.kind == "Cast") return {cast_on_host(emitter, value)};
  if (node.kind == "PRelu") return {leaky(emitter, value)};
  if (node.kind == "Clip") {
    const float low = number_of(emitter.lowering, node, "min", 1, -kInfinity),
                high = number_of(emitter.lowering, node, "max", 2, kInfinity);
    return {emitter.add(HostOperator::Clip, {value}, {}, {low, high})};
  }
  const std::optional<NodeFunction> function = node_function(node);
  if (!function) refuse("the host has no {}", node.kind);
  return {emitter.add(package::host_operator_of(function->row->name).value(), {value}, {}, function->parameters)};
}

namespace {

int64_t softmax_axis(const HostEmitter& emitter, const base::Shape& shape) {
  const bool is_old = emitter.lowering.network.opset < 13;
  const int64_t axis = axis_in(int_of(emitter.node, "axis", is_old ? 1 : -1), shape.size());
  const auto after = shape.begin() + axis + 1;
  // Before opset 13 all dimensions from the axis on are one.
  if (is_old && std::any_of(after, shape.end(), [](int64_t size) { return size != 1; }))
    refuse("axis {} of {} in opset {} stands for all dimensions from there on, allowed is the last one", axis,
           base::to_string(shape), emitter.lowering.network.opset);
  return axis;
}

}  // namespace

std::vector<size_t> emit_softmax(const HostEmitter& emitter) {
  const size_t value = emitter.operand(0);
  const int64_t axis = softmax_axis(emitter, emitter.shape(value));
  if (emitter.node.kind == "Softmax") return {emitter.add(HostOperator::Softmax, {value}, {axis})};
  const size_t below = emitter.add(HostOperator::Sub, {value, emitter.add(HostOperator::ReduceMax, {value}, {axis})});
  const size_t sum = emitter.add(HostOperator::ReduceSum, {emitter.add(HostOperator::Exp, {below})}, {axis});
  return {emitter.add(HostOperator::Sub, {below, emitter.add(HostOperator::Log, {sum})})};
}

namespace {

/// x * (scale / sqrt(var + epsilon)) + (bias - mean * that factor), as onnxruntime computes it.
size_t batch_normalization(const HostEmitter& emitter, size_t value) {
  const Node& node = emitter.node;
  const base::Shape& from = emitter.shape(value);
  if (int_of(node, "training_mode", 0) != 0) refuse("attribute training_mode is not 0");
  if (node.inputs.size() != 5 || from.size() < 2)
    refuse("there are {} inputs for a value {}, expected 5 and rank 2 at least", node.inputs.size(), base::to_string(from));
  base::Shape shape(from.size() - 1, 1);
  shape[0] = from[1];
  std::array<std::vector<float>, 4> numbers;
  for (size_t i = 0; i < 4; ++i) {
    static_cast<void>(emitter.lowering.constant(node, i + 1, "a parameter"));
    numbers.at(i) = numbers_of_constant(emitter.lowering.value(node, i + 1));
    if (std::ssize(numbers.at(i)) != shape[0])
      refuse("'{}' has {} elements, expected {}", node.inputs[i + 1], numbers.at(i).size(), shape[0]);
  }
  const float epsilon = float_of(node, "epsilon", 1e-5F);
  auto& [factor, offset, mean, variance] = numbers;
  for (size_t i = 0; i < factor.size(); ++i) {
    factor[i] *= 1.0F / std::sqrt(variance[i] + epsilon);
    offset[i] -= mean[i] * factor[i];
  }
  const size_t product = emitter.add(HostStep{HostOperator::Mul, "", shape, factor, {}}, {value});
  return emitter.add(HostStep{HostOperator::Add, "", shape, offset, {}}, {product});
}

/// (x - mean) / sqrt(mean of its squares + epsilon) over some axes.
size_t normalized_on_host(const HostEmitter& emitter, size_t value, const std::vector<int64_t>& axes) {
  const size_t centred = emitter.add(HostOperator::Sub, {value, emitter.add(HostOperator::ReduceMean, {value}, axes)});
  const size_t variance = emitter.add(HostOperator::ReduceMean, {emitter.add(HostOperator::Mul, {centred, centred})}, axes);
  const size_t sum = emitter.binary(HostOperator::Add, variance, float_of(emitter.node, "epsilon", 1e-5F));
  return emitter.add(HostOperator::Div, {centred, emitter.add(HostOperator::Sqrt, {sum})});
}

}  // namespace

std::vector<size_t> emit_normalization(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  const size_t value = emitter.operand(0);
  if (node.kind == "BatchNormalization") return {batch_normalization(emitter, value)};
  const auto rank = std::ssize(emitter.shape(value));
  const bool is_layer = node.kind == "LayerNormalization";
  if (rank < (is_layer ? 1 : 3)) refuse("a value of shape {} has too few dimensions", base::to_string(emitter.shape(value)));
  if (is_layer && node.outputs.size() > 1) refuse("there are {} outputs, allowed is one", node.outputs.size());
  std::vector<int64_t> axes;
  for (int64_t i = is_layer ? axis_in(int_of(node, "axis", -1), static_cast<size_t>(rank)) : 2; i < rank; ++i)
    axes.push_back(i);
  size_t result = normalized_on_host(emitter, value, axes);
  for (size_t i = 1; i < 3; ++i) {
    if (!emitter.lowering.has_input(node, i)) continue;
    size_t parameter = emitter.operand(i);
    if (!is_layer) {
      base::Shape shape(static_cast<size_t>(rank), 1);
      shape[1] = base::num_elements(emitter.shape(parameter));
      parameter = emitter.reshape(parameter, shape);
    }
    result = emitter.add(i == 1 ? HostOperator::Mul : HostOperator::Add, {result, parameter});
  }
  return {result};
}

}  // namespace vernier::import::quantized
