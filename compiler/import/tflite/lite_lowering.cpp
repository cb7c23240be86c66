// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/lite_lowering.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

int64_t element_of(std::span<const std::byte> data, int64_t index, int64_t bytes) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < bytes; ++i) bits |= static_cast<uint64_t>(data[static_cast<size_t>(index * bytes + i)]) << (8 * i);
  const auto unused = static_cast<int>(64 - 8 * bytes);
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

bool LiteLowering::has_input(const LiteOperator& op, size_t index) const {
  return index < op.inputs.size() && op.inputs[index] >= 0;
}

const LiteTensor& LiteLowering::input(const LiteOperator& op, size_t index) const {
  if (!has_input(op, index)) refuse("input {} is missing", index);
  return network.tensors[static_cast<size_t>(op.inputs[index])];
}

const LiteTensor& LiteLowering::output(const LiteOperator& op, size_t index) const {
  if (index >= op.outputs.size()) refuse("output {} is missing", index);
  return network.tensors[static_cast<size_t>(op.outputs[index])];
}

const LiteTensor& LiteLowering::codes(const LiteTensor& tensor) const {
  if (tensor.type != tflite::TensorType::INT8) refuse("'{}' is {}, allowed is INT8", tensor.name, to_string(tensor.type));
  if (tensor.scales.size() != 1) refuse("'{}' has {} scales, expected one", tensor.name, tensor.scales.size());
  return tensor;
}

std::vector<int64_t> LiteLowering::elements(const LiteOperator& op, size_t index, std::string_view what) const {
  const LiteTensor& tensor = input(op, index);
  const std::optional<ElementType> type = element_type_of(tensor.type);
  const bool is_long = tensor.type == tflite::TensorType::INT64;
  if (!tensor.is_constant) refuse("{} '{}' is computed, expected a constant", what, tensor.name);
  if (!is_long && (!type || *type == ElementType::Int4))
    refuse("{} '{}' is {}, allowed are INT8, INT16, INT32 and INT64", what, tensor.name, to_string(tensor.type));
  const int64_t bytes = is_long ? 8 : base::stored_bytes(*type);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < base::num_elements(tensor.shape); ++i) result.push_back(element_of(tensor.data, i, bytes));
  return result;
}

Id LiteLowering::value(const LiteOperator& op, size_t index) {
  const LiteTensor& tensor = input(op, index);
  const auto found = values_.find(op.inputs[index]);
  if (found != values_.end()) return found->second;
  if (!tensor.is_constant) refuse("nothing before it gives '{}', and it has no data", tensor.name);
  if (!element_type_of(tensor.type))
    refuse("'{}' is {}, which no operator computes with", tensor.name, to_string(tensor.type));
  const std::vector<int64_t> numbers = elements(op, index, "operand");
  const Id id = graph.add_constant(*element_type_of(tensor.type), tensor.shape, numbers);
  define(op.inputs[index], id);
  return id;
}

std::pair<Id, std::vector<int64_t>> LiteLowering::image(const LiteOperator& op) {
  const auto padded = padded_.find(op.inputs.at(0));
  if (padded == padded_.end()) return {value(op, 0), {0, 0, 0, 0}};
  return {values_.at(padded->second.tensor), padded->second.pad};
}

bool LiteLowering::reads_failed(const LiteOperator& op) const {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](int32_t index) { return failed_.contains(index); });
}

Id LiteLowering::add(const LiteOperator& op, OpKind kind, const ir::Attributes& attributes, std::vector<Id> inputs,
                     ElementType type, const base::Shape& shape, const std::string& what) {
  const std::string& name = output(op).name;
  return graph.add(kind, attributes, std::move(inputs), {type, shape, fmt::format("{}/{}", name, what)}, name);
}

Id LiteLowering::scalar(size_t rank, int64_t number) {
  return graph.add_constant(ElementType::Int32, base::Shape(rank, 1), {number});
}

Id LiteLowering::rescale(const LiteOperator& op, Id from, const Rescale& rescale, const std::string& what) {
  const ir::TensorInfo info = graph.tensor(from);
  std::vector<int64_t> multipliers, shifts;
  for (const LiteMultiplier& one : rescale.multipliers) {
    if (one.shift < 2)
      refuse("a ratio of scales is {:g}, allowed are less than 2^29",
             std::ldexp(static_cast<double>(one.multiplier), -static_cast<int>(one.shift)));
    multipliers.push_back(one.multiplier);
    shifts.push_back(one.shift);
  }
  const auto count = static_cast<int64_t>(multipliers.size());
  ir::RescaleAttributes attributes;
  attributes.rounding = rescale.rounding;
  attributes.per_channel = count > 1;
  return add(op, OpKind::Rescale, attributes,
             {from, graph.add_constant(ElementType::Int32, {count}, multipliers),
              graph.add_constant(ElementType::Int8, {count}, shifts), graph.add_scalar(info.type, rescale.input_zero_point),
              graph.add_scalar(rescale.type, rescale.output_zero_point)},
             rescale.type, info.shape, what);
}

Id LiteLowering::reshape(const LiteOperator& op, Id from, const base::Shape& shape, const std::string& what) {
  const ir::TensorInfo info = graph.tensor(from);
  if (info.shape == shape) return from;
  if (base::num_elements(info.shape) != base::num_elements(shape))
    refuse("{} becomes {}, which has another number of elements", base::to_string(info.shape), base::to_string(shape));
  return add(op, OpKind::Reshape, {}, {from, graph.add_shape(shape)}, info.type, shape, what);
}

void LiteLowering::finish(const LiteOperator& op, Id result, tflite::ActivationFunctionType activation) {
  using Activation = tflite::ActivationFunctionType;
  const LiteTensor& tensor = output(op);
  const ir::TensorInfo info = graph.tensor(result);
  if (info.shape != tensor.shape)
    refuse("the result is {}, and '{}' has {}", base::to_string(info.shape), tensor.name, base::to_string(tensor.shape));
  int64_t low = base::min_value(info.type), high = base::max_value(info.type);
  const auto code = [&](float number) {
    const float steps = std::round(number / tensor.scales.front());
    return std::clamp(zero_point_of(tensor) + static_cast<int64_t>(std::clamp(steps, -1e9F, 1e9F)), low, high);
  };
  int64_t least = low, greatest = high;
  switch (activation) {
    case Activation::NONE: break;
    case Activation::RELU: least = code(0); break;
    case Activation::RELU6: least = code(0), greatest = code(6); break;
    case Activation::RELU_N1_TO_1: least = code(-1), greatest = code(1); break;
    default:
      refuse("fused activation {}, allowed are NONE, RELU, RELU6 and RELU_N1_TO_1",
             tflite::EnumNameActivationFunctionType(activation));
  }
  if (least > low || greatest < high)
    result = add(op, OpKind::Clamp, ir::ClampAttributes{least, greatest}, {result}, info.type, info.shape, "activation");
  // A tensor has one name: a result that is another tensor of the file already becomes one of its own.
  if (given_.contains(result)) result = add(op, OpKind::Identity, {}, {result}, info.type, info.shape, "same");
  graph.rename(result, tensor.name);
  define(op.outputs[0], result);
}

}  // namespace vernier::import::lite
