// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/apply_encodings.hpp"

#include "compiler/import/aimet/network_facts.hpp"
#include "compiler/import/aimet/readers.hpp"
#include "compiler/import/aimet/tensor_names.hpp"
#include "compiler/import/aimet/tensor_quantizer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace vernier::import::aimet {

using quantized::Network;
using quantized::Node;
using quantized::Quantizer;

namespace {

using Quantizers = std::map<std::string, Quantizer>;  // by value

/// What the file says of each value, and what follows for the others.
class Assignment {
 public:
  Assignment(const NetworkFacts& facts, Findings& findings)
      : facts_(facts), findings_(findings), before_(findings.sorted()) {}

  void take(const Encoding& encoding) {
    const Place place = place_of_tensor(encoding.name, findings_);
    const std::vector<std::string> values = values_of(encoding.name, facts_);
    if (values.empty()) return place.error(encoding.line, "is not in the network");
    if (values.size() > 1)
      return place.error(encoding.line,
                         fmt::format("may be {} of the network, needed is one of these names", fmt::join(values, " or ")));
    const std::string& value = values.front();
    if (const auto [known, is_new] = by_value_.emplace(value, encoding.name); !is_new)
      return place.error(encoding.line, fmt::format("is tensor {} of the network, as tensor {} is", value, known->second));
    if (value != encoding.name) place.add(Severity::Note, encoding.line, fmt::format("is tensor {} of the network", value));
    if (encoding.dtype == DataType::Integer && encoding.channels.empty()) {
      partial_[value] = encoding.line;
      return;
    }
    if (auto quantizer = quantizer_of(encoding, value, facts_, place)) quantizers_.emplace(value, *std::move(quantizer));
  }

  /// Of all values that have no encoding: a note where it can be derived, else an error.
  void derive() {
    for (const quantized::End& input : facts_.network().inputs) {
      if (input.type.is_float && !is_said(input.name)) missing(input.name, "is an input of the network");
    }
    for (const Node& node : facts_.network().nodes) {
      for (size_t i = 0; i < node.inputs.size(); ++i) derive_constant(node, i);
      for (const std::string& output : node.outputs) derive_output(node, output);
    }
  }

  [[nodiscard]] const Quantizers& quantizers() const { return quantizers_; }

 private:
  [[nodiscard]] bool is_said(const std::string& value) const {
    return by_value_.contains(value) && !partial_.contains(value);
  }

  /// Whether the file has something of that tensor, which is wrong and has been told.
  [[nodiscard]] bool is_wrong(const std::string& value) const {
    const std::string who = "tensor " + clipped(value);
    return std::any_of(before_.begin(), before_.end(), [&](const Finding& finding) {
      return finding.text.starts_with(who + ":") || finding.text.starts_with(who + ", channel ");
    });
  }

  void missing(const std::string& value, const std::string& what) {
    if (!told_.insert(value).second || is_wrong(value)) return;
    const auto partial = partial_.find(value);
    const std::string lack = partial == partial_.end() ? "has no encoding" : "has a number of bits only, and no grid";
    place_of_tensor(value, findings_).error(partial == partial_.end() ? 0 : partial->second, lack + "; it " + what);
  }

  void note(const std::string& value, const std::string& text) {
    if (told_.insert(value).second) place_of_tensor(value, findings_).add(Severity::Note, 0, "has no encoding: " + text);
  }

  void derive_constant(const Node& node, size_t index) {
    const std::string& name = node.inputs[index];
    const auto found = facts_.network().constants.find(name);
    if (found == facts_.network().constants.end() || !found->second.type.is_float || is_said(name)) return;
    if (facts_.is_bias(name)) return note(name, "a bias, taken as int32 with the scale of the sums that it is added to");
    if (is_operand(node.kind, index)) missing(name, fmt::format("is read by node '{}' ({})", node.name, node.kind));
  }

  void derive_output(const Node& node, const std::string& output) {
    if (output.empty() || is_said(output) || no_reals_.contains(output)) return;
    constexpr std::array<std::string_view, 3> kOfIntegers{"Shape", "Size", "NonZero"};
    const auto has_no_reals = [&](const std::string& name) {
      const auto constant = facts_.network().constants.find(name);
      const bool is_list = constant != facts_.network().constants.end() && !constant->second.type.is_float;
      return name.empty() || is_list || no_reals_.contains(name);
    };
    if (std::find(kOfIntegers.begin(), kOfIntegers.end(), node.kind) != kOfIntegers.end() ||
        std::all_of(node.inputs.begin(), node.inputs.end(), has_no_reals)) {
      no_reals_.insert(output);
      return;
    }
    if (moves_data(node.kind) && !node.inputs.empty())
      return note(output, fmt::format("node '{}' ({}) moves the codes of {}", node.name, node.kind, node.inputs.front()));
    const Node* clamp = facts_.only_clamp_after(output);
    if (clamp != nullptr && gives_sums(node.kind))
      return note(output, fmt::format("no quantizer between nodes '{}' ({}) and '{}' ({})", node.name, node.kind,
                                      clamp->name, clamp->kind));
    const Node* bias = facts_.only_bias_after(output);
    if (bias != nullptr && is_sum_with(*bias))
      return note(output, fmt::format("no quantizer between nodes '{}' ({}) and '{}' ({})", node.name, node.kind, bias->name,
                                      bias->kind));
    missing(output, fmt::format("is given by node '{}' ({})", node.name, node.kind));
  }

