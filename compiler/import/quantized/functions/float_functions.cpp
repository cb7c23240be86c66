// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/float_functions.hpp"

#include "compiler/import/quantized/lowering.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::quantized {

namespace {

/// The row of a node's function; Gelu has two.
const model::FloatFunctionRow* row_of(const Node& node) {
  if (node.kind == "Truncate" || node.kind == "GeluTanh") return nullptr;  // no operators of ONNX
  if (node.kind != "Gelu") return model::find_float_function(node.kind);
  const std::string approximate = string_of(node, "approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    refuse("attribute approximate is '{}', allowed are none and tanh", approximate);
  return model::find_float_function(approximate == "none" ? "Gelu" : "GeluTanh");
}

float total(const std::vector<float>& numbers) {
  return std::accumulate(numbers.begin() + 1, numbers.end(), numbers.front());
}

}  // namespace

std::optional<NodeFunction> node_function(const Node& node) {
  const model::FloatFunctionRow* row = row_of(node);
  if (row == nullptr) return std::nullopt;
  NodeFunction function{row, {}};
  for (const model::FloatParameter* one : {&row->a, &row->b})
    if (!one->name.empty()) function.parameters.push_back(float_of(node, std::string(one->name), one->otherwise));
  return function;
}

UnaryFunction unary_function(const Node& node) {
  const std::optional<NodeFunction> found = node_function(node);
  if (!found) return {};
  const std::vector<float>& parameters = found->parameters;
  const float a = parameters.empty() ? 0 : parameters[0], b = parameters.size() < 2 ? 0 : parameters[1];
  return [function = found->row->function, a, b](float x) { return function(x, a, b); };
}

NumbersFunction numbers_function(const std::string& kind) {
  using Numbers = const std::vector<float>&;
  if (kind == "Add") return [](Numbers numbers) { return numbers[0] + numbers[1]; };
  if (kind == "Sub") return [](Numbers numbers) { return numbers[0] - numbers[1]; };
  if (kind == "Mul") return [](Numbers numbers) { return numbers[0] * numbers[1]; };
  if (kind == "Div") return [](Numbers numbers) { return numbers[0] / numbers[1]; };
  if (kind == "Pow") return [](Numbers numbers) { return model::power(numbers[0], numbers[1]); };
  if (kind == "Max") return [](Numbers numbers) { return *std::max_element(numbers.begin(), numbers.end()); };
  if (kind == "Min") return [](Numbers numbers) { return *std::min_element(numbers.begin(), numbers.end()); };
  if (kind == "Sum") return total;
  if (kind == "Mean") return [](Numbers numbers) { return total(numbers) / static_cast<float>(numbers.size()); };
  return {};
}

bool takes_numbers(const std::string& kind, size_t count) {
  const bool is_list = kind == "Max" || kind == "Min" || kind == "Sum" || kind == "Mean";
  return numbers_function(kind) != nullptr && (is_list ? count >= 1 : count == 2);
}

}  // namespace vernier::import::quantized
