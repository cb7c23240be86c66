// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/graph_builder.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace vernier::import::quantized {

std::string GraphBuilder::unique_name(const std::string& name) {
  std::string unique = name;
  for (int copy = 2; !taken_.insert(unique).second; ++copy) unique = fmt::format("{}_{}", name, copy);
  return unique;
}

ir::TensorId GraphBuilder::add_tensor(base::ElementType type, base::Shape shape, const std::string& name) {
  graph_.tensors.push_back({unique_name(name), type, std::move(shape), nullptr});
  return static_cast<ir::TensorId>(graph_.tensors.size() - 1);
}

ir::TensorId GraphBuilder::add_constant(base::ElementType type, base::Shape shape, const std::vector<int64_t>& elements) {
  const ir::TensorId id = add_tensor(type, shape, fmt::format("const_{}", graph_.tensors.size()));
  base::Tensor values(type, std::move(shape));
  VERNIER_CHECK(static_cast<int64_t>(elements.size()) == values.size(), "{} elements for {}", elements.size(),
                base::to_string(values.shape()));
  for (size_t i = 0; i < elements.size(); ++i) values.set(static_cast<int64_t>(i), elements[i]);
  graph_.tensors.back().constant = std::make_shared<const base::Tensor>(std::move(values));
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

void GraphBuilder::rename(ir::TensorId id, const std::string& name) {
  taken_.erase(graph_.tensor(id).name);
  taken_.insert(name);
  graph_.tensors[id].name = name;
}

}  // namespace vernier::import::quantized
