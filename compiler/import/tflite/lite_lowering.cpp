// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/lite_lowering.hpp"

#include "hw/base/error.hpp"
#include "hw/package/host_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

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

void check_elements(const base::Shape& shape) {
  if (package::checked_size(shape) == 0)
    refuse("needs a tensor of {}, allowed are 1 to 2^31 elements", base::to_string(shape));
}

/// Two codes a byte, the first in the low half.
std::vector<int64_t> nibbles_of(std::span<const std::byte> data, int64_t count) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) {
    const auto code = static_cast<int64_t>(data[static_cast<size_t>(i / 2)] >> (i % 2 * 4) & std::byte{15});
    result.push_back(code < 8 ? code : code - 16);
  }
  return result;
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
  if (tensor.type != tflite::TensorType::INT8 && !is_16_bits(tensor))
    refuse("'{}' is {}, allowed are INT8, UINT8 and INT16", tensor.name, type_in_file(tensor));
  if (tensor.scales.size() != 1) refuse("'{}' has {} scales, expected one", tensor.name, tensor.scales.size());
  constexpr float kLeastScale = 1e-30F, kGreatestScale = 1e30F;
  if (tensor.scales.front() < kLeastScale || tensor.scales.front() > kGreatestScale)
    refuse("'{}' has a scale of {}, allowed are {} to {}", tensor.name, tensor.scales.front(), kLeastScale, kGreatestScale);
  if (is_16_bits(tensor) && zero_point_of(tensor) != 0)
    refuse("'{}' is INT16 with a zero point of {}, allowed is 0", tensor.name, zero_point_of(tensor));
  return tensor;
}

const std::string& LiteLowering::handle(const LiteOperator& op) const {
  const LiteTensor& tensor = input(op, 0);
  const auto found = handles_.find(op.inputs[0]);
  if (found == handles_.end()) refuse("'{}' is no variable that VAR_HANDLE names", tensor.name);
  return found->second;
}

bool LiteLowering::is_known(const LiteOperator& op, size_t index) const {
  return known_.contains(op.inputs.at(index)) || input(op, index).is_constant;
}

std::vector<int64_t> LiteLowering::elements(const LiteOperator& op, size_t index, std::string_view what) const {
  const LiteTensor& tensor = input(op, index);
  if (const auto known = known_.find(op.inputs[index]); known != known_.end()) return known->second;
  const std::optional<ElementType> type = element_type_of(tensor.type);
  const bool is_long = tensor.type == tflite::TensorType::INT64;
  if (!tensor.is_constant) refuse_computed(op, index, what);
  if (!is_long && !type)
    refuse("{} '{}' is {}, allowed are INT4, INT8, INT16, INT32 and INT64", what, tensor.name, type_in_file(tensor));
  if (type == ElementType::Int4) return nibbles_of(tensor.data, base::num_elements(tensor.shape));
  const int64_t bytes = is_long ? 8 : base::stored_bytes(*type);
  const int64_t count = base::num_elements(tensor.shape);
  std::vector<int64_t> result;
  result.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) result.push_back(element_of(tensor.data, i, bytes));
  return result;
}

void LiteLowering::refuse_computed(const LiteOperator& op, size_t index, std::string_view what) const {
  refuse("{}: '{}' {}, expected a constant", what, input(op, index).name,
         find(op.inputs[index]) ? "is computed" : "has no data, and nothing before it gives it");
}

Id LiteLowering::value(const LiteOperator& op, size_t index) {
  const LiteTensor& tensor = input(op, index);
  const auto found = values_.find(op.inputs[index]);
  if (found != values_.end()) return found->second;
  if (tensor.is_variable) refuse("'{}' is a variable tensor, which SVDF and LSTM alone read, as their state", tensor.name);
  if (!is_known(op, index)) refuse("nothing before it gives '{}', and it has no data", tensor.name);
  if (!element_type_of(tensor.type))
    refuse("'{}' is {}, which no operator computes with", tensor.name, type_in_file(tensor));
  const ElementType type = *element_type_of(tensor.type);
  // Weights are most of a file: their bytes are those of the graph's tensor.
  const bool is_plain = type == ElementType::Int8 && !known_.contains(op.inputs[index]);
  const auto copied = [&] {
    base::Tensor result(type, tensor.shape);
    std::memcpy(result.bytes().data(), tensor.data.data(), result.bytes().size());
    return result;
  };
  const Id id =
      is_plain ? graph.add_constant(copied()) : graph.add_constant(type, tensor.shape, elements(op, index, "operand"));
  define(op.inputs[index], id);
  return id;
}

