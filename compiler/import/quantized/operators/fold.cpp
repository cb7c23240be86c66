// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/operators/fold.hpp"

#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/fold_elementwise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>

namespace vernier::import::quantized {

namespace {

constexpr NumberType kInt64{false, 64, true}, kFloat{true, 32, true};

void define_constant(Lowering& lowering, const Node& node, Constant constant) {
  Value value;
  value.shape = constant.shape;
  value.is_real = constant.type.is_float;
  value.constant = std::make_shared<const Constant>(std::move(constant));
  lowering.define(node, std::move(value));
}

size_t size_of(const Constant& constant) {
  return constant.type.is_float ? constant.floats.size() : constant.integers.size();
}

/// The elements `from` of a constant, in that order, in another shape.
Constant picked(const Constant& constant, const base::Shape& shape, const std::vector<size_t>& from) {
  Constant result{constant.type, shape, {}, {}};
  for (const size_t i : from) {
    if (constant.type.is_float)
      result.floats.push_back(constant.floats.at(i));
    else
      result.integers.push_back(constant.integers.at(i));
  }
  return result;
}

Constant shape_constant(const Lowering& lowering, const Node& node) {
  const base::Shape& shape = lowering.value(node, 0).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  if (node.kind == "Size") return {kInt64, {}, {}, {base::num_elements(shape)}};
  const auto place = [&](const char* name, int64_t otherwise) {
    const int64_t at = int_of(node, name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = place("start", 0), end = std::max(place("end", rank), start);
  return {kInt64, {end - start}, {}, {shape.begin() + start, shape.begin() + end}};
}

Constant cast(const Node& node, const Constant& from) {
  constexpr int64_t kFloatType = 1, kBoolType = 9;  // of TensorProto
  const int64_t to = int_of(node, "to", 0);
  const std::optional<NumberType> type = integer_type(to);
  if (to != kFloatType && !type)
    refuse("attribute to is {}, allowed for constants are 1 (FLOAT), 9 (BOOL) and integers", to);
  Constant result{type.value_or(kFloat), from.shape, {}, {}};
  for (size_t i = 0; i < size_of(from); ++i) {
    const double number = from.type.is_float ? static_cast<double>(from.floats[i]) : static_cast<double>(from.integers[i]);
    if (result.type.is_float) {
      result.floats.push_back(static_cast<float>(number));
      continue;
    }
    if (to == kBoolType) {
      result.integers.push_back(number != 0 ? 1 : 0);
      continue;
    }
    if (!(std::fabs(number) < 0x1p53)) refuse("'{}' holds {}, which is no whole number", node.inputs[0], number);
    const int64_t integer = from.type.is_float ? static_cast<int64_t>(number) : from.integers[i];
    const auto [is_float, bits, is_signed] = result.type;
    const int64_t least = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
    if (bits < 64 && (integer < least || integer >= least + (int64_t{1} << bits)))
      refuse("'{}' holds {}, which {} does not hold", node.inputs[0], integer, to_string(result.type));
    result.integers.push_back(integer);
  }
  return result;
}

Constant gathered(const Node& node, const Constant& data, const Constant& indices) {
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), data.shape.size()));
  if (indices.type.is_float) refuse("'{}' is no list of indices", node.inputs[1]);
  const int64_t size = data.shape[axis];
  const auto middle = data.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = base::num_elements({data.shape.begin(), middle}),
                inner = base::num_elements({middle + 1, data.shape.end()});
  if (static_cast<int64_t>(indices.integers.size()) > kMostFolded / std::max<int64_t>(outer * inner, 1))
    refuse("too many indices");
  std::vector<size_t> from;
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t index : indices.integers) {
      if (index < -size || index >= size) refuse("index {} is outside of {} elements", index, size);
      if (index < 0) index += size;
      for (int64_t j = 0; j < inner; ++j) from.push_back(static_cast<size_t>((i * size + index) * inner + j));
    }
  }
  base::Shape shape{data.shape.begin(), middle};
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), middle + 1, data.shape.end());
  return picked(data, shape, from);
}

/// Of lists only.
Constant joined(const Lowering& lowering, const Node& node) {
  Constant result = lowering.constant(node, 0, "a part");
  if (result.shape.size() != 1) refuse("a constant of shape {} is joined, allowed are lists", base::to_string(result.shape));
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Constant& part = lowering.constant(node, i, "a part");
    if (part.type != result.type || part.shape.size() != 1) refuse("constants of several types or ranks are joined");
    result.floats.insert(result.floats.end(), part.floats.begin(), part.floats.end());
    result.integers.insert(result.integers.end(), part.integers.begin(), part.integers.end());
  }
  result.shape = {static_cast<int64_t>(size_of(result))};
  return result;
}

