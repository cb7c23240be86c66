// SPDX-License-Identifier: Apache-2.0
// Values by name, and the order of their dimensions.
#include "compiler/import/quantized/lowering.hpp"

#include "compiler/import/quantized/boundary/host.hpp"
#include "compiler/import/quantized/boundary/input_formats.hpp"
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

base::ElementType element_type(int32_t bits) {
  if (bits == kBoolBits) return base::ElementType::Bool;
  return bits == 8 ? base::ElementType::Int8 : bits == 16 ? base::ElementType::Int16 : base::ElementType::Int32;
}

base::Shape shape_in_order(const base::Shape& shape, const std::vector<int64_t>& order) {
  base::Shape result;
  for (const int64_t dimension : order) result.push_back(dimension < 0 ? 1 : shape[static_cast<size_t>(dimension)]);
  return result;
}

Lowering::Lowering(const Network& source) : network(source), inputs_(source.inputs.size()) {
  for (const End& end : network.inputs) graph.reserve_name(end.name);
  for (const End& end : network.outputs) graph.reserve_name(end.name);
  for (const auto& [name, constant] : network.constants) {
    Value value;
    value.shape = constant.shape;
    value.constant = std::shared_ptr<const Constant>(std::shared_ptr<const Constant>(), &constant);
    value.is_real = constant.type.is_float;
    values_.emplace(name, std::move(value));
  }
  for (size_t i = 0; i < network.inputs.size(); ++i) {
    const End& end = network.inputs[i];
    Value value;
    value.kind = Value::Kind::Input;
    value.shape = end.shape;
    value.input = i;
    value.is_real = end.type.is_float;
    if (end.format) {
      value = quantized_input(value, quantizer_of(*end.format));
      value.is_real = true;
    }
    define(end.name, std::move(value));
  }
  find_readers();
}

void Lowering::find_readers() {
  for (const End& end : network.outputs) ++num_readers_[end.name];
  for (auto node = network.nodes.rbegin(); node != network.nodes.rend(); ++node) {
    for (const std::string& name : std::set<std::string>(node->inputs.begin(), node->inputs.end())) {
      ++num_readers_[name];
      const bool is_machines =
          is_quantizer(node->kind) || quantized::gives_integers(node->kind) || !is_host_operator(node->kind);
      if (is_machines || reaches_quantizer(*node)) quantized_later_.insert(name);
      if (is_quantizer(node->kind) || reaches_codes(*node)) codes_later_.insert(name);
    }
  }
}

bool Lowering::reaches_quantizer(const Node& node) const {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](const std::string& name) { return quantized_later_.contains(name); });
}

bool Lowering::reaches_codes(const Node& node) const {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](const std::string& name) { return codes_later_.contains(name); });
}

bool Lowering::gives_integers(const Node& node) const { return quantized::gives_integers(node.kind); }

bool Lowering::is_read_once(const std::string& name) const {
  const auto found = num_readers_.find(name);
  return found != num_readers_.end() && found->second == 1;
}

bool Lowering::has_input(const Node& node, size_t index) const {
  return index < node.inputs.size() && !node.inputs[index].empty();
}

bool Lowering::reads_failed(const Node& node) const {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](const std::string& name) { return !name.empty() && !values_.contains(name); });
}

const Value& Lowering::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) refuse("nothing gives '{}'", name);
  return found->second;
}

const Value& Lowering::value(const Node& node, size_t index) const {
  if (!has_input(node, index)) refuse("input {} is missing", index);
  return value(node.inputs[index]);
}

bool Lowering::is_constant(const Node& node, size_t index) const {
  return has_input(node, index) && value(node, index).kind == Value::Kind::Constant;
}

const Constant& Lowering::constant(const Node& node, size_t index, std::string_view what) const {
  const Value& found = value(node, index);
  if (found.kind != Value::Kind::Constant) refuse("{} '{}' is computed, expected a constant", what, node.inputs[index]);
  return *found.constant;
}

void Lowering::leave(ir::TensorId sums, Rest rest) {
  const bool is_something = std::any_of(rest.steps.begin(), rest.steps.end(), [](double step) { return step != 0; });
  if (is_something) rests_[sums] = std::move(rest);
}

Rest* Lowering::left(ir::TensorId sums) {
  const auto found = rests_.find(sums);
  return found == rests_.end() ? nullptr : &found->second;
}

