// SPDX-License-Identifier: Apache-2.0
// Whether two graphs say the same, whatever the numbers of their tensors.
#pragma once

#include "compiler/ir/graph.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace vernier::tests {

inline std::vector<std::string> names_of(const ir::Graph& graph, const std::vector<ir::TensorId>& ids) {
  std::vector<std::string> names;
  for (const ir::TensorId id : ids) names.push_back(graph.tensor(id).name);
  return names;
}

/// The first thing in which they differ: inputs, outputs, operators in their order with attributes, operands and location,
/// tensors by name with type, shape and every element of their constants, regions by name; "" when there is none.
inline std::string graph_difference(const ir::Graph& a, const ir::Graph& b) {
  if (names_of(a, a.inputs) != names_of(b, b.inputs)) return "inputs";
  if (names_of(a, a.outputs) != names_of(b, b.outputs)) return "outputs";
  if (a.operators.size() != b.operators.size()) return "number of operators";
  for (size_t i = 0; i < a.operators.size(); ++i) {
    const ir::Operator &x = a.operators[i], &y = b.operators[i];
    const bool is_same = x.kind == y.kind && x.attributes == y.attributes && x.location == y.location &&
                         names_of(a, x.inputs) == names_of(b, y.inputs) && names_of(a, x.outputs) == names_of(b, y.outputs);
    if (!is_same) return fmt::format("operator {}, {}", i, ir::to_string(x.kind));
  }
  if (a.tensors.size() != b.tensors.size()) return "number of tensors";
  std::map<std::string, const ir::TensorInfo*> by_name;
  for (const ir::TensorInfo& tensor : b.tensors) by_name[tensor.name] = &tensor;
  for (const ir::TensorInfo& x : a.tensors) {
    const auto found = by_name.find(x.name);
    if (found == by_name.end()) return fmt::format("tensor '{}' is not there", x.name);
    const ir::TensorInfo& y = *found->second;
    const bool is_same_value = x.constant && y.constant ? *x.constant == *y.constant : x.constant == y.constant;
    if (x.type != y.type || x.shape != y.shape || !is_same_value) return fmt::format("tensor '{}'", x.name);
  }
  if (a.regions.size() != b.regions.size()) return "number of regions";
  for (const ir::Region& region : a.regions) {
    const ir::Graph* other = ir::find_region(b, region.name);
    const std::string difference = other == nullptr ? "it is not there" : graph_difference(region.graph, *other);
    if (!difference.empty()) return fmt::format("region '{}': {}", region.name, difference);
  }
  return "";
}

}  // namespace vernier::tests
