// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/tensor_choice.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/layer_choice.hpp"
#include "sim/flow/memory_dump.hpp"
#include "sim/report/layer_names.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace vernier::cli {
namespace {

/// Whether choose_layer() finds something, or has more to say than that there is nothing.
bool may_be_layer(const std::string& wanted, const std::vector<std::string>& names) {
  const bool is_number = !wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos;
  return is_number || wanted.find("...") != std::string::npos ||
         (!wanted.empty() && std::any_of(names.begin(), names.end(),
                                         [&](const std::string& name) { return name.find(wanted) != std::string::npos; }));
}

int32_t tensor_of_layer(const TensorQuestion& question, const package::Package& package, int64_t layer_idx) {
  std::set<int32_t> made;
  for (const package::Piece& piece : package.pieces) {
    if (package::layer_of(package, piece.command_idx) != layer_idx) continue;
    if (!question.is_meant || question.is_meant(piece.tensor_idx)) made.insert(piece.tensor_idx);
  }
  if (made.size() == 1) return *made.begin();
  const std::string& layer = package.layers[static_cast<size_t>(layer_idx)].name;
  if (made.empty())
    throw base::UserError(question.option, "no command of layer '{}' makes a tensor{}", layer, question.of_what);
  std::vector<std::string> names;
  for (const int32_t idx : made) names.push_back(package.tensors[static_cast<size_t>(idx)].name);
  throw base::UserError(question.option, "layer '{}' makes {} tensors, wanted is one of {}", layer, names.size(),
                        fmt::join(names, ", "));
}

}  // namespace

int32_t choose_tensor(const TensorQuestion& question, const package::Package& package, const std::string& wanted) {
  std::vector<std::string> names;
  for (size_t i = 0; i < package.tensors.size(); ++i) {
    const std::string& name = package.tensors[i].name;
    if (!flow::is_dumped(package, static_cast<int32_t>(i))) continue;
    if (name == wanted) return static_cast<int32_t>(i);
    names.push_back(name);
  }
  for (const package::FoldedTensor& folded : package.folded) {
    if (folded.name == wanted)
      throw base::UserError(question.option, "no command makes tensor '{}': {}", wanted, folded.reason);
  }
  std::vector<std::string> layers;
  for (const package::LayerEntry& layer : package.layers) layers.push_back(layer.name);
  if (may_be_layer(wanted, layers))
    return tensor_of_layer(question, package,
                           choose_layer(question.option, wanted, layers, report::shorten_layer_names(layers).names));
  const std::vector<std::string> short_names = report::shorten_layer_names(layers).names;
  names.insert(names.end(), short_names.begin(), short_names.end());
  throw base::UserError(question.option, "no tensor and no layer '{}'{}; allowed are a tensor's name, a layer's, or {}",
                        wanted, base::suggestion(wanted, names), question.others);
}

}  // namespace vernier::cli
