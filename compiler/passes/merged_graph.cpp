// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/merged_graph.hpp"

#include <memory>
#include <utility>

namespace vernier::passes {

void MergedGraphBuilder::begin(const ir::Graph& source) {
  for (const ir::TensorInfo& tensor : source.tensors) names_.insert(tensor.name);
  made_.num_source_tensors = source.tensors.size();
  made_.graph.tensors = source.tensors;
  made_.graph.inputs = source.inputs;
  made_.graph.outputs = source.outputs;
}

void MergedGraphBuilder::add(ir::Operator op, std::vector<ir::OpId> source_ops) {
  made_.graph.operators.push_back(std::move(op));
  made_.source_ops.push_back(std::move(source_ops));
}

ir::TensorId MergedGraphBuilder::add_tensor(std::string name, base::ElementType type, const base::Shape& shape) {
  while (!names_.insert(name).second) name += '_';
  made_.graph.tensors.push_back({std::move(name), type, shape, nullptr});
  return static_cast<ir::TensorId>(made_.graph.tensors.size() - 1);
}

ir::TensorId MergedGraphBuilder::add_constant(const std::string& name, base::Tensor value) {
  const ir::TensorId id = add_tensor(name, value.type(), value.shape());
  made_.graph.tensors.back().constant = std::make_shared<const base::Tensor>(std::move(value));
  return id;
}

}  // namespace vernier::passes
