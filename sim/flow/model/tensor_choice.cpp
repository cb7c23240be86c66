// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/tensor_choice.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/flow/look/memory_dump.hpp"
#include "sim/flow/model/layer_choice.hpp"
#include "sim/flow/model/source_layout.hpp"
#include "sim/report/layer_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace vernier::flow {
namespace {

/// Whether choose_layer() finds something, or has more to say than that there is nothing.
bool may_be_layer(const std::string& wanted, const std::vector<std::string>& names) {
  const bool is_number = !wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos;
  return is_number || wanted.find("...") != std::string::npos ||
         (!wanted.empty() && std::any_of(names.begin(), names.end(),
                                         [&](const std::string& name) { return name.find(wanted) != std::string::npos; }));
}

/// Of several tensors of a layer: those that the source has, one for each of its values.
std::set<int32_t> of_source(const std::set<int32_t>& made, const Model& model, const package::Package& package) {
  std::map<std::string, int32_t> by_name;
  for (const int32_t idx : made) {
    const std::string& tensor = package.tensors[idx].name;
    const import::SourceTensor* source = find_source_tensor(model, tensor);
    if (source == nullptr) continue;
    const bool is_new = by_name.emplace(source->name, idx).second;
    if (!is_new && source->name == tensor) by_name[source->name] = idx;
  }
  std::set<int32_t> result;
  for (const auto& [name, idx] : by_name) result.insert(idx);
  return result;
}

std::set<int32_t> made_by_layer(const TensorQuestion& question, const Model& model, const package::Package& package,
                                int64_t layer_idx) {
  std::set<int32_t> made;
  for (const package::Piece& piece : package.pieces) {
    if (package::layer_of(package, piece.command_idx) != layer_idx) continue;
    if (!question.is_meant || question.is_meant(piece.tensor_idx)) made.insert(piece.tensor_idx);
  }
  if (made.size() <= 1) return made;
  std::set<int32_t> chosen = of_source(made, model, package);
  return chosen.empty() ? made : chosen;
}

int32_t tensor_of_layer(const TensorQuestion& question, const Model& model, const package::Package& package,
                        int64_t layer_idx) {
  const std::set<int32_t> made = made_by_layer(question, model, package, layer_idx);
  if (made.size() == 1) return *made.begin();
  const std::string& layer = package.layers[layer_idx].name;
  if (made.empty())
    throw base::UserError(question.option, "no command of layer '{}' makes a tensor{}", layer, question.of_what);
  std::vector<std::string> names;
  for (const int32_t idx : made) names.push_back(package.tensors[idx].name);
  throw base::UserError(question.option, "layer '{}' makes {} tensors, wanted is one of {}", layer, names.size(),
                        fmt::join(names, ", "));
}

}  // namespace

int32_t choose_tensor(const TensorQuestion& question, const Model& model, const package::Package& package,
                      const std::string& wanted) {
  std::vector<std::string> names;
  for (size_t i = 0; i < package.tensors.size(); ++i) {
    const std::string& name = package.tensors[i].name;
    if (!is_dumped(package, static_cast<int32_t>(i))) continue;
    if (name == wanted) return static_cast<int32_t>(i);
    names.push_back(name);
  }
  for (const import::SourceTensor& source : model.source_tensors) {
    if (source.name != wanted) continue;
    for (size_t i = 0; i < package.tensors.size(); ++i) {
      if (package.tensors[i].name == source.tensor && is_dumped(package, static_cast<int32_t>(i)))
        return static_cast<int32_t>(i);
    }
  }
  std::vector<std::string> layers;
  for (const package::LayerEntry& layer : package.layers) layers.push_back(layer.name);
  const std::vector<std::string> short_names = report::shorten_layer_names(layers).names;
  std::set<int32_t> of_layers;  // of that name: what they make
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i] == wanted || short_names[i] == wanted)
      of_layers.merge(made_by_layer(question, model, package, static_cast<int64_t>(i)));
  }
  if (of_layers.size() == 1) return *of_layers.begin();
  for (const package::FoldedTensor& folded : package.folded) {
    if (folded.name == wanted)
      throw base::UserError(question.option, "no command makes tensor '{}': {}", wanted, folded.reason);
  }
  if (may_be_layer(wanted, layers))
    return tensor_of_layer(question, model, package, choose_layer(question.option, wanted, layers, short_names));
  names.insert(names.end(), short_names.begin(), short_names.end());
  throw base::UserError(question.option, "no tensor and no layer '{}'{}; allowed are a tensor's name, a layer's, or {}",
                        wanted, base::suggestion(wanted, names), question.others);
}

}  // namespace vernier::flow
