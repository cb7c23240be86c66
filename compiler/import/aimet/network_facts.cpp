// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/network_facts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

namespace vernier::import::aimet {

using quantized::Node;

namespace {

template <size_t N>
bool is_one_of(const std::string& kind, const std::array<std::string_view, N>& kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

constexpr std::array<std::string_view, 4> kLayers{"Conv", "ConvTranspose", "Gemm", "MatMul"};

bool has_flag(const Node& node, const std::string& name) {
  const auto found = node.attributes.find(name);
  const int64_t* flag = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return flag != nullptr && *flag != 0;
}

}  // namespace

NetworkFacts::NetworkFacts(const quantized::Network& network) : network_(network) {
  for (const auto& [name, constant] : network.constants) names_.insert(name);
  for (const quantized::End& input : network.inputs) names_.insert(input.name);
  for (const quantized::End& output : network.outputs) outputs_.insert(output.name);
  for (size_t i = 0; i < network.nodes.size(); ++i) {
    const Node& node = network.nodes[i];
    for (size_t input = 0; input < node.inputs.size(); ++input) readers_[node.inputs[input]].push_back({i, input});
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      names_.insert(output);
      producers_[output] = i;
    }
  }
}

const std::vector<Reader>& NetworkFacts::readers(const std::string& name) const {
  static const std::vector<Reader> kNone;
  const auto found = readers_.find(name);
  return found == readers_.end() ? kNone : found->second;
}

const Node* NetworkFacts::producer(const std::string& name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? nullptr : &network_.nodes[found->second];
}

const Node* NetworkFacts::only_clamp_after(const std::string& name) const {
  const std::vector<Reader>& all = readers(name);
  if (all.size() != 1 || is_output(name) || all.front().input != 0) return nullptr;
  const Node& node = network_.nodes[all.front().node];
  return node.kind == "Relu" || node.kind == "Clip" ? &node : nullptr;
}

const Node* NetworkFacts::only_bias_after(const std::string& name) const {
  const std::vector<Reader>& all = readers(name);
  const Node* layer = producer(name);
  if (all.size() != 1 || is_output(name) || layer == nullptr || layer->kind != "MatMul" || layer->inputs.size() != 2)
    return nullptr;
  const Node& add = network_.nodes[all.front().node];
  const auto weights = network_.constants.find(layer->inputs[1]);
  if (add.kind != "Add" || add.inputs.size() != 2 || weights == network_.constants.end()) return nullptr;
  const auto bias = network_.constants.find(add.inputs[1 - all.front().input]);
  const base::Shape& shape = weights->second.shape;
  if (bias == network_.constants.end() || shape.size() != 2 || !bias->second.type.is_float) return nullptr;
  const int64_t count = base::num_elements(bias->second.shape);
  const bool is_for_columns = count == 1 || (count == shape[1] && bias->second.shape.back() == count);
  return is_for_columns ? &add : nullptr;
}

bool NetworkFacts::is_shift(const std::string& name) const {
  const std::vector<Reader>& all = readers(name);
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const Reader& reader) {
    return reader.input == 2 && network_.nodes[reader.node].kind == "BatchNormalization";
  });
}

bool NetworkFacts::is_bias(const std::string& name) const {
  const std::vector<Reader>& all = readers(name);
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const Reader& reader) {
    const Node& node = network_.nodes[reader.node];
    const bool is_added = node.kind == "Add" && node.inputs.size() == 2 && reader.input < 2 &&
                          only_bias_after(node.inputs[1 - reader.input]) == &node;
    return is_added || (reader.input == 2 && is_one_of(node.kind, kLayers));
  });
}

int64_t NetworkFacts::channel_axis(const std::string& name) const {
  for (const auto [index, input] : readers(name)) {
    const Node& node = network_.nodes[index];
    if (input != 1) continue;
    if (node.kind == "ConvTranspose" || (node.kind == "Gemm" && !has_flag(node, "transB"))) return 1;
    if (node.kind == "MatMul") return static_cast<int64_t>(network_.constants.at(name).shape.size()) - 1;
  }
  return 0;
}

bool is_operand(const std::string& kind, size_t index) {
  constexpr std::array<std::string_view, 11> kOfAll{"Add", "Sub",    "Mul", "Div",  "Pow",  "Max",
                                                    "Min", "Concat", "Sum", "Mean", "PRelu"};
  if (index == 0 || is_one_of(kind, kOfAll)) return true;
  return index == 1 && is_one_of(kind, kLayers);
}

bool moves_data(const std::string& kind) {
  constexpr std::array<std::string_view, 14> kKinds{"DepthToSpace", "Expand",  "Flatten",   "Gather",   "Identity",
                                                    "MaxPool",      "Pad",     "Reshape",   "Slice",    "SpaceToDepth",
                                                    "Split",        "Squeeze", "Transpose", "Unsqueeze"};
  return is_one_of(kind, kKinds);
}

bool gives_sums(const std::string& kind) { return kind == "Add" || is_one_of(kind, kLayers); }

}  // namespace vernier::import::aimet
