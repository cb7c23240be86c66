// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/nodes/attributes.hpp"

#include "compiler/import/quantized/nodes/constants.hpp"

namespace vernier::import::quantized {

namespace {

template <typename T>
T attribute_of(const Node& node, const std::string& name, const T& otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  if (const T* attribute = std::get_if<T>(&found->second)) return *attribute;
  refuse("attribute '{}' has another type than ONNX says", name);
}

}  // namespace

int64_t int_of(const Node& node, const std::string& name, int64_t otherwise) { return attribute_of(node, name, otherwise); }
float float_of(const Node& node, const std::string& name, float otherwise) { return attribute_of(node, name, otherwise); }
std::string string_of(const Node& node, const std::string& name, const std::string& otherwise) {
  return attribute_of(node, name, otherwise);
}

std::vector<int64_t> ints_of(const Node& node, const std::string& name, const std::vector<int64_t>& otherwise) {
  std::vector<int64_t> list = attribute_of(node, name, otherwise);
  return list.empty() ? otherwise : list;
}

std::optional<std::vector<int64_t>> list_of(const Lowering& lowering, const Node& node, const std::string& name,
                                            size_t input) {
  if (node.attributes.contains(name)) return attribute_of(node, name, std::vector<int64_t>());
  if (!lowering.has_input(node, input)) return std::nullopt;
  const Constant& list = lowering.constant(node, input, name);
  if (list.type.is_float) refuse("'{}' is a list of floats, expected integers", node.inputs[input]);
  return list.integers;
}

float number_of(const Lowering& lowering, const Node& node, const std::string& name, size_t input, float otherwise) {
  if (node.attributes.contains(name)) return attribute_of(node, name, otherwise);
  if (!lowering.has_input(node, input)) return otherwise;
  static_cast<void>(lowering.constant(node, input, name));
  const std::vector<float> numbers = real_numbers(lowering.value(node, input));
  if (numbers.size() != 1) refuse("'{}' has {} elements, expected one", node.inputs[input], numbers.size());
  return numbers.front();
}

int64_t axis_in(int64_t axis, size_t rank) {
  const auto limit = static_cast<int64_t>(rank);
  if (axis < -limit || axis >= limit) refuse("axis {} is outside of rank {}", axis, rank);
  return axis < 0 ? axis + limit : axis;
}

}  // namespace vernier::import::quantized