void LiteLowering::materialise(int32_t tensor) {
  const LiteTensor& source = network.tensors[static_cast<size_t>(tensor)];
  if (find(tensor) || !element_type_of(source.type) || (!known_.contains(tensor) && !source.is_constant)) return;
  LiteOperator reader;
  reader.inputs = {tensor};
  define(tensor, graph.add_constant(*element_type_of(source.type), source.shape, elements(reader, 0, "the result")));
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
  check_elements(shape);
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
  if (multipliers.empty()) multipliers.push_back(int64_t{1} << 30), shifts.push_back(30);
  const auto count = static_cast<int64_t>(multipliers.size());
  ir::RescaleAttributes attributes;
  attributes.rounding = rescale.rounding;
  attributes.scale32 = !rescale.is_16_bits;
  attributes.per_channel = count > 1;
  return add(op, OpKind::Rescale, attributes,
             {from, graph.add_constant(rescale.is_16_bits ? ElementType::Int16 : ElementType::Int32, {count}, multipliers),
              graph.add_constant(ElementType::Int8, {count}, shifts), graph.add_scalar(info.type, rescale.input_zero_point),
              graph.add_scalar(rescale.type, rescale.output_zero_point)},
             rescale.type, info.shape, what);
}

Id LiteLowering::reshape(const LiteOperator& op, Id from, const base::Shape& shape, const std::string& what) {
  const ir::TensorInfo info = graph.tensor(from);
  if (info.shape == shape) return from;
  if (package::checked_size(info.shape) != package::checked_size(shape))
    refuse("{} becomes {}, which has another number of elements", base::to_string(info.shape), base::to_string(shape));
  return add(op, OpKind::Reshape, {}, {from, graph.add_shape(shape)}, info.type, shape, what);
}

Id LiteLowering::wide(const LiteOperator& op, size_t index, const std::string& what) {
  return rescale(op, value(op, index), {ElementType::Int32, zero_point_of(input_codes(op, index))}, what);
}

Id LiteLowering::to_codes(const LiteOperator& op, Id from, double ratio) {
  const LiteTensor& result = output_codes(op);
  return rescale(op, from, {type_of(result), 0, zero_point_of(result), {lite_multiplier(ratio)}}, "codes");
}

Id LiteLowering::each_code(const LiteOperator& op, size_t index, const std::function<int64_t(int64_t)>& function,
                           const std::string& what) {
  const int64_t least = base::min_value(ElementType::Int8), greatest = base::max_value(ElementType::Int8);
  std::vector<int64_t> results;
  for (int64_t code = least; code <= greatest; ++code) results.push_back(std::clamp(function(code), least, greatest));
  const Id table = graph.add_constant(ElementType::Int8, {std::ssize(results)}, results);
  return add(op, OpKind::Table, {}, {value(op, index), table}, ElementType::Int8, input(op, index).shape, what);
}

Id LiteLowering::slice(const LiteOperator& op, Id from, const std::vector<int64_t>& begin, const base::Shape& shape,
                       const std::string& what) {
  const ir::TensorInfo info = graph.tensor(from);
  if (info.shape == shape) return from;
  return add(op, OpKind::Slice, {}, {from, graph.add_shape(begin), graph.add_shape(shape)}, info.type, shape, what);
}

Id LiteLowering::joined(const LiteOperator& op, const std::vector<Id>& parts, size_t axis) {
  base::Shape shape = shape_of(parts.at(0));
  for (size_t i = 1; i < parts.size(); ++i) shape[axis] += shape_of(parts[i])[axis];
  check_elements(shape);
  const std::string& name = output(op).name;
  return graph.concat(parts, axis, fmt::format("{}/joined", name), name);
}

Id LiteLowering::product(const LiteOperator& op, Id a, Id b, const base::Shape& shape, const std::string& what,
                         int64_t shift) {
  return add(op, OpKind::Mul, {}, {a, b, graph.add_scalar(ElementType::Int8, shift)}, ElementType::Int32, shape, what);
}

Id LiteLowering::pad(const LiteOperator& op, Id from, const std::vector<int64_t>& padding, int64_t number,
                     const std::string& what) {
  const ElementType type = graph.tensor(from).type;
  base::Shape shape = shape_of(from);
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += padding[2 * i] + padding[2 * i + 1];
  return add(op, OpKind::Pad, {}, {from, graph.add_shape(padding), graph.add_scalar(type, number)}, type, shape, what);
}

Id LiteLowering::transpose(const LiteOperator& op, Id from, const std::vector<int64_t>& order, const std::string& what) {
  const ir::TensorInfo info = graph.tensor(from);
  if (std::is_sorted(order.begin(), order.end())) return from;
  base::Shape shape;
  for (const int64_t dimension : order) shape.push_back(info.shape[static_cast<size_t>(dimension)]);
  return add(op, OpKind::Transpose, ir::TransposeAttributes{order}, {from}, info.type, shape, what);
}

LiteLowering::Pair LiteLowering::same_rank(const LiteOperator& op, Id a, Id b) {
  base::Shape first = graph.tensor(a).shape, second = graph.tensor(b).shape;
  const size_t rank = std::max(first.size(), second.size());
  first.insert(first.begin(), rank - first.size(), 1);
  second.insert(second.begin(), rank - second.size(), 1);
  Pair pair{reshape(op, a, first, "a_shaped"), reshape(op, b, second, "b_shaped"), first};
  for (size_t i = 0; i < rank; ++i) {
    if (first[i] != second[i] && first[i] != 1 && second[i] != 1)
      refuse("{} and {} have no shape together", base::to_string(first), base::to_string(second));
    pair.shape[i] = std::max(first[i], second[i]);
  }
  return pair;
}

