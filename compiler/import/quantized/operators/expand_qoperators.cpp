// SPDX-License-Identifier: Apache-2.0
// https://onnx.ai/onnx/operators, and docs/ContribOperators.md of onnxruntime for those of com.microsoft.
#include "compiler/import/quantized/operators/expand_qoperators.hpp"

#include "compiler/import/quantized/lowering.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace vernier::import::quantized {

namespace {

class Expansion;
using Expand = void (*)(Expansion&);

struct ExpansionRow {
  std::string_view kind;     // "com.microsoft." may stand before it
  std::string_view becomes;  // the float operator
  Expand expand;
};

/// Writes the nodes that one node becomes.
class Expansion {
 public:
  Expansion(Network& network, std::set<std::string>& taken, const Node& node, const ExpansionRow& row)
      : network_(network), taken_(taken), node_(node), row_(row) {}
  void run() { row_.expand(*this); }

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] bool has(size_t index) const { return index < node_.inputs.size() && !node_.inputs[index].empty(); }
  [[nodiscard]] std::string input(size_t index) const { return has(index) ? node_.inputs[index] : ""; }

  /// Input `codes` by the scale and zero point at these inputs, as numbers. `axis` is that of several scales.
  std::string real(size_t codes, size_t scale, size_t zero_point, int64_t axis = 0) {
    if (!has(codes)) refuse("input {} is missing", codes);
    if (!has(scale)) refuse("input {}, a scale, is missing", scale);
    return dequantized(input(codes), input(scale), input(zero_point), axis);
  }
  /// The same with steps of 1.
  std::string steps(size_t codes, size_t zero_point, int64_t axis = 0) {
    if (!has(codes)) refuse("input {} is missing", codes);
    const auto zero = network_.constants.find(input(zero_point));
    Constant ones{{true, 32, true}, {}, {1}, {}};
    if (zero != network_.constants.end()) {  // as many as zero points
      ones.shape = zero->second.shape;
      ones.floats.assign(zero->second.integers.size(), 1);
    }
    return dequantized(input(codes), constant(std::move(ones)), input(zero_point), axis);
  }
  /// int32 of which each is a product of codes of the two scales.
  std::string bias(size_t codes, size_t a_scale, size_t b_scale) {
    Constant product = scale(a_scale);
    const Constant& other = scale(b_scale);
    if (product.floats.size() != 1)
      refuse("input '{}' has {} elements, expected one scale", input(a_scale), product.floats.size());
    const float factor = product.floats.front();
    product = other;
    for (float& one : product.floats) one *= factor;
    if (product.floats.size() == 1) product.shape.clear();
    return dequantized(input(codes), constant(std::move(product)), "", 0);
  }
  /// The float operator, with the node's attributes less `left_out`.
  std::string compute(const std::vector<std::string>& inputs, const std::vector<std::string_view>& left_out = {}) {
    Node node{node_.name, std::string(row_.becomes), inputs, {fresh("real")}, node_.attributes, node_.kind};
    for (const std::string_view name : left_out) node.attributes.erase(std::string(name));
    nodes_.push_back(node);
    return node.outputs[0];
  }
  /// Codes of the node's output; of the type of the zero point at `like`, where none is given.
  void quantize(const std::string& real, size_t scale, size_t zero_point, size_t like) {
    if (!has(scale)) refuse("input {}, a scale, is missing", scale);
    std::string zero = input(zero_point);
    if (zero.empty() && has(like)) {
      const auto found = network_.constants.find(input(like));
      if (found != network_.constants.end()) zero = constant({found->second.type, {}, {}, {0}});
    }
    add("QuantizeLinear", {real, input(scale), zero}, node_.outputs.at(0));
  }
  /// The sums themselves, as int32.
  void integers(const std::string& real) {
    add("QuantizeLinear", {real, constant({{true, 32, true}, {}, {1}, {}}), constant({{false, 32, true}, {}, {}, {0}})},
        node_.outputs.at(0));
  }
  /// The numbers themselves.
  void give(const std::string& real) { add("Identity", {real}, node_.outputs.at(0)); }
  void check_attribute(const std::string& name, int64_t allowed) const {
    const auto found = node_.attributes.find(name);
    if (found == node_.attributes.end()) return;
    const auto* number = std::get_if<int64_t>(&found->second);
    if (number == nullptr || *number != allowed) refuse("attribute {} is given, allowed is {}", name, allowed);
  }
  std::vector<Node> take() { return std::move(nodes_); }

 private:
  std::string fresh(const std::string& what) {
    const std::string about = fmt::format("{}_{}", node_.outputs.at(0), what);
    std::string name = about;
    for (int copy = 2; !taken_.insert(name).second; ++copy) name = fmt::format("{}_{}", about, copy);
    return name;
  }
  std::string constant(Constant value) {
    const std::string name = fresh("parameter");
    network_.constants.emplace(name, std::move(value));
    return name;
  }
  const Constant& scale(size_t index) const {
    const auto found = network_.constants.find(input(index));
    if (found == network_.constants.end() || found->second.floats.empty())
      refuse("the scale '{}' is no constant of float32", input(index));
    return found->second;
  }
  std::string dequantized(const std::string& codes, const std::string& scale, const std::string& zero, int64_t axis) {
    const std::string name = fresh("operand");
    add("DequantizeLinear", {codes, scale, zero}, name);
    nodes_.back().attributes["axis"] = axis;
    return name;
  }
  void add(const std::string& kind, std::vector<std::string> inputs, const std::string& output) {
    if (inputs.back().empty()) inputs.pop_back();
    nodes_.push_back({node_.name, kind, std::move(inputs), {output}, {}, node_.kind});
  }

  Network& network_;
  std::set<std::string>& taken_;
  const Node& node_;
  const ExpansionRow& row_;
  std::vector<Node> nodes_;
};

