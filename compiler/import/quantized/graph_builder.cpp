// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/graph_builder.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostShared = 4096;  // elements, which are compared

}  // namespace

std::string GraphBuilder::unique_name(const std::string& name) {
  std::string unique = name;
  for (int& copy = copies_[name]; !taken_.insert(unique).second;) unique = fmt::format("{}_{}", name, ++copy + 1);
  return unique;
}

ir::TensorId GraphBuilder::add_tensor(base::ElementType type, base::Shape shape, const std::string& name) {
  graph_.tensors.push_back({unique_name(name), type, std::move(shape), nullptr});
  return static_cast<ir::TensorId>(graph_.tensors.size() - 1);
}

ir::TensorId GraphBuilder::add_constant(base::ElementType type, base::Shape shape, const std::vector<int64_t>& elements) {
  const bool is_shared = does_share_ && std::ssize(elements) <= kMostShared;
  if (is_shared) {
    const auto found = shared_.find({type, shape, elements});
    if (found != shared_.end()) return found->second;
  }
  base::Tensor values(type, shape);
  VERNIER_CHECK(static_cast<int64_t>(elements.size()) == values.size(), "{} elements for {}", elements.size(),
                base::to_string(values.shape()));
  for (size_t i = 0; i < elements.size(); ++i) values.set(static_cast<int64_t>(i), elements[i]);
  const ir::TensorId id = add_constant(std::move(values));
  if (is_shared) shared_[{type, std::move(shape), elements}] = id;
  return id;
}

ir::TensorId GraphBuilder::add_constant(base::Tensor value) {
  const ir::TensorId id = add_tensor(value.type(), value.shape(), fmt::format("const_{}", graph_.tensors.size()));
  graph_.tensors.back().constant = std::make_shared<const base::Tensor>(std::move(value));
  return id;
}

ir::TensorId GraphBuilder::add_shape(const std::vector<int64_t>& elements) {
  return add_constant(base::ElementType::Shape, {static_cast<int64_t>(elements.size())}, elements);
}

ir::TensorId GraphBuilder::add(ir::OpKind kind, ir::Attributes attributes, std::vector<ir::TensorId> inputs,
                               const Result& result, const std::string& layer) {
  const ir::TensorId output = add_tensor(result.type, result.shape, result.name);
  graph_.operators.push_back({kind, std::move(attributes), std::move(inputs), {output}, layer});
  return output;
}

ir::TensorId GraphBuilder::concat(std::vector<ir::TensorId> parts, size_t axis, const std::string& name,
                                  const std::string& layer) {
  constexpr std::ptrdiff_t kMostParts = 64;
  VERNIER_CHECK(!parts.empty(), "{} joins nothing", name);
  while (parts.size() > 1) {
    std::vector<ir::TensorId> wider;
    for (auto begin = parts.begin(); begin != parts.end();) {
      const auto end = parts.end() - begin > kMostParts ? begin + kMostParts : parts.end();
      const std::vector<ir::TensorId> group(begin, end);
      base::Shape shape = tensor(group[0]).shape;
      for (size_t i = 1; i < group.size(); ++i) shape[axis] += tensor(group[i]).shape[axis];
      const base::ElementType type = tensor(group[0]).type;
      wider.push_back(group.size() == 1 ? group[0]
                                        : add(ir::OpKind::Concat, ir::AxisAttributes{static_cast<int64_t>(axis)}, group,
                                              {type, shape, name}, layer));
      begin = end;
    }
    parts = std::move(wider);
  }
  return parts[0];
}

void GraphBuilder::rename(ir::TensorId id, const std::string& name) {
  const std::string& old = graph_.tensor(id).name;
  // The last number of a name is free again.
  const auto counted = copies_.find(old.substr(0, old.rfind('_')));
  if (counted != copies_.end() && old == fmt::format("{}_{}", counted->first, counted->second + 1)) --counted->second;
  taken_.erase(old);
  taken_.insert(name);
  graph_.tensors[id].name = name;
}

void remove_unread(ir::Graph& graph) {
  base::IndexedVector<ir::TensorId, bool> is_read(graph.tensors.size());
  for (const ir::TensorId id : graph.outputs) is_read[id] = true;
  std::vector<ir::Operator> kept;
  for (auto op = graph.operators.rbegin(); op != graph.operators.rend(); ++op) {
    if (!is_read[op->outputs.front()]) continue;
    for (const ir::TensorId id : op->inputs) is_read[id] = true;
    kept.push_back(std::move(*op));
  }
  graph.operators.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace vernier::import::quantized