int64_t padding_code(const LiteTensor& tensor) {
  if (!tensor.zero_points.empty()) return tensor.zero_points.front();
  return tensor.is_unsigned ? -128 : 0;
}

void check_same_type(const LiteTensor& a, const LiteTensor& b) {
  if (a.type != b.type || a.is_unsigned != b.is_unsigned)
    refuse("'{}' is {} and '{}' {}, expected the same", a.name, type_in_file(a), b.name, type_in_file(b));
}

bool has_same_scale(const LiteTensor& a, const LiteTensor& b) {
  return a.scales == b.scales && a.zero_points == b.zero_points;
}

void check_same_scale(const LiteTensor& a, const LiteTensor& b) {
  check_same_type(a, b);
  if (!has_same_scale(a, b)) refuse("'{}' and '{}' have other scales or zero points, expected the same", a.name, b.name);
}

size_t dimension_of(int64_t axis, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) refuse("dimension {} of {}", axis, size);
  return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

void LiteLowering::finish_floats(const LiteOperator& op, Id codes) {
  const ir::TensorInfo info = graph.tensor(codes);
  const LiteTensor& tensor = output(op);
  if (info.shape != tensor.shape)
    refuse("the result is {}, and '{}' has {}", base::to_string(info.shape), tensor.name, base::to_string(tensor.shape));
  const bool is_input =
      std::find(graph.graph().inputs.begin(), graph.graph().inputs.end(), codes) != graph.graph().inputs.end();
  const bool is_output =
      std::any_of(network.outputs.begin(), network.outputs.end(), [&](int32_t one) { return find(one) == codes; });
  const bool is_named = is_input || is_output || info.constant != nullptr || floats_.contains(codes);
  if (is_named) codes = add(op, OpKind::Identity, {}, {codes}, info.type, info.shape, "same");
  graph.rename(codes, tensor.name);
  floats_.insert(codes);
  define(op.outputs[0], codes);
}

void LiteLowering::finish(const LiteOperator& op, Id result, tflite::ActivationFunctionType activation,
                          size_t output_index) {
  using Activation = tflite::ActivationFunctionType;
  const LiteTensor& tensor = output(op, output_index);
  const ir::TensorInfo info = graph.tensor(result);
  if (info.shape != tensor.shape)
    refuse("the result is {}, and '{}' has {}", base::to_string(info.shape), tensor.name, base::to_string(tensor.shape));
  // Indices of INT64 are less than 2^31, as each tensor is.
  const bool is_index = tensor.type == tflite::TensorType::INT64 && info.type == ElementType::Int32 &&
                        (op.code == tflite::BuiltinOperator::ARG_MAX || op.code == tflite::BuiltinOperator::ARG_MIN);
  if (!is_index && element_type_of(tensor.type) != info.type)
    refuse("the result is {}, and '{}' is {}", base::to_string(info.type), tensor.name, type_in_file(tensor));
  int64_t low = base::min_value(info.type), high = base::max_value(info.type);
  const auto code = [&](float number) {
    if (info.type == ElementType::Int32 && tensor.scales.empty()) return static_cast<int64_t>(number);
    if (tensor.scales.size() != 1) refuse("'{}' has {} scales, expected one", tensor.name, tensor.scales.size());
    const float steps = std::round(number / tensor.scales.front());
    return std::clamp(zero_point_of(tensor) + static_cast<int64_t>(std::clamp(steps, -1e9F, 1e9F)), low, high);
  };
  int64_t least = low, greatest = high;
  switch (activation) {
    case Activation::NONE: break;
    case Activation::RELU: least = code(0); break;
    case Activation::RELU6: least = code(0), greatest = code(6); break;
    case Activation::RELU_N1_TO_1: least = code(-1), greatest = code(1); break;
    default: {
      const std::string name = tflite::EnumNameActivationFunctionType(activation);
      refuse("fused activation {}, allowed are NONE, RELU, RELU6 and RELU_N1_TO_1",
             name.empty() ? std::to_string(static_cast<int>(activation)) : name);
    }
  }
  if (info.type == ElementType::Int32) {  // which CLAMP does not take
    if (least > low)
      result = add(op, OpKind::Maximum, {}, {result, scalar(info.shape.size(), least)}, info.type, info.shape, "activation");
    if (greatest < high)
      result = add(op, OpKind::Minimum, {}, {result, scalar(info.shape.size(), greatest)}, info.type, info.shape, "limited");
  } else if (least > low || greatest < high) {
    result = add(op, OpKind::Clamp, ir::ClampAttributes{least, greatest}, {result}, info.type, info.shape, "activation");
  }
  // A tensor has one name: a result that is another tensor of the file already becomes one of its own.
  if (given_.contains(result)) result = add(op, OpKind::Identity, {}, {result}, info.type, info.shape, "same");
  graph.rename(result, tensor.name);
  define(op.outputs[output_index], result);
}

}  // namespace vernier::import::lite
