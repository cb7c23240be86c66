// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/operators/threshold_chain.hpp"

#include "compiler/import/quantized/functions/threshold_rescale.hpp"
#include "compiler/import/quantized/functions/thresholds.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr float kMostChainBits = 4;

using Step = std::function<float(float, size_t)>;

/// Integers that RESCALE alone makes codes of: those that clamp, and one that changes steps.
bool is_plain(const std::string& kind) { return kind == "Relu" || kind == "Clip" || kind == "Identity"; }
bool is_affine(const std::string& kind) { return kind == "Add" || kind == "Sub" || kind == "Mul" || kind == "Div"; }
bool is_chain_operator(const std::string& kind) {
  return is_plain(kind) || is_affine(kind) || kind == "BatchNormalization" || kind == "Neg" || kind == "Sigmoid" ||
         kind == "Tanh";
}

/// Of the operators that each reader has, which input is computed; none where several are.
std::optional<size_t> computed_input(const Network& network, const Node& node) {
  std::optional<size_t> found;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty() || network.constants.contains(node.inputs[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

bool has_few_bits(const Network& network, const Node& node) {
  if (node.kind == "MultiThreshold") return node.inputs.size() == 2;
  if (node.kind == "BipolarQuant") return !node.inputs.empty();
  if (node.kind != "Quant" || node.inputs.size() != 4) return false;
  const auto bits = network.constants.find(node.inputs[3]);
  if (bits == network.constants.end()) return false;
  const Constant& constant = bits->second;
  const bool is_float = constant.type.is_float && constant.floats.size() == 1;
  if (!is_float && constant.integers.size() != 1) return false;
  return (is_float ? constant.floats.front() : static_cast<float>(constant.integers.front())) <= kMostChainBits;
}

/// A constant operand: a number, or one for each index of the chain's axis.
class ChainOperands {
 public:
  ChainOperands(const Lowering& lowering, const base::Shape& shape) : lowering_(lowering), shape_(shape) {}

  std::vector<float> take(const Node& node, size_t index) {
    const AxisNumbers numbers = numbers_of(lowering_, node, index, "the operand", shape_);
    if (numbers.numbers.size() > 1) use_axis(numbers.axis);
    return {numbers.numbers.begin(), numbers.numbers.end()};
  }
  /// A list with an element for each channel.
  std::vector<float> take_channels(const Node& node, size_t index) {
    static_cast<void>(lowering_.constant(node, index, "a list of channels"));
    std::vector<float> numbers = real_numbers(lowering_.value(node, index));
    if (shape_.size() < 2 || static_cast<int64_t>(numbers.size()) != shape_[1])
      refuse("'{}' has {} elements, expected one for each channel of {}", node.inputs[index], numbers.size(),
             base::to_string(shape_));
    use_axis(1);
    return numbers;
  }
  void use_axis(int64_t axis) {
    if (axis_ && *axis_ != axis) refuse("numbers of the operators before go along axes {} and {}", *axis_, axis);
    axis_ = axis;
  }
  [[nodiscard]] std::optional<int64_t> axis() const { return axis_; }

 private:
  const Lowering& lowering_;
  const base::Shape& shape_;
  std::optional<int64_t> axis_;
};

float at(const std::vector<float>& numbers, size_t index) { return numbers[numbers.size() == 1 ? 0 : index]; }

/// As onnxruntime's CPU kernel has it: y = x * s + b, s = scale / sqrt(variance + epsilon), b = bias - mean * s.
Step normalization(const Node& node, ChainOperands& operands) {
  if (int_of(node, "training_mode", 0) != 0) refuse("'{}' has training_mode, allowed is inference", node.name);
  const std::vector<float> scale = operands.take_channels(node, 1), bias = operands.take_channels(node, 2),
                           mean = operands.take_channels(node, 3), variance = operands.take_channels(node, 4);
  const float epsilon = float_of(node, "epsilon", 1e-5F);
  std::vector<float> factors, addends;
  for (size_t i = 0; i < scale.size(); ++i) {
    factors.push_back(1.0F / std::sqrt(variance[i] + epsilon) * scale[i]);
    addends.push_back(bias[i] - mean[i] * factors.back());
    if (!std::isfinite(factors.back()) || !std::isfinite(addends.back()))
      refuse("'{}': channel {} is {} x + {}", node.name, i, factors.back(), addends.back());
  }
  return [factors, addends](float x, size_t i) { return x * factors[i] + addends[i]; };
}

Step affine(const Node& node, ChainOperands& operands, size_t input) {
  const std::vector<float> other = operands.take(node, 1 - input);
  const std::string& kind = node.kind;
  for (const float number : other) {
    if (!std::isfinite(number) || (kind == "Div" && (number == 0 || input == 1)))
      refuse("'{}' ({}) has the operand {}, allowed are finite numbers, to divide by any but 0", node.name, kind, number);
  }
  if (kind == "Add") return [other](float x, size_t i) { return x + at(other, i); };
  if (kind == "Mul") return [other](float x, size_t i) { return x * at(other, i); };
  if (kind == "Div") return [other](float x, size_t i) { return x / at(other, i); };
  if (input == 0) return [other](float x, size_t i) { return x - at(other, i); };
  return [other](float x, size_t i) { return at(other, i) - x; };
}

Step step_of(const Lowering& lowering, const Node& node, ChainOperands& operands) {
  const std::string& kind = node.kind;
  if (kind == "BatchNormalization") return normalization(node, operands);
  if (is_affine(kind)) return affine(node, operands, *computed_input(lowering.network, node));
  if (kind == "Relu") return [](float x, size_t) { return x > 0 ? x : 0.0F; };
  if (kind == "Neg") return [](float x, size_t) { return -x; };
  if (kind == "Sigmoid") return [](float x, size_t) { return 1.0F / (1.0F + std::exp(-x)); };
  if (kind == "Tanh") return [](float x, size_t) { return std::tanh(x); };
  if (kind == "Identity") return [](float x, size_t) { return x; };
  const float low = number_of(lowering, node, "min", 1, -kInfinity), high = number_of(lowering, node, "max", 2, kInfinity);
  if (!(low <= high)) refuse("'{}' has the limits {} and {}, expected an interval", node.name, low, high);
  return [low, high](float x, size_t) { return std::clamp(x, low, high); };
}

}  // namespace

ThresholdChains::ThresholdChains(const Network& network) {
  std::map<std::string, const Node*> producers;
  std::map<std::string, int64_t> num_readers;
  for (const Node& node : network.nodes) {
    for (const std::string& output : node.outputs) {
      if (!output.empty()) producers[output] = &node;
    }
    for (const std::string& input : node.inputs) ++num_readers[input];
  }
  for (const End& end : network.outputs) ++num_readers[end.name];
  for (const Node& node : network.nodes) {
    if (!has_few_bits(network, node)) continue;
    std::vector<const Node*> chain;
    const std::string* value = node.inputs.data();
    while (num_readers[*value] == 1 && producers.contains(*value)) {
      const Node* before = producers[*value];
      const std::optional<size_t> input = computed_input(network, *before);
      if (!is_chain_operator(before->kind) || !input || before->outputs.size() != 1) break;
      chain.push_back(before);
      value = &before->inputs[*input];
    }
    const auto count = [&](auto is_counted) {
      return std::count_if(chain.begin(), chain.end(), [&](const Node* one) { return is_counted(one->kind); });
    };
    // Clamps and a single sum or product take no thresholds of their own.
    const int64_t num_affine = count(is_affine), num_others = std::ssize(chain) - num_affine - count(is_plain);
    const bool has_thresholds = node.kind == "MultiThreshold" && !chain.empty();
    if (!producers.contains(*value) || (!has_thresholds && num_others == 0 && num_affine < 2)) continue;
    std::reverse(chain.begin(), chain.end());
    inner_.insert(chain.begin(), chain.end());
    chains_.emplace(&node, std::move(chain));
  }
}

const Node& ThresholdChains::first_of(const Node& node) const {
  const auto found = chains_.find(&node);
  return found == chains_.end() ? node : *found->second.front();
}

const std::vector<const Node*>& ThresholdChains::before(const Node& quantizer) const {
  static const std::vector<const Node*> kNone;
  const auto found = chains_.find(&quantizer);
  return found == chains_.end() ? kNone : found->second;
}

bool ThresholdChains::lower(Lowering& lowering, const Node& quantizer_node) const {
  const auto found = chains_.find(&quantizer_node);
  if (found == chains_.end()) return false;
  const std::vector<const Node*>& chain = found->second;
  const Node& first = *chain.front();
  const Value& base = lowering.value(first, *computed_input(lowering.network, first));
  const bool has_thresholds = quantizer_node.kind == "MultiThreshold";
  const bool is_integer = base.kind == Value::Kind::Integers && !base.has_function() && base.is_real;
  const bool is_taken = base.is_wide() || (has_thresholds && !base.format.is_per_axis());
  if (!is_integer || !is_taken) return false;
  ChainOperands operands(lowering, base.shape);
  if (base.format.is_per_axis()) operands.use_axis(base.format.axis);
  std::vector<Step> steps;
  for (const Node* node : chain) steps.push_back(step_of(lowering, *node, operands));
  const auto number_of_sum = [&](float number, size_t index) {
    for (const Step& step : steps) number = step(number, index);
    return number;
  };
  if (has_thresholds) {
    Value value = base;
    value.layer = first.name;
    count_thresholds(lowering, quantizer_node, std::move(value), {number_of_sum, operands.axis()});
    return true;
  }
  const Quantizer quantizer = quantizer_of(lowering, quantizer_node, base.shape);
  if (quantizer.format.is_per_axis()) operands.use_axis(quantizer.format.axis);
  const auto code = [&](int64_t sum, size_t index) {
    const double scale = base.format.scales[base.format.is_per_axis() ? index : 0];
    const float number = number_of_sum(static_cast<float>(static_cast<double>(sum) * scale), index);
    return code_of(number, quantizer, quantizer.format.is_per_axis() ? index : 0);
  };
  const bool is_sign = quantizer.rounding == base::Rounding::Sign;
  std::vector<int64_t> firsts;
  for (int64_t level = quantizer.least + (is_sign ? 2 : 1); level <= quantizer.greatest; ++level) firsts.push_back(level);
  const size_t num_indices = operands.axis() ? static_cast<size_t>(base.shape[static_cast<size_t>(*operands.axis())]) : 1;
  Thresholds thresholds = find_thresholds(code, firsts, base.magnitude, num_indices);
  thresholds.axis = operands.axis().value_or(0);
  Value value = base;
  value.layer = first.name;
  const auto number = [&](int64_t sum, size_t index) {
    const double scale = base.format.scales[base.format.is_per_axis() ? index : 0];
    const float real = number_of_sum(static_cast<float>(static_cast<double>(sum) * scale), index);
    return static_cast<double>(real) / scale_of(quantizer.format) + static_cast<double>(zero_point_of(quantizer.format));
  };
  const std::string& name = quantizer_node.outputs.at(0);
  const std::optional<Value> rescaled =
      is_sign ? std::nullopt : rescaled_counts(lowering, value, thresholds, number, quantizer, name);
  value = rescaled ? *rescaled : counted(lowering, value, thresholds, quantizer, quantizer.least, is_sign ? 2 : 1, name);
  value.is_real = true;
  lowering.define(quantizer_node, std::move(value));
  return true;
}

}  // namespace vernier::import::quantized