/// Of a list, with any step.
Constant sliced(const Lowering& lowering, const Node& node, const Constant& data) {
  const auto starts = list_of(lowering, node, "starts", 1), ends = list_of(lowering, node, "ends", 2);
  const auto steps = list_of(lowering, node, "steps", 4);
  if (data.shape.size() != 1 || !starts || !ends || starts->size() != 1 || ends->size() != 1 ||
      (steps && steps->size() != 1))
    refuse("a constant of shape {} is cut, allowed are lists", base::to_string(data.shape));
  constexpr int64_t kMostStep = int64_t{1} << 40;  // more is as good as that
  const int64_t size = data.shape[0], step = std::clamp(steps ? steps->front() : 1, -kMostStep, kMostStep);
  if (step == 0 || size == 0) refuse("{} numbers are cut with a step of {}", size, step);
  const auto place = [&](int64_t at, int64_t least, int64_t most) {
    return std::clamp<int64_t>(at < 0 ? std::max(at, -size - 1) + size : at, least, most);
  };
  const int64_t begin = step > 0 ? place(starts->front(), 0, size) : place(starts->front(), 0, size - 1);
  const int64_t end = step > 0 ? place(ends->front(), 0, size) : place(ends->front(), -1, size - 1);
  std::vector<size_t> from;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) from.push_back(static_cast<size_t>(i));
  return picked(data, {static_cast<int64_t>(from.size())}, from);
}

Constant filled(const Constant& sizes, const Constant* element) {
  base::Shape shape = sizes.integers;
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMostFolded / size))
      refuse("a constant of shape {} is too large", base::to_string(shape));
    count *= size;
  }
  if (element != nullptr && size_of(*element) != 1)
    refuse("attribute value has {} elements, expected one", size_of(*element));
  const Constant one = element != nullptr ? *element : Constant{kFloat, {}, {0}, {}};
  return picked(one, shape, std::vector<size_t>(static_cast<size_t>(count), 0));
}

Constant range(const Lowering& lowering, const Node& node) {
  std::array<int64_t, 3> of{};
  for (size_t i = 0; i < of.size(); ++i) {
    const Constant& one = lowering.constant(node, i, "a limit");
    if (one.type.is_float || one.integers.size() != 1) refuse("'{}' is no whole number", node.inputs[i]);
    of.at(i) = one.integers[0];
  }
  const auto [start, limit, delta] = of;
  constexpr int64_t kMost = int64_t{1} << 40;
  const auto is_small = [](int64_t number) { return number >= -kMost && number <= kMost; };
  if (delta == 0 || !std::all_of(of.begin(), of.end(), is_small)) refuse("no range: {} to {} by {}", start, limit, delta);
  if ((limit - start) / delta > kMostFolded) refuse("a range of {} numbers is too large", (limit - start) / delta);
  Constant result{lowering.constant(node, 0, "a limit").type, {}, {}, {}};
  for (int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta) result.integers.push_back(i);
  result.shape = {static_cast<int64_t>(result.integers.size())};
  return result;
}

Constant expanded(const Lowering& lowering, const Node& node, const Constant& from) {
  const Constant& sizes = lowering.constant(node, 1, "the shape");
  const bool is_shape = !sizes.type.is_float && std::all_of(sizes.integers.begin(), sizes.integers.end(),
                                                            [](int64_t size) { return size >= 1 && size <= kMostFolded; });
  if (!is_shape) refuse("'{}' is no shape", node.inputs[1]);
  return broadcast_to(from, common_shape(from.shape, sizes.integers));
}

Constant folded(const Lowering& lowering, const Node& node) {
  const Constant& first = lowering.constant(node, 0, "the operand");
  const std::string& kind = node.kind;
  if (kind == "Cast") return cast(node, first);
  if (kind == "Gather") return gathered(node, first, lowering.constant(node, 1, "the list of indices"));
  if (kind == "Concat") return joined(lowering, node);
  if (kind == "Slice") return sliced(lowering, node, first);
  if (kind == "Range") return range(lowering, node);
  if (kind == "ConstantOfShape")
    return filled(first, lowering.has_input(node, 1) ? &lowering.constant(node, 1, "the value") : nullptr);
  if (kind == "Expand") return expanded(lowering, node, first);
  std::vector<const Constant*> operands;
  for (size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(&lowering.constant(node, i, "the operand"));
  return elementwise(node, operands);
}

}  // namespace

bool is_folded_only(const std::string& kind) {
  constexpr std::array<std::string_view, 5> kKinds{"ConstantOfShape", "Mod", "Range", "Shape", "Size"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

bool fold(Lowering& lowering, const Node& node) {
  if (node.kind == "Shape" || node.kind == "Size") {
    define_constant(lowering, node, shape_constant(lowering, node));
    return true;
  }
  constexpr std::array<std::string_view, 6> kAlsoForValues{"Cast", "Concat", "Expand", "Gather", "Slice", "Where"};
  const bool is_one = is_folded_only(node.kind) || is_elementwise(node.kind) ||
                      std::find(kAlsoForValues.begin(), kAlsoForValues.end(), node.kind) != kAlsoForValues.end();
  if (!is_one) return false;
  bool is_plain = !node.inputs.empty();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lowering.has_input(node, i)) continue;
    const Value& value = lowering.value(node, i);
    is_plain = is_plain && value.kind == Value::Kind::Constant && (value.constant->type.is_float || !value.is_real);
  }
  if (!is_plain && is_folded_only(node.kind)) refuse("an operand is computed or quantized, allowed are constants");
  if (!is_plain) return false;
  define_constant(lowering, node, folded(lowering, node));
  return true;
}

}  // namespace vernier::import::quantized
