// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/tensor_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::import::aimet {

namespace {

/// Without the number of an output, which is 0 where a tensor of TensorFlow has a name of its own.
std::string_view stem_of(std::string_view name) { return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name; }

/// Whether the name is that one, or ends with it after a '/'.
bool ends_with_name(std::string_view name, std::string_view wanted) {
  if (!name.ends_with(wanted)) return false;
  return name.size() == wanted.size() || name[name.size() - wanted.size() - 1] == '/';
}

/// Whether a constant is what is read of a layer's variable: LAYER/OPERATOR/ReadVariableOp, perhaps with _1 and so on.
bool is_reading(std::string_view name, std::string_view layer, bool is_bias) {
  const size_t last = name.rfind('/');
  if (last == std::string_view::npos || !name.substr(last + 1).starts_with("ReadVariableOp")) return false;
  name = name.substr(0, last);
  const size_t before = name.rfind('/');
  if (before == std::string_view::npos) return false;
  const std::string_view op = name.substr(before + 1);
  return (op == "BiasAdd") == is_bias && ends_with_name(name.substr(0, before), layer);
}

struct Variable {
  std::string_view layer;
  bool is_bias = false;
};
/// The variable that the name is of; an empty layer where it is none.
Variable variable_of(std::string_view name) {
  constexpr std::array<std::string_view, 3> kKernels{"/kernel", "/depthwise_kernel", "/weights"};
  constexpr std::array<std::string_view, 2> kBiases{"/bias", "/biases"};
  for (const std::string_view ending : kKernels) {
    if (name.ends_with(ending)) return {name.substr(0, name.size() - ending.size()), false};
  }
  for (const std::string_view ending : kBiases) {
    if (name.ends_with(ending)) return {name.substr(0, name.size() - ending.size()), true};
  }
  return {};
}

}  // namespace

std::vector<std::string> values_of(const std::string& name, const NetworkFacts& facts) {
  if (facts.has_value(name)) return {name};
  const std::string_view stem = stem_of(name);
  std::vector<std::string> exact, longer;
  if (stem.empty()) return {};
  for (const std::string& value : facts.names()) {
    if (stem_of(value) == stem) exact.push_back(value);
    if (ends_with_name(stem_of(value), stem)) longer.push_back(value);
  }
  if (!exact.empty()) return exact;
  if (!longer.empty()) return longer;
  const Variable variable = variable_of(stem);
  if (variable.layer.empty()) return {};
  std::vector<std::string> readings;
  for (const std::string& value : facts.names()) {
    if (facts.is_constant(value) && is_reading(stem_of(value), variable.layer, variable.is_bias)) readings.push_back(value);
  }
  return readings;
}

}  // namespace vernier::import::aimet