Value Lowering::codes(const Node& node, size_t index) {
  const Value& found = value(node, index);
  const std::string& name = node.inputs[index];
  if (found.kind == Value::Kind::Constant) refuse("'{}' is a constant, expected a value that is computed", name);
  if (found.kind == Value::Kind::Input && !found.is_real) return integer_input(found);
  if (found.kind == Value::Kind::Input)
    refuse("input '{}' is not quantized, expected a quantizer before every operator, or --input-format {}:scale=S", name,
           name);
  if (found.is_wide() && !found.is_real) refuse("'{}' holds integers of 32 bits, allowed are codes of 8 and 16", name);
  if (found.is_wide())
    refuse("'{}' is not quantized, expected QuantizeLinear and DequantizeLinear on every value that is read", name);
  if (found.format.is_per_axis()) refuse("'{}' has a scale for each index of an axis, expected one scale", name);
  if (!found.has_function()) return found;
  std::optional<Value> settled = settle(*this, found, name);
  if (!settled) {
    if (std::optional<Value> line = as_line(found)) return *std::move(line);
  }
  if (!settled) refuse("'{}' is not quantized after the function that gives it", name);
  define(name, *settled);
  return *settled;
}

Value Lowering::moved_codes(const Node& node, size_t index) {
  const Value found = value(node, index);
  const std::string& name = node.inputs[index];
  if (found.kind == Value::Kind::Integers && found.is_wide() && !found.is_real) return found;
  if (found.kind != Value::Kind::Integers || !(found.is_wide() || found.has_function())) return codes(node, index);
  if (!found.is_wide() && !found.format.is_per_axis() && settle(*this, found, name)) return codes(node, index);
  const std::optional<Quantizer> quantizer = quantizer_after(*this, node.outputs.at(0), found.shape);
  const bool is_one = quantizer && !quantizer->format.is_per_axis() &&
                      std::all_of(node.outputs.begin(), node.outputs.end(), [&](const std::string& output) {
                        return output.empty() || quantizer_after(*this, output, found.shape) == quantizer;
                      });
  return is_one ? requantize(*this, found, *quantizer, name) : codes_or_16(*this, node, index);
}

void Lowering::define(const std::string& name, Value value) {
  if (std::find(value.shape.begin(), value.shape.end(), 0) != value.shape.end())
    refuse("'{}' {} has a dimension of 0", name, base::to_string(value.shape));
  if (!is_addressable(value.shape))
    refuse("'{}' {} is larger than the machine's memory", name, base::to_string(value.shape));
  values_.insert_or_assign(name, std::move(value));
}

bool is_addressable(const base::Shape& shape) {
  int64_t size = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 1 || dimension > kMostElements / size) return false;
    size *= dimension;
  }
  return true;
}

void Lowering::define(const Node& node, Value value, size_t output) {
  if (output < node.outputs.size() && !node.outputs[output].empty()) define(node.outputs[output], std::move(value));
}

ir::TensorId Lowering::in_order(const Value& value, const std::vector<int64_t>& order) {
  if (value.order == order) return value.tensor;
  const base::Shape wanted = shape_in_order(value.shape, order);
  Reordered key{value.tensor, {}, wanted};
  for (const int64_t dimension : order) {
    const auto found = std::find(value.order.begin(), value.order.end(), dimension);
    key.positions.push_back(dimension < 0 ? -1 : found - value.order.begin());
  }
  if (const auto found = reordered_.find(key); found != reordered_.end()) return found->second;
  // Dimensions of size 1 may stand anywhere: what moves is the others.
  const auto moving = [&](const std::vector<int64_t>& dimensions) {
    std::vector<int64_t> result;
    for (const int64_t dimension : dimensions) {
      if (dimension >= 0 && value.shape[static_cast<size_t>(dimension)] != 1) result.push_back(dimension);
    }
    return result;
  };
  const base::ElementType type = graph.tensor(value.tensor).type;
  const std::string name = graph.tensor(value.tensor).name + "_in_order";
  ir::TensorId tensor = value.tensor;
  const auto reshape = [&](const base::Shape& shape) {
    if (graph.tensor(tensor).shape == shape) return;
    tensor = graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(shape)}, {type, shape, name}, value.layer);
  };
  if (moving(value.order) != moving(order)) {
    std::vector<int64_t> from = value.order, to = order;
    std::erase(from, -1);
    std::erase(to, -1);
    reshape(shape_in_order(value.shape, from));
    ir::TransposeAttributes attributes;
    for (const int64_t dimension : to)
      attributes.perms.push_back(std::find(from.begin(), from.end(), dimension) - from.begin());
    tensor =
        graph.add(ir::OpKind::Transpose, attributes, {tensor}, {type, shape_in_order(value.shape, to), name}, value.layer);
  }
  reshape(wanted);
  reordered_[std::move(key)] = tensor;
  return tensor;
}

}  // namespace vernier::import::quantized
