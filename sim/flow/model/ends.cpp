// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/ends.hpp"

namespace vernier::flow {

namespace {

/// `ids` are of tensors, which have a name, a type and a shape.
template <typename Tensors, typename Ids>
std::vector<End> ends_in(const Tensors& tensors, const Ids& ids, const std::vector<package::BoundaryEnd>& boundary) {
  std::vector<End> ends;
  for (const auto id : ids) {
    const auto& tensor = tensors[id];
    const package::BoundaryEnd* source = package::find_end(boundary, tensor.name);
    ends.push_back({tensor.name, tensor.type, tensor.shape, source == nullptr ? std::nullopt : std::optional(*source)});
  }
  return ends;
}

}  // namespace

Ends ends_of(const ir::Graph& graph, const package::Boundary& boundary) {
  return {ends_in(graph.tensors, graph.inputs, boundary.inputs), ends_in(graph.tensors, graph.outputs, boundary.outputs)};
}

Ends ends_of(const package::Package& package) {
  return {ends_in(package.tensors, package.inputs, package.boundary.inputs),
          ends_in(package.tensors, package.outputs, package.boundary.outputs)};
}

Ends ends_of(const Model& model) { return model.package ? ends_of(*model.package) : ends_of(*model.graph, model.boundary); }

}  // namespace vernier::flow
