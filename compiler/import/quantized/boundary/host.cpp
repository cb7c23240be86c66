// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/boundary/host.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace vernier::import::quantized {

namespace {

using package::HostOperator;
using package::HostStep;

constexpr std::array<std::string_view, 15> kHostOperators{"Add",      "BatchNormalization",
                                                          "Clip",     "Div",
                                                          "Flatten",  "Identity",
                                                          "Mul",      "Relu",
                                                          "Reshape",  "Sigmoid",
                                                          "Softmax",  "Squeeze",
                                                          "Sub",      "Transpose",
                                                          "Unsqueeze"};
constexpr std::array<std::string_view, 4> kBinary{"Add", "Div", "Mul", "Sub"};
constexpr std::array<std::string_view, 6> kMovement{"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};

template <typename List>
bool has(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The number of the operand that is no constant; of two operands exactly one. None where there is no such operand.
std::optional<size_t> computed_operand(const Lowering& lowering, const Node& node) {
  if (!lowering.has_input(node, 0) || !has(kBinary, node.kind)) return 0;
  if (node.inputs.size() != 2 || lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return std::nullopt;
  return lowering.is_constant(node, 0) ? 1 : 0;
}

bool is_of_host(const Value& value) {
  return value.kind == Value::Kind::Host || (value.kind == Value::Kind::Input && !value.steps.empty());
}

bool runs_on_host(Lowering& lowering, const Node& node, const Value& value) {
  if (!value.is_real || value.kind == Value::Kind::Constant) return false;
  if (value.kind != Value::Kind::Integers) return true;
  if (lowering.reaches_quantizer(node)) return false;
  const bool keeps_axis = node.kind == "Identity" || node.kind == "Transpose";
  if (has(kMovement, node.kind)) return value.format.is_per_axis() && !value.is_wide() && !keeps_axis;
  return !(node.kind == "Add" && exact_bias(lowering, node));
}

/// The float32 numbers of codes.
Value host_value(Lowering& lowering, const Value& codes, const std::string& name) {
  const std::optional<Value> settled = codes.has_function() ? settle(lowering, codes, name) : codes;
  if (!settled) refuse("'{}' is not quantized after the function that gives it", name);
  Value value;
  value.kind = Value::Kind::Host;
  value.shape = codes.shape;
  value.codes = std::make_shared<const Value>(*settled);
  return value;
}

class HostSteps {
 public:
  HostSteps(const Lowering& lowering, const Node& node, Value& value) : lowering_(lowering), node_(node), value_(value) {}

  void add(size_t operand) {
    const std::string& kind = node_.kind;
    if (has(kBinary, kind)) return add_binary(operand);
    if (kind == "BatchNormalization") return add_normalization();
    if (kind == "Relu") return append({HostOperator::Relu, "", {}, {}, {}});
    if (kind == "Sigmoid") return append({HostOperator::Sigmoid, "", {}, {}, {}});
    if (kind == "Softmax") return add_softmax();
    if (kind == "Clip") {
      const float low = number_of(lowering_, node_, "min", 1, -kInfinity),
                  high = number_of(lowering_, node_, "max", 2, kInfinity);
      return append({HostOperator::Clip, "", {}, {low, high}, {}});
    }
    if (kind == "Transpose")
      return append({HostOperator::Transpose, "", {}, {}, permutation_of(node_, value_.shape.size())});
    if (kind != "Identity") append({HostOperator::Reshape, "", {}, {}, new_shape(lowering_, node_, value_.shape)});
  }

 private:
  void append(HostStep step) {
    step.name = node_.name;
    if (const std::string problem = package::problem_of(step, value_.shape); !problem.empty()) refuse("{}", problem);
    value_.shape = package::result_shape(step, value_.shape);
    value_.steps.push_back(std::move(step));
  }

  void add_binary(size_t operand) {
    HostOperator kind = HostOperator::Add;
    if (node_.kind == "Mul") kind = HostOperator::Mul;
    if (node_.kind == "Sub") kind = operand == 0 ? HostOperator::Sub : HostOperator::SubFrom;
    if (node_.kind == "Div") kind = HostOperator::Div;
    if (node_.kind == "Div" && operand == 1)
      refuse("a constant is divided by '{}', allowed are divisions by constants", node_.inputs[operand]);
    const Value& constant = lowering_.value(node_, 1 - operand);
    append({kind, "", constant.shape, real_numbers(constant), {}});
  }

  /// x * (scale / sqrt(var + epsilon)) + (bias - mean * that factor), as onnxruntime computes it.
  void add_normalization() {
    if (int_of(node_, "training_mode", 0) != 0) refuse("attribute training_mode is not 0");
    if (node_.inputs.size() != 5 || value_.shape.size() < 2)
      refuse("there are {} inputs for a value {}, expected 5 and rank 2 at least", node_.inputs.size(),
             base::to_string(value_.shape));
    base::Shape shape(value_.shape.size() - 1, 1);
    shape[0] = value_.shape[1];
    std::array<std::vector<float>, 4> numbers;
    for (size_t i = 0; i < 4; ++i) {
      static_cast<void>(lowering_.constant(node_, i + 1, "a parameter"));
      numbers.at(i) = real_numbers(lowering_.value(node_, i + 1));
      if (static_cast<int64_t>(numbers.at(i).size()) != shape[0])
        refuse("'{}' has {} elements, expected {}", node_.inputs[i + 1], numbers.at(i).size(), shape[0]);
    }
    const float epsilon = float_of(node_, "epsilon", 1e-5F);
    auto& [factor, offset, mean, variance] = numbers;
    for (size_t i = 0; i < factor.size(); ++i) {
      factor[i] *= 1.0F / std::sqrt(variance[i] + epsilon);
      offset[i] -= mean[i] * factor[i];
    }
    append({HostOperator::Mul, "", shape, factor, {}});
    append({HostOperator::Add, "", shape, offset, {}});
  }

  /// Before opset 13 all dimensions from the axis on are one.
  void add_softmax() {
    const bool is_old = lowering_.network.opset < 13;
    const int64_t axis = axis_in(int_of(node_, "axis", is_old ? 1 : -1), value_.shape.size());
    const auto after = value_.shape.begin() + axis + 1;
    if (is_old && std::any_of(after, value_.shape.end(), [](int64_t size) { return size != 1; }))
      refuse("axis {} of {} in opset {} stands for all dimensions from there on, allowed is the last one", axis,
             base::to_string(value_.shape), lowering_.network.opset);
    append({HostOperator::Softmax, "", {}, {}, {axis}});
  }

  const Lowering& lowering_;
  const Node& node_;
  Value& value_;
};

}  // namespace

bool is_host_operator(const std::string& kind) { return has(kHostOperators, kind); }
std::string host_operators() {
  std::string text;
  for (const std::string_view kind : kHostOperators)
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", kind, has(kBinary, kind) ? " (by a constant)" : "");
  return text;
}

bool lower_on_host(Lowering& lowering, const Node& node) {
  const std::optional<size_t> operand = computed_operand(lowering, node);
  const bool is_known = is_host_operator(node.kind) && operand && lowering.has_input(node, *operand);
  if (is_known && runs_on_host(lowering, node, lowering.value(node, *operand))) {
    Value value = lowering.value(node, *operand);
    if (value.kind == Value::Kind::Integers) value = host_value(lowering, value, node.inputs[*operand]);
    HostSteps(lowering, node, value).add(*operand);
    lowering.define(node, std::move(value));
    return true;
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lowering.has_input(node, i)) continue;
    const Value& value = lowering.value(node, i);
    const bool is_quantized = is_quantizer(node.kind) && i == 0 && value.kind == Value::Kind::Input;
    if (is_of_host(value) && !is_quantized && is_host_operator(node.kind) && !operand)
      refuse("'{}' is computed by the host {}, allowed there is {} of one value and a constant", node.inputs[i],
             value.kind == Value::Kind::Host ? "after the last quantizer" : "before any quantizer", node.kind);
    if (is_of_host(value) && !is_quantized)
      refuse("'{}' is computed by the host {}, allowed there are {}", node.inputs[i],
             value.kind == Value::Kind::Host ? "after the last quantizer" : "before any quantizer", host_operators());
  }
  return false;
}

bool meets_quantizer(const Network& network, const std::string& input) {
  std::set<std::string> reached{input};
  for (const Node& node : network.nodes) {
    if (std::none_of(node.inputs.begin(), node.inputs.end(),
                     [&](const std::string& name) { return reached.contains(name); }))
      continue;
    if (is_quantizer(node.kind)) return true;
    if (is_host_operator(node.kind)) reached.insert(node.outputs.begin(), node.outputs.end());
  }
  return false;
}

}  // namespace vernier::import::quantized
