// SPDX-License-Identifier: Apache-2.0
// QONNX's operators: their domains, and the versions of Trunc.
#include "compiler/import/onnx/onnx_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace vernier::import::onnx_file {

namespace {

using quantized::Node;

/// qonnx's own, Brevitas' alias of it, and the older name.
constexpr std::array<std::string_view, 3> kDomains{"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"};

/// The domain of QONNX that a node's kind begins with; "" when there is none.
std::string_view domain_of(const std::string& kind) {
  for (const std::string_view domain : kDomains) {
    if (kind.starts_with(domain) && kind.size() > domain.size() && kind[domain.size()] == '.') return domain;
  }
  return "";
}

/// Version 1 of Trunc has 5 inputs and version 2 has 6, with out_scale. The number of inputs decides.
void check_trunc(Source& source, const Node& node, std::string_view domain, int64_t declared) {
  const std::string says = declared == 0 ? fmt::format("imports no version of {}", domain)
                                         : fmt::format("imports version {} of {}", declared, domain);
  if (node.inputs.size() == 5 && declared >= 2)
    source.add_mistake("node '{}' (Trunc) has 5 inputs, expected 6: out_scale is missing, since the file {}", node.name,
                       says);
  if (node.inputs.size() == 6 && declared < 2)
    source.add_warning("node '{}' (Trunc) has 6 inputs, so it is version 2, although the file {}", node.name, says);
}

}  // namespace

bool is_qonnx_node(const Node& node) { return !domain_of(node.kind).empty(); }

void resolve_qonnx(Source& source, const onnx::ModelProto& model, quantized::Network& network) {
  std::map<std::string, int64_t, std::less<>> versions;
  for (const auto& import : model.opset_import()) versions[import.domain()] = import.version();
  for (Node& node : network.nodes) {
    const std::string_view domain = domain_of(node.kind);
    if (domain.empty()) continue;
    const std::string kind = node.kind.substr(domain.size() + 1);
    const auto version = versions.find(domain);
    constexpr std::array<std::string_view, 6> kKnown{"BipolarQuant", "IntQuant",       "MultiThreshold",
                                                     "Quant",        "QuantAvgPool2d", "Trunc"};
    const bool is_known = std::find(kKnown.begin(), kKnown.end(), kind) != kKnown.end();
    if (kind == "FloatQuant") {
      source.add_mistake("node '{}' (FloatQuant) gives floats of few bits, allowed are integers", node.name);
    } else if (!is_known) {
      source.add_mistake("node '{}' ({}) is not supported, supported of {} are {}", node.name, kind, domain,
                         fmt::join(kKnown, " "));
    }
    if (kind == "Trunc") check_trunc(source, node, domain, version == versions.end() ? 0 : version->second);
    if (is_known) node.kind = kind == "IntQuant" ? "Quant" : kind;  // one operator, two names
  }
}

}  // namespace vernier::import::onnx_file
