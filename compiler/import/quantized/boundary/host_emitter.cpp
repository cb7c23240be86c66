// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/boundary/host_emitter.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "hw/package/host_program.hpp"

#include <algorithm>
#include <optional>

namespace vernier::import::quantized {

namespace {

using package::HostOperator;
using package::HostStep;

/// The node that gives the value; NodeMistake where none does.
const Node& producer_of_value(const Lowering& lowering, const std::string& name) {
  for (const Node& node : lowering.network.nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end()) return node;
  }
  refuse("nothing gives '{}'", name);
}

/// Integers whose numbers a boundary can say.
bool is_settled(const Lowering& lowering, const Value& value) {
  const bool is_int48 = value.is_wide() && lowering.graph.tensor(value.tensor).type != base::ElementType::Int32;
  return !value.has_function() && !is_int48;
}

/// Counts the nodes that wait for each other. NodeMistake for a chain of more than a stack may hold.
class Deeper {
 public:
  explicit Deeper(size_t& depth) : depth_(depth) {
    constexpr size_t kMostDepth = 500;
    if (depth_ >= kMostDepth)
      refuse("a chain of more than {} functions without a quantizer is left to the host", kMostDepth);
    ++depth_;
  }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --depth_; }

 private:
  size_t& depth_;
};

size_t host_value_of_integers(Lowering& lowering, const Value& value, const std::string& name) {
  if (!value.is_real || value.format.bits == kBoolBits) refuse("'{}' holds integers, expected numbers", name);
  if (is_settled(lowering, value)) return lowering.host.add_codes(name, value);
  if (const std::optional<Value> settled = settle(lowering, value, name)) return lowering.host.add_codes(name, *settled);
  const Node& node = producer_of_value(lowering, name);
  const Deeper deeper(lowering.host.depth);
  const std::vector<size_t> results = emit_node(lowering, node);
  for (size_t i = 0; i < results.size(); ++i) {
    if (i < node.outputs.size() && node.outputs[i] == name) return results[i];
  }
  refuse("'{}' is not quantized after the function that gives it", name);
}

}  // namespace

std::vector<float> numbers_of_constant(const Value& constant) {
  if (constant.is_real) return real_numbers(constant);
  std::vector<float> numbers;
  for (const int64_t integer : constant.constant->integers) numbers.push_back(static_cast<float>(integer));
  return numbers;
}

size_t host_value_of(Lowering& lowering, const std::string& name) {
  if (const auto known = lowering.host.find(name)) return *known;
  const Value value = lowering.value(name);
  size_t result = 0;
  if (value.host) {
    result = *value.host;
  } else if (value.kind == Value::Kind::Constant) {
    HostStep step{HostOperator::Constant, name, value.shape, numbers_of_constant(value), {}};
    if (const std::string problem = package::problem_of(step, {}); !problem.empty()) refuse("'{}': {}", name, problem);
    result = lowering.host.add(std::move(step), {});
  } else if (value.kind == Value::Kind::Input) {
    if (!value.is_real) refuse("'{}' holds integers, expected numbers", name);
    result = lowering.host.add_input(value.input, value.shape);
  } else {
    result = host_value_of_integers(lowering, value, name);
  }
  lowering.host.remember(name, result);
  return result;
}

size_t HostEmitter::operand(size_t index) const {
  if (!lowering.has_input(node, index)) refuse("input {} is missing", index);
  return host_value_of(lowering, node.inputs[index]);
}

size_t HostEmitter::add(HostStep step, const std::vector<size_t>& operands) const {
  step.name = node.name;
  // Says that there are two, so that a step knows whether it holds its constant.
  step.operands.assign(operands.size(), 0);
  if (const std::string problem = package::problem_of(step, lowering.host.shapes(operands)); !problem.empty())
    refuse("{}", problem);
  const size_t result = lowering.host.add(std::move(step), operands);
  if (lowering.host.num_numbers() > package::kMostHostElements)
    refuse("the host's constants and indices are more than {} numbers", package::kMostHostElements);
  return result;
}

size_t HostEmitter::add_like(size_t value, HostStep step, const std::vector<size_t>& operands) const {
  const size_t result = add(std::move(step), operands);
  if (shape(result) != shape(value))
    refuse("{} becomes {}, expected the same shape", base::to_string(shape(value)), base::to_string(shape(result)));
  return result;
}

size_t HostEmitter::add(HostOperator kind, const std::vector<size_t>& operands, std::vector<int64_t> dimensions,
                        std::vector<float> numbers) const {
  return add(HostStep{kind, "", {}, std::move(numbers), std::move(dimensions)}, operands);
}

size_t HostEmitter::binary(HostOperator kind, size_t value, float constant) const {
  return add(HostStep{kind, "", {}, {constant}, {}}, {value});
}

size_t HostEmitter::reshape(size_t value, const base::Shape& to) const {
  return shape(value) == to ? value : add(HostOperator::Reshape, {value}, to);
}

size_t HostEmitter::constant(base::Shape shape, std::vector<float> numbers) const {
  return add(HostStep{HostOperator::Constant, "", std::move(shape), std::move(numbers), {}}, {});
}

}  // namespace vernier::import::quantized
