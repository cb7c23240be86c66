// SPDX-License-Identifier: Apache-2.0
// Which real numbers the tensors of the graph stand for.
#include "compiler/import/quantized/lowering.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

namespace vernier::import::quantized {

std::vector<RealTensor> Lowering::real_tensors() const {
  std::map<std::string, RealTensor> found;
  const auto add = [&](const std::string& name, const Value& value) {
    if (value.kind != Value::Kind::Integers || value.has_function()) return;
    const Format& format = value.format;
    found.insert_or_assign(name, RealTensor{name, graph.tensor(value.tensor).name, value.shape, value.order, format.scales,
                                            format.zero_points, format.axis});
  };
  for (const auto& [name, value] : values_) {
    if (value.is_real) add(name, value);
  }
  // What is quantized is known by its name in the float network: the codes stand for it, and not the sums before them.
  for (const Node& node : network.nodes) {
    if (!is_quantizer(node.kind) || node.inputs.empty() || node.outputs.empty()) continue;
    const auto codes = values_.find(node.outputs.front());
    if (codes != values_.end()) add(node.inputs.front(), codes->second);
  }
  std::vector<RealTensor> result;
  for (auto& [name, tensor] : found) result.push_back(std::move(tensor));
  return result;
}

}  // namespace vernier::import::quantized
