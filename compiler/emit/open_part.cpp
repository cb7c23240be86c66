// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/open_part.hpp"

#include <utility>

namespace vernier::emit {

ir::TensorId OpenPart::add_tensor(ir::TensorInfo info) {
  while (!names_.insert(info.name).second) info.name += "'";
  part_.graph.tensors.push_back(std::move(info));
  return static_cast<ir::TensorId>(part_.graph.tensors.size() - 1);
}

ir::TensorId OpenPart::tensor_of(const Known& known, const std::string& name, const std::vector<CarriedValue>& values) {
  if (known.open >= 0) return known.open;
  if (known.constant) {
    const auto [place, is_new] = constants_.try_emplace(known.constant.get(), -1);
    if (is_new) place->second = add_tensor({name, known.constant->type(), known.constant->shape(), known.constant});
    return place->second;
  }
  const auto [place, is_new] = values_.try_emplace(known.value, -1);
  if (is_new) {
    const CarriedValue& value = values.at(static_cast<size_t>(known.value));
    place->second = add_tensor({value.name, value.type, value.shape, nullptr});
    part_.graph.inputs.push_back(place->second);
    part_.inputs.push_back(known.value);
  }
  return place->second;
}

ir::TensorId OpenPart::add_copy(ir::TensorId from, ir::TensorInfo info) {
  const ir::TensorId to = add_tensor(std::move(info));
  ir::Operator identity;
  identity.kind = ir::OpKind::Identity;
  identity.inputs = {from};
  identity.outputs = {to};
  part_.graph.operators.push_back(std::move(identity));
  return to;
}

void OpenPart::put_out(ir::TensorId id, ValueId value, const std::vector<CarriedValue>& values) {
  if (!outputs_.emplace(id, value).second) return;
  part_.graph.tensors[id].name = values.at(static_cast<size_t>(value)).name;
  part_.graph.outputs.push_back(id);
  part_.outputs.push_back(value);
}

std::optional<ValueId> OpenPart::value_of(ir::TensorId id) const {
  const auto found = outputs_.find(id);
  return found == outputs_.end() ? std::nullopt : std::optional(found->second);
}

FlowPart OpenPart::take() { return std::exchange(*this, {}).part_; }

}  // namespace vernier::emit
