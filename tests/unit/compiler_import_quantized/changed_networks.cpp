// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/compiler_import_quantized/changed_networks.hpp"

#include "compiler/import/quantized/lower.hpp"
#include "tests/support/import_text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vernier::tests {

namespace {

using import::quantized::Attribute;
using import::quantized::Constant;
using import::quantized::Network;
using import::quantized::Node;

/// Operators that can stand in each other's place.
const std::vector<std::vector<std::string>> kKin{
    {"Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu"},
    {"Relu", "Sigmoid", "Tanh", "Neg", "Abs", "LeakyRelu", "HardSigmoid", "Gelu", "Elu", "Identity", "Clip", "Sqrt", "Erf",
     "Log", "Reciprocal", "Round", "Sign", "Not", "Cast"},
    {"MaxPool", "AveragePool"},
    {"GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ArgMax", "ArgMin"},
    {"Equal", "Greater", "Less", "And", "Where"},
    {"Reshape", "Expand", "Tile"},
    {"Softmax", "LogSoftmax", "LpNormalization"},
    {"LayerNormalization", "InstanceNormalization", "GroupNormalization"},
    {"Conv", "ConvTranspose"},
    {"LSTM", "GRU"},
    {"MatMul", "Gemm"},
    {"Concat", "Split"},
    {"DepthToSpace", "SpaceToDepth"},
    {"Squeeze", "Unsqueeze", "Flatten"},
    {"Quant", "BipolarQuant", "Trunc"},
};

class Changer {
 public:
  Changer(Network network, uint32_t seed) : network_(std::move(network)), random_(seed) {}

