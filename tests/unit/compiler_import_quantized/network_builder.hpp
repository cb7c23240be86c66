// SPDX-License-Identifier: Apache-2.0
// Small quantized networks, lowered and run: codes in, codes out.
#pragma once

#include "compiler/import/import.hpp"
#include "compiler/import/quantized/lower.hpp"
#include "compiler/reference/interpreter.hpp"
#include "tests/support/import_text.hpp"
#include "tests/unit/compiler_import_quantized/changed_networks.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vernier::tests {

using import::ImportResult;
using import::quantized::Attribute;
using import::quantized::Constant;
using import::quantized::Network;
using import::quantized::Node;
using import::quantized::NumberType;

inline constexpr NumberType kFloat{true, 32, true}, kInt8{false, 8, true}, kUint8{false, 8, false}, kInt16{false, 16, true},
    kInt32{false, 32, true}, kInt64{false, 64, true};

inline Recorded& recorded_networks() {
  static Recorded rows("tests/unit/compiler_import_quantized/recorded.txt");
  return rows;
}

/// Input "x"; each call adds a node and gives the name of its value.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(base::Shape shape, NumberType type = kFloat) {
    network.opset = 21;
    network.inputs.push_back({"x", type, std::move(shape)});
  }

  std::string constant(NumberType type, base::Shape shape, const std::vector<double>& elements) {
    Constant constant{type, std::move(shape), {}, {}};
    for (const double element : elements) {
      if (type.is_float)
        constant.floats.push_back(static_cast<float>(element));
      else
        constant.integers.push_back(static_cast<int64_t>(element));
    }
    const std::string name = fmt::format("c{}", network.constants.size());
    network.constants[name] = std::move(constant);
    return name;
  }

  std::string node(const std::string& kind, const std::vector<std::string>& inputs,
                   std::map<std::string, Attribute> attributes = {}) {
    const std::string output = fmt::format("v{}", network.nodes.size());
    network.nodes.push_back({fmt::format("n_{}", output), kind, inputs, {output}, std::move(attributes)});
    return output;
  }

  /// QuantizeLinear and DequantizeLinear.
  std::string quantized(const std::string& value, double scale, int64_t zero_point, NumberType type = kInt8) {
    const std::vector<std::string> format{constant(kFloat, {}, {scale}),
                                          constant(type, {}, {static_cast<double>(zero_point)})};
    const std::string codes = node("QuantizeLinear", {value, format[0], format[1]});
    return node("DequantizeLinear", {codes, format[0], format[1]});
  }
  /// Integers through DequantizeLinear; a scale for each index of `axis` where there are several.
  std::string weights(base::Shape shape, const std::vector<double>& codes, const std::vector<double>& scales,
                      int64_t axis = 0, NumberType type = kInt8) {
    const auto count = static_cast<int64_t>(scales.size());
    const base::Shape scale_shape = count == 1 ? base::Shape{} : base::Shape{count};
    return node("DequantizeLinear", {constant(type, std::move(shape), codes), constant(kFloat, scale_shape, scales)},
                {{"axis", axis}});
  }
  void output(const std::string& value) { network.outputs.push_back({value, kFloat, {}}); }

  ImportResult lowered(const import::Options& options = {}) const {
    check_changed_networks(network, options);
    return recorded(recorded_networks(), import::quantized::lower("f", network, options));
  }
  /// The lines of all findings, without the file's name.
  std::string complaints(const import::Options& options = {}) const {
    std::string text;
    for (const import::Finding& finding : lowered(options).findings)
      text += fmt::format("{}{}", text.empty() ? "" : "\n", finding.text.substr(3));
    return text;
  }
  /// The codes of the first output for codes of the input.
  std::vector<int64_t> run(const std::vector<int64_t>& codes, const import::Options& options = {}) const {
    ImportResult result = lowered(options);
    const ir::Graph graph = import::take_graph(result);
    const ir::TensorInfo& input = graph.tensor(graph.inputs.at(0));
    base::Tensor tensor(input.type, input.shape);
    for (size_t i = 0; i < codes.size(); ++i) tensor.set(static_cast<int64_t>(i), codes[i]);
    const base::Tensor output = reference::run(graph, {tensor}).outputs.at(0);
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < output.size(); ++i) elements.push_back(output.at(i));
    return elements;
  }

  Network network;
};

}  // namespace vernier::tests
