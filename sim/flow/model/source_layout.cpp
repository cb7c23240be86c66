// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/source_layout.hpp"

#include "hw/base/element_type.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::flow {
namespace {

base::Tensor in_source_order(const base::Tensor& tensor, const import::SourceTensor& source) {
  base::Tensor result(tensor.type(), source.shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const base::Shape at = base::coordinates_of(tensor.shape(), i);
    base::Shape there(source.shape.size(), 0);
    for (size_t d = 0; d < at.size(); ++d) {
      if (source.order[d] >= 0) there[static_cast<size_t>(source.order[d])] = at[d];
    }
    int64_t index = 0;
    for (size_t d = 0; d < there.size(); ++d) index = index * source.shape[d] + there[d];
    result.set(index, tensor.at(i));
  }
  return result;
}

bool fits(const base::Tensor& tensor, const import::SourceTensor& source) {
  return source.order.size() == tensor.shape().size() && base::num_elements(source.shape) == tensor.size();
}

const package::BoundaryEnd* end_of(const Model& model, const std::string& tensor) {
  const package::BoundaryEnd* end = package::find_end(model.boundary.inputs, tensor);
  return end != nullptr ? end : package::find_end(model.boundary.outputs, tensor);
}

void add_note(DumpedTensor& tensor, const std::string& text) {
  tensor.note = tensor.note.empty() ? text : fmt::format("{}; {}", tensor.note, text);
}

}  // namespace

const import::SourceTensor* find_source_tensor(const Model& model, const std::string& tensor) {
  const import::SourceTensor* found = nullptr;
  for (const import::SourceTensor& source : model.source_tensors) {
    if (source.tensor != tensor) continue;
    if (source.name == tensor) return &source;
    if (found == nullptr) found = &source;
  }
  return found;
}

DumpedTensor as_in_source(DumpedTensor tensor, const Model& model) {
  const base::ElementType type = tensor.values.type();
  const base::Shape shape = tensor.values.shape();
  const import::SourceTensor* source = find_source_tensor(model, tensor.name);
  const package::BoundaryEnd* end = end_of(model, tensor.name);
  const bool is_signed = end != nullptr ? end->is_signed : source == nullptr || source->is_signed;
  if (!is_signed) {
    tensor.codes.emplace();
    tensor.codes->is_signed = false;
    tensor.codes->keeps_bits = end != nullptr && end->keeps_bits;
  }
  if (source != nullptr && fits(tensor.values, *source)) tensor.values = in_source_order(tensor.values, *source);
  if (!is_signed || tensor.values.shape() != shape || (source != nullptr && source->name != tensor.name)) {
    add_note(tensor, fmt::format("as the source has {}, in the graph it is {} {}",
                                 source == nullptr || source->name == tensor.name ? "it" : "'" + source->name + "'",
                                 base::to_string(type), base::to_string(shape)));
  } else if (end == nullptr && source == nullptr && !(model.boundary == package::Boundary{})) {
    add_note(tensor, model.package ? "as in the graph: a package does not say how its source has it"
                                   : "as in the graph: its source has no such value");
  }
  return tensor;
}

DumpedTensor sums_as_in_source(DumpedTensor sums, const Model& model) {
  const import::SourceTensor* source = find_source_tensor(model, sums.name);
  if (source == nullptr || !fits(sums.values, *source)) return sums;
  const base::Shape shape = sums.values.shape();
  sums.values = in_source_order(sums.values, *source);
  if (sums.values.shape() != shape)
    add_note(sums, fmt::format("in the order of the source, in the graph {}", base::to_string(shape)));
  return sums;
}

}  // namespace vernier::flow