  Network changed() {
    using Change = bool (Changer::*)();
    constexpr std::array kChanges{&Changer::change_attribute, &Changer::change_attribute,   &Changer::change_element,
                                  &Changer::change_element,   &Changer::change_shape,       &Changer::change_number_type,
                                  &Changer::change_input,     &Changer::read_another_value, &Changer::change_kind,
                                  &Changer::insert_node,      &Changer::insert_node,        &Changer::change_ends};
    for (int attempt = 0; attempt < 20; ++attempt) {
      const Change change = kChanges[below(kChanges.size())];
      if ((this->*change)()) break;
    }
    return std::move(network_);
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  template <typename List>
  auto& any_of(List& list) {
    return *std::next(list.begin(), static_cast<int64_t>(below(list.size())));
  }
  int64_t other(int64_t number) { return std::array<int64_t, 5>{number + 1, number - 1, 0, -number, 2 * number}[below(5)]; }
  float other(float number) {
    return std::array{number + 1,
                      number / 2,
                      0.0F,
                      -number,
                      number * 3,
                      std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::quiet_NaN()}[below(7)];
  }
  std::string other(const std::string& text) {
    return std::array<std::string, 8>{
        "", text + "s", "SAME_UPPER", "SAME_LOWER", "VALID", "linear", "ROUND", "CEIL"}[below(8)];
  }
  template <typename Number>
  std::vector<Number> other(std::vector<Number> list) {
    if (list.empty() || below(5) == 0) {
      list.push_back(1);
    } else if (below(4) == 0) {
      list.pop_back();
    } else {
      Number& changed = any_of(list);
      changed = other(changed);
    }
    return list;
  }

  bool change_attribute() {
    Node& node = any_of(network_.nodes);
    if (node.attributes.empty()) return false;
    auto& [name, attribute] = any_of(node.attributes);
    if (below(6) == 0) {
      node.attributes.erase(std::string(name));
    } else {
      attribute = std::visit([&](const auto& value) { return Attribute(other(value)); }, attribute);
    }
    return true;
  }

  bool change_element() {
    if (network_.constants.empty()) return false;
    Constant& constant = any_of(network_.constants).second;
    if (!constant.floats.empty()) {
      float& element = any_of(constant.floats);
      element = other(element);
    } else if (!constant.integers.empty()) {
      int64_t& element = any_of(constant.integers);
      const int64_t limit = int64_t{1} << std::min(constant.type.bits - (constant.type.is_signed ? 1 : 0), 40);
      element = std::clamp(other(element), constant.type.is_signed ? -limit : 0, limit - 1);
    }
    return true;
  }

  /// Gives the elements of a constant another shape, or leaves some of them out.
  bool change_shape() {
    if (network_.constants.empty()) return false;
    Constant& constant = any_of(network_.constants).second;
    base::Shape& shape = constant.shape;
    const size_t kind = below(4);
    if (kind == 0) {
      shape.insert(shape.begin(), 1);
    } else if (kind == 1) {
      std::reverse(shape.begin(), shape.end());
    } else if (shape.empty()) {
      shape = {1};
    } else if (kind == 2 && shape.front() > 1) {
      const auto count = static_cast<size_t>(base::num_elements(shape) / shape.front());
      --shape.front();
      if (!constant.floats.empty()) constant.floats.resize(constant.floats.size() - count);
      if (!constant.integers.empty()) constant.integers.resize(constant.integers.size() - count);
    } else {
      shape.push_back(1);
    }
    return true;
  }

  bool change_number_type() {
    if (network_.constants.empty()) return false;
    Constant& constant = any_of(network_.constants).second;
    if (constant.type.is_float) return false;
    const auto [least, most] = std::minmax_element(constant.integers.begin(), constant.integers.end());
    if (least == constant.integers.end()) return false;
    constant.type.bits = std::array{8, 16, 32, 64}[below(4)];
    constant.type.is_signed = below(2) == 0;
    const int64_t limit = int64_t{1} << std::min(constant.type.bits - (constant.type.is_signed ? 1 : 0), 62);
    return *least >= (constant.type.is_signed ? -limit : 0) && *most < limit;
  }

  bool change_input() {
    base::Shape& shape = any_of(network_.inputs).shape;
    if (shape.empty() || below(6) == 0) {
      shape.push_back(2);
    } else if (below(5) == 0) {
      shape.erase(shape.begin());
    } else {
      int64_t& dimension = any_of(shape);
      dimension = std::array<int64_t, 3>{dimension + 1, std::max<int64_t>(1, dimension - 1), 1}[below(3)];
    }
    return true;
  }

  /// Values that a node may read: those before it, and constants.
  std::vector<std::string> readable(size_t node_idx) const {
    std::vector<std::string> names;
    for (const auto& input : network_.inputs) names.push_back(input.name);
    for (size_t i = 0; i < node_idx; ++i)
      names.insert(names.end(), network_.nodes[i].outputs.begin(), network_.nodes[i].outputs.end());
    for (const auto& constant : network_.constants) names.push_back(constant.first);
    return names;
  }

  bool read_another_value() {
    const size_t node_idx = below(network_.nodes.size());
    Node& node = network_.nodes[node_idx];
    if (node.inputs.empty()) return false;
    const size_t kind = below(6);
    if (kind == 0) {
      node.inputs.pop_back();
    } else if (kind == 1) {
      std::reverse(node.inputs.begin(), node.inputs.end());
    } else if (kind == 2) {
      any_of(node.inputs).clear();
    } else {
      const std::vector<std::string> names = readable(node_idx);
      const std::string& name = any_of(names);
      if (kind == 3) {
        node.inputs.push_back(name);
      } else {
        any_of(node.inputs) = name;
      }
    }
    return true;
  }

  bool change_kind() {
    Node& node = any_of(network_.nodes);
    for (const std::vector<std::string>& kin : kKin) {
      if (std::find(kin.begin(), kin.end(), node.kind) == kin.end()) continue;
      node.kind = any_of(kin);
      return true;
    }
    return false;
  }

  /// An operator between a node and the producer of what it reads.
  bool insert_node() {
    const size_t node_idx = below(network_.nodes.size());
    if (network_.nodes[node_idx].inputs.empty()) return false;
    std::string& read = any_of(network_.nodes[node_idx].inputs);
    if (read.empty()) return false;
    Node added{"added", "", {read}, {"added_value"}, {}};
    static const std::vector<std::string> kKinds{"Relu",      "Transpose", "Neg",  "Sigmoid",    "Identity",
                                                 "Unsqueeze", "Flatten",   "Clip", "ReduceMean", "Softmax",
                                                 "Squeeze",   "Add",       "Mul",  "Concat"};
    added.kind = any_of(kKinds);
    if (added.kind == "Add" || added.kind == "Mul" || added.kind == "Concat") {
      const std::vector<std::string> names = readable(node_idx);
      added.inputs.push_back(any_of(names));
    }
    if (added.kind == "Concat" || added.kind == "Softmax") added.attributes["axis"] = static_cast<int64_t>(below(4)) - 2;
    if (added.kind == "Unsqueeze" && network_.opset < 13) added.attributes["axes"] = std::vector<int64_t>{0};
    read = "added_value";
    network_.nodes.insert(network_.nodes.begin() + static_cast<int64_t>(node_idx), std::move(added));
    return true;
  }

  /// What the network gives, or the version of its operators.
  bool change_ends() {
    if (below(2) == 0) {
      network_.opset = std::array<int64_t, 6>{9, 10, 11, 12, 13, 18}[below(6)];
      return true;
    }
    const Node& node = any_of(network_.nodes);
    if (node.outputs.empty()) return false;
    network_.outputs.push_back({node.outputs.front(), {}, {}});
    return true;
  }

  Network network_;
  std::mt19937 random_;
};

/// The same for equal networks.
uint32_t seed_of(const Network& network) {
  std::string text = fmt::format("{}", network.opset);
  for (const auto& input : network.inputs) text += fmt::format(" {} {}", input.name, base::to_string(input.shape));
  for (const Node& node : network.nodes) {
    text += " " + node.kind;
    for (const std::string& input : node.inputs) text += " " + input;
    for (const auto& attribute : node.attributes) text += " " + attribute.first;
  }
  for (const auto& [name, constant] : network.constants) {
    text += fmt::format(" {} {} {}", name, to_string(constant.type), base::to_string(constant.shape));
    for (const float element : constant.floats) text += fmt::format(" {}", element);
    for (const int64_t element : constant.integers) text += fmt::format(" {}", element);
  }
  return base::crc32(std::as_bytes(std::span(text)));
}

constexpr size_t kNetworksOfCase = 8;
constexpr uint32_t kChangesOfNetwork = 40;

}  // namespace

void check_changed_networks(const Network& network, const import::Options& options) {
  static Recorded rows("tests/unit/compiler_import_quantized/recorded_changed.txt");
  static std::map<std::string, std::set<uint32_t>> met;
  const uint32_t seed = seed_of(network);
  std::set<uint32_t>& of_case = met[Catch::getResultCapture().getCurrentTestName()];
  if (network.nodes.empty() || of_case.size() == kNetworksOfCase || !of_case.insert(seed).second) return;
  std::string text;
  int num_taken = 0;
  for (uint32_t i = 0; i < kChangesOfNetwork; ++i) {
    try {
      const import::ImportResult result = import::quantized::lower("f", Changer(network, seed + i).changed(), options);
      num_taken += result.graph ? 1 : 0;
      text += text_of(result);
    } catch (const std::exception& error) {
      text += fmt::format("internal error: {}\n", error.what());
    }
  }
  rows.check(fmt::format("{} of {} are taken", num_taken, kChangesOfNetwork), text);
}

}  // namespace vernier::tests
