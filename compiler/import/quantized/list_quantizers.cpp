// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/list_quantizers.hpp"

#include "compiler/import/quantized/lowering.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

namespace vernier::import::quantized {

namespace {

class Lister {
 public:
  explicit Lister(const Network& network) : network_(network), lowering_(network) {}

  QuantizerList run() && {
    for (const Node& node : network_.nodes) {
      try {
        if (std::optional<QuantizedValue> found = quantized_by(node)) take(node, *std::move(found));
      } catch (const NodeMistake& mistake) {
        add_other(node, mistake.what());
      }
    }
    return std::move(list_);
  }

 private:
  void add_other(const Node& node, const std::string& text) {
    list_.others.push_back(fmt::format("node '{}' ({}): {}", node.name, node.kind, text));
  }

  void take(const Node& node, QuantizedValue value) {
    const auto [known, is_new] = indices_.emplace(value.name, list_.values.size());
    if (is_new) return list_.values.push_back(std::move(value));
    if (!(list_.values[known->second].quantizer == value.quantizer))
      add_other(node, fmt::format("'{}' is quantized in another way too", value.name));
  }

  [[nodiscard]] bool is_constant(const std::string& name) const { return network_.constants.contains(name); }
  [[nodiscard]] base::Shape shape_of(const std::string& name) const {
    const auto constant = network_.constants.find(name);
    return constant == network_.constants.end() ? base::Shape{} : constant->second.shape;
  }

  std::optional<QuantizedValue> quantized_by(const Node& node) {
    const std::string what = fmt::format("'{}' ({})", node.name, node.kind);
    const std::string input = node.inputs.empty() ? "" : node.inputs.front();
    if (node.kind == "QuantizeLinear") {
      quantizer_outputs_.emplace(node.outputs.at(0), input);
      const Format format = format_of(lowering_, node, shape_of(input), type_of_codes(lowering_, node));
      return QuantizedValue{end_of(node).value_or(input), what, is_constant(input), format.bits, format};
    }
    if (node.kind == "DequantizeLinear" && is_constant(input)) {
      const NumberType type = network_.constants.at(input).type;
      const Format format = format_of(lowering_, node, shape_of(input), type);
      return QuantizedValue{float_name(input), what, true, type.bits, format};
    }
    if (node.kind == "Quant") {
      const Quantizer quantizer = quantizer_of(lowering_, node, shape_of(input));
      if (quantizer.rounding == base::Rounding::Sign) refuse("has one bit");
      const auto bits = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(quantizer.greatest - quantizer.least)));
      return QuantizedValue{end_of(node).value_or(input), what, is_constant(input), bits, quantizer};
    }
    if (node.kind == "Clip" && quantizer_outputs_.contains(input)) {
      quantizer_outputs_.emplace(node.outputs.at(0), quantizer_outputs_.at(input));
      refuse("limits the codes of '{}', for which an encoding has no word", quantizer_outputs_.at(input));
    }
    if (node.kind == "DequantizeLinear" && !quantizer_outputs_.contains(input))
      refuse("'{}' holds codes of no quantizer", input);
    if (node.kind == "BipolarQuant") refuse("has one bit");
    if (node.kind == "Trunc") refuse("changes the number of bits without a scale of its own");
    return std::nullopt;
  }

  /// The output of the network that a quantizer, or the DequantizeLinear after it, gives: it keeps its name without them.
  [[nodiscard]] std::optional<std::string> end_of(const Node& quantizer) const {
    const auto is_output = [&](const std::string& name) {
      return std::any_of(network_.outputs.begin(), network_.outputs.end(), [&](const End& end) { return end.name == name; });
    };
    const std::string& codes = quantizer.outputs.front();
    if (is_output(codes)) return codes;
    for (const Node& node : network_.nodes) {
      const bool follows = node.kind == "DequantizeLinear" && !node.inputs.empty() && node.inputs.front() == codes;
      if (follows && is_output(node.outputs.front())) return node.outputs.front();
    }
    return std::nullopt;
  }

  /// The name that a constant had before it was quantized.
  [[nodiscard]] std::string float_name(const std::string& name) const {
    constexpr std::string_view kEnding = "_quantized";
    if (!name.ends_with(kEnding)) return name;
    const std::string before = name.substr(0, name.size() - kEnding.size());
    return before.empty() || is_constant(before) ? name : before;
  }

  const Network& network_;
  Lowering lowering_;
  QuantizerList list_;
  std::map<std::string, size_t> indices_;
  std::map<std::string, std::string> quantizer_outputs_;
};

}  // namespace

QuantizerList list_quantizers(const Network& network) { return Lister(network).run(); }

}  // namespace vernier::import::quantized