// Inputs by the operators' definitions.
void expand_conv(Expansion& e) {
  std::vector<std::string> inputs{e.real(0, 1, 2), e.real(3, 4, 5)};
  if (e.has(8)) inputs.push_back(e.bias(8, 1, 4));
  e.quantize(e.compute(inputs, {"channels_last"}), 6, 7, 2);
}
void expand_conv_checked(Expansion& e) {
  e.check_attribute("channels_last", 0);
  expand_conv(e);
}
void expand_matmul(Expansion& e) { e.quantize(e.compute({e.real(0, 1, 2, -2), e.real(3, 4, 5, -1)}), 6, 7, 2); }
void expand_gemm(Expansion& e) {
  const auto found = e.node().attributes.find("transB");
  const bool is_transposed = found != e.node().attributes.end() && found->second != Attribute(int64_t{0});
  std::vector<std::string> inputs{e.real(0, 1, 2), e.real(3, 4, 5, is_transposed ? 0 : 1)};
  if (e.has(6)) inputs.push_back(e.bias(6, 1, 4));
  const std::string result = e.compute(inputs);
  e.has(7) ? e.quantize(result, 7, 8, 2) : e.give(result);
}
void expand_binary(Expansion& e) { e.quantize(e.compute({e.real(0, 1, 2), e.real(3, 4, 5)}), 6, 7, 2); }
void expand_unary(Expansion& e) {
  e.check_attribute("channels_last", 0);
  e.quantize(e.compute({e.real(0, 1, 2)}, {"channels_last"}), 3, 4, 2);
}
void expand_softmax(Expansion& e) {
  // Attribute opset says which Softmax is meant, and stays with the float operator.
  const auto found = e.node().attributes.find("opset");
  const auto* opset = found == e.node().attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
  if (opset == nullptr || *opset < 1)
    refuse("attribute opset is {}, expected that of the Softmax that is meant, from 1",
           opset == nullptr ? "missing" : std::to_string(*opset));
  expand_unary(e);
}
void expand_concat(Expansion& e) {
  std::vector<std::string> inputs;
  for (size_t i = 2; i + 1 < e.node().inputs.size(); i += 3) inputs.push_back(e.real(i, i + 1, i + 2));
  e.quantize(e.compute(inputs), 0, 1, 4);
}
void expand_integer_conv(Expansion& e) { e.integers(e.compute({e.steps(0, 2), e.steps(1, 3)})); }
void expand_integer_matmul(Expansion& e) { e.integers(e.compute({e.steps(0, 2, -2), e.steps(1, 3, -1)})); }

constexpr std::array kExpansionRows{
    ExpansionRow{"ConvInteger", "Conv", expand_integer_conv},
    ExpansionRow{"MatMulInteger", "MatMul", expand_integer_matmul},
    ExpansionRow{"QGemm", "Gemm", expand_gemm},
    ExpansionRow{"QLinearAdd", "Add", expand_binary},
    ExpansionRow{"QLinearAveragePool", "AveragePool", expand_unary},
    ExpansionRow{"QLinearConcat", "Concat", expand_concat},
    ExpansionRow{"QLinearConv", "Conv", expand_conv_checked},
    ExpansionRow{"QLinearGlobalAveragePool", "GlobalAveragePool", expand_unary},
    ExpansionRow{"QLinearLeakyRelu", "LeakyRelu", expand_unary},
    ExpansionRow{"QLinearMatMul", "MatMul", expand_matmul},
    ExpansionRow{"QLinearMul", "Mul", expand_binary},
    ExpansionRow{"QLinearReduceMean", "ReduceMean", expand_unary},
    ExpansionRow{"QLinearSigmoid", "Sigmoid", expand_unary},
    ExpansionRow{"QLinearSoftmax", "Softmax", expand_softmax},
};

const ExpansionRow* find_row(std::string_view kind) {
  constexpr std::string_view kDomain = "com.microsoft.";
  if (kind.starts_with(kDomain)) kind.remove_prefix(kDomain.size());
  const auto row =
      std::find_if(kExpansionRows.begin(), kExpansionRows.end(), [&](const ExpansionRow& one) { return one.kind == kind; });
  return row == kExpansionRows.end() ? nullptr : &*row;
}

}  // namespace

bool is_qoperator(const std::string& kind) { return find_row(kind) != nullptr; }

std::string supported_qoperators() {
  std::string text;
  for (const ExpansionRow& row : kExpansionRows) text += fmt::format("{}{}", text.empty() ? "" : " ", row.kind);
  return text;
}

std::vector<std::string> expand_qoperators(Network& network) {
  std::vector<std::string> mistakes;
  if (std::none_of(network.nodes.begin(), network.nodes.end(), [](const Node& node) { return is_qoperator(node.kind); }))
    return mistakes;
  std::set<std::string> taken;
  for (const auto& [name, constant] : network.constants) taken.insert(name);
  for (const End& input : network.inputs) taken.insert(input.name);
  for (const Node& node : network.nodes) taken.insert(node.outputs.begin(), node.outputs.end());
  std::vector<Node> nodes;
  for (Node& node : network.nodes) {
    const ExpansionRow* row = find_row(node.kind);
    if (row == nullptr) {
      nodes.push_back(std::move(node));
      continue;
    }
    Expansion expansion(network, taken, node, *row);
    try {
      expansion.run();
      for (Node& part : expansion.take()) nodes.push_back(std::move(part));
    } catch (const NodeMistake& mistake) {
      mistakes.push_back(fmt::format("node '{}' ({}): {}", node.name, node.kind, mistake.what()));
    }
  }
  network.nodes = std::move(nodes);
  return mistakes;
}

}  // namespace vernier::import::quantized