  /// Whether the constant of such an Add is a bias for the file too, and no operand with codes of its own.
  [[nodiscard]] bool is_sum_with(const Node& add) const {
    return std::all_of(add.inputs.begin(), add.inputs.end(), [&](const std::string& name) {
      const auto said = quantizers_.find(name);
      return !facts_.is_constant(name) || said == quantizers_.end() || said->second.format.bits == 32;
    });
  }

  const NetworkFacts& facts_;
  Findings& findings_;
  std::vector<Finding> before_;  // of the file itself
  Quantizers quantizers_;
  std::map<std::string, std::string> by_value_;  // to the file's name
  std::map<std::string, int64_t> partial_;       // values of which the file has the number of bits only, with its line
  std::set<std::string> told_, no_reals_;
};

/// The network with its quantizers. A value that is quantized keeps its name; what is quantized gets another, unless it is
/// an input of the network.
class Insertion {
 public:
  Insertion(const NetworkFacts& facts, Network& network) : taken_(facts.names()), network_(network) {}

  void run(const Quantizers& quantizers) {
    for (const auto& [value, quantizer] : quantizers) {
      const bool is_input = std::any_of(network_.inputs.begin(), network_.inputs.end(),
                                        [&, &name = value](const quantized::End& end) { return end.name == name; });
      if (is_input) {
        before_.push_back(quantizer_node(value, value, unique(value + "_quantized"), quantizer));
        rename_inputs(value, before_.back().outputs.front());
      } else if (auto constant = network_.constants.extract(value); !constant.empty()) {
        constant.key() = unique(value + "_float");
        before_.push_back(quantizer_node(value, constant.key(), value, quantizer));
        network_.constants.insert(std::move(constant));
      } else {
        after_.emplace(value, quantizer_node(value, unique(value + "_float"), value, quantizer));
      }
    }
    std::vector<Node> nodes = std::move(before_);
    for (Node& node : network_.nodes) {
      std::vector<Node> quantizers_after;
      for (std::string& output : node.outputs) {
        const auto found = after_.find(output);
        if (found == after_.end()) continue;
        output = found->second.inputs.front();
        quantizers_after.push_back(std::move(found->second));
      }
      nodes.push_back(std::move(node));
      std::move(quantizers_after.begin(), quantizers_after.end(), std::back_inserter(nodes));
    }
    network_.nodes = std::move(nodes);
  }

 private:
  static Node quantizer_node(const std::string& name, const std::string& from, const std::string& to,
                             const Quantizer& quantizer) {
    return {name, "Encoding", {from}, {to}, {}, {}, std::make_shared<const Quantizer>(quantizer)};
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  void rename_inputs(const std::string& from, const std::string& to) {
    for (Node& node : network_.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  }

  std::set<std::string> taken_;
  Network& network_;
  std::vector<Node> before_;
  std::map<std::string, Node> after_;
};

/// The first node that is a quantizer of the network's own, or null.
const Node* own_quantizer(const Network& network) {
  constexpr std::array<std::string_view, 6> kKinds{"QuantizeLinear", "DequantizeLinear",     "Quant", "BipolarQuant",
                                                   "Trunc",          "DynamicQuantizeLinear"};
  const auto found = std::find_if(network.nodes.begin(), network.nodes.end(), [&](const Node& node) {
    return std::find(kKinds.begin(), kKinds.end(), node.kind) != kKinds.end();
  });
  return found == network.nodes.end() ? nullptr : &*found;
}

}  // namespace

void apply_encodings(const Encodings& encodings, Network& network, Findings& findings) {
  if (const Node* node = own_quantizer(network)) {
    findings.add(
        Severity::Error, 0,
        fmt::format("the network has quantizers of its own, such as node '{}' ({}); encodings go with a float network",
                    node->name, node->kind));
    return;
  }
  const NetworkFacts facts(network);
  Assignment assignment(facts, findings);
  for (const Encoding& encoding : encodings.tensors) assignment.take(encoding);
  assignment.derive();
  if (findings.count(Severity::Error) + findings.count(Severity::Unsupported) == 0)
    Insertion(facts, network).run(assignment.quantizers());
}

}  // namespace vernier::import::aimet
