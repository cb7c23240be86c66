// SPDX-License-Identifier: Apache-2.0
// Operators that move numbers and compute none.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

using ir::OpKind;

/// The dimension of another shape of the same elements that goes along with a dimension of a shape; none where it is not
/// one of its own there.
std::optional<int64_t> same_dimension(const base::Shape& from, int64_t axis, const base::Shape& to) {
  const auto middle = from.begin() + axis;
  const int64_t before = base::num_elements({from.begin(), middle});
  for (size_t i = 0; i < to.size(); ++i) {
    const int64_t outer = base::num_elements({to.begin(), to.begin() + static_cast<std::ptrdiff_t>(i)});
    if (to[i] == *middle && outer == before) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

/// Scales and zero points for each element, then for each index of the first dimension of another shape that they all go
/// along with. NodeMistake where there is none.
Format reshaped_format(const Node& node, const Format& format, const base::Shape& from, const base::Shape& to) {
  Format result = format;
  if (const auto axis = same_dimension(from, format.axis, to)) {
    result.axis = *axis;
    return result;
  }
  std::vector<size_t> at(static_cast<size_t>(base::num_elements(from)));
  for_each_on_axis(from, format.axis, [&](size_t i, size_t index) { at[i] = index; });
  for (size_t axis = 0; axis < to.size(); ++axis) {
    std::vector<size_t> found(static_cast<size_t>(to[axis]), format.scales.size());
    bool goes_along = true;
    for_each_on_axis(to, static_cast<int64_t>(axis), [&](size_t i, size_t index) {
      goes_along = goes_along && (found[index] == format.scales.size() || found[index] == at[i]);
      found[index] = at[i];
    });
    if (!goes_along) continue;
    result.axis = static_cast<int64_t>(axis);
    result.scales.clear();
    result.zero_points.clear();
    for (const size_t index : found) {
      result.scales.push_back(format.scales[index]);
      result.zero_points.push_back(format.zero_points[index]);
    }
    return result;
  }
  refuse("'{}' {} has a scale for each index of axis {}, and no dimension of {} goes along with that", node.inputs[0],
         base::to_string(from), format.axis, base::to_string(to));
}

/// A constant with all its elements in another shape.
void reshape_constant(Lowering& lowering, const Node& node, const base::Shape& shape) {
  Value value = lowering.value(node, 0);
  if (value.format.is_per_axis()) value.format = reshaped_format(node, value.format, value.shape, shape);
  auto moved = std::make_shared<Constant>(*value.constant);
  moved->shape = value.shape = shape;
  value.constant = std::move(moved);
  lowering.define(node, std::move(value));
}

/// A constant with its dimensions in another order.
Value transposed_constant(const Value& value, const std::vector<int64_t>& perm) {
  auto moved = std::make_shared<Constant>(*value.constant);
  moved->shape = shape_in_order(value.shape, perm);
  moved->integers = reordered(value.constant->integers, value.shape, perm);
  moved->floats = reordered(value.constant->floats, value.shape, perm);
  Value result = permuted(value, perm);
  result.constant = std::move(moved);
  return result;
}

/// Sizes by the rules of Reshape: 0 keeps one, -1 is what is left.
base::Shape reshaped(const Node& node, const base::Shape& from, std::vector<int64_t> sizes) {
  const bool allows_zero = int_of(node, "allowzero", 0) != 0;
  const int64_t total = base::num_elements(from);
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0 && !allows_zero && i < from.size()) sizes[i] = from[i];
    if (sizes[i] == -1 && open < 0) {
      open = static_cast<int64_t>(i);
    } else if (sizes[i] < 1 || known > total / sizes[i]) {
      refuse("shape {} does not fit {}", base::to_string(sizes), base::to_string(from));
    } else {
      known *= sizes[i];
    }
  }
  if (open >= 0 && total % known == 0) sizes[static_cast<size_t>(open)] = total / known;
  if (open >= 0 ? total % known != 0 : known != total)
    refuse("shape {} does not fit {}", base::to_string(sizes), base::to_string(from));
  return sizes;
}

base::Shape flattened(const Node& node, const base::Shape& from) {
  const int64_t limit = static_cast<int64_t>(from.size());
  int64_t axis = int_of(node, "axis", 1);
  if (axis < -limit || axis > limit) refuse("axis {} is outside of rank {}", axis, limit);
  if (axis < 0) axis += limit;
  const auto middle = from.begin() + axis;
  return {base::num_elements({from.begin(), middle}), base::num_elements({middle, from.end()})};
}

base::Shape squeezed(const Node& node, const base::Shape& from, const std::optional<std::vector<int64_t>>& axes) {
  std::vector<bool> goes(from.size(), false);
  for (size_t i = 0; i < from.size(); ++i) goes[i] = !axes && from[i] == 1;
  for (const int64_t axis : axes.value_or(std::vector<int64_t>()))
    goes[static_cast<size_t>(axis_in(axis, from.size()))] = true;
  base::Shape shape;
  for (size_t i = 0; i < from.size(); ++i) {
    if (goes[i] && from[i] != 1) refuse("dimension {} of {} is not 1 ({})", i, base::to_string(from), node.kind);
    if (!goes[i]) shape.push_back(from[i]);
  }
  return shape;
}

base::Shape unsqueezed(const base::Shape& from, const std::vector<int64_t>& axes) {
  const size_t rank = from.size() + axes.size();
  base::Shape shape(rank, 0);
  for (const int64_t axis : axes) shape[static_cast<size_t>(axis_in(axis, rank))] = 1;
  if (std::count(shape.begin(), shape.end(), 1) != static_cast<int64_t>(axes.size()))
    refuse("axes {} name a dimension twice", base::to_string(axes));
  auto next = from.begin();
  for (int64_t& size : shape) size = size == 1 ? 1 : *next++;
  return shape;
}

/// What is moved: an input of integers as the codes that it holds.
Value value_to_move(Lowering& lowering, const Node& node, size_t index) {
  const Value& value = lowering.value(node, index);
  if (value.kind != Value::Kind::Input) return value;
  if (value.is_real) refuse("input '{}' is moved before it is quantized", node.inputs.at(index));
  return lowering.integer_input(value);
}

/// Sums with several scales that are reshaped: codes of the quantizer after it, or sums with one scale.
Value sums_to_reshape(Lowering& lowering, const Node& node, const Value& sums) {
  const std::optional<Quantizer> quantizer = quantizer_after(lowering, node.outputs.at(0), sums.shape);
  if (quantizer && !quantizer->format.is_per_axis()) return requantize(lowering, sums, *quantizer, node.outputs[0]);
  Value value = sums;
  value.low = -kInfinity;
  value.high = kInfinity;
  value = with_one_scale(lowering, value, node.outputs[0]);
  value.of_sum = sums.of_sum;
  value.low = sums.low;
  value.high = sums.high;
  return value;
}

/// A value of the graph that is reshaped: its scales have to go along with a dimension that stays. Sums become int32, which
/// has a RESHAPE.
Value value_to_reshape(Lowering& lowering, const Node& node, const base::Shape& shape) {
  Value value = value_to_move(lowering, node, 0);
  const auto axis =
      value.format.is_per_axis() ? same_dimension(value.shape, value.format.axis, shape) : std::optional(int64_t{0});
  if (axis && value.format.is_per_axis()) value.format.axis = *axis;
  if (!axis && value.is_wide() && value.is_real && lowering.reaches_quantizer(node))
    return sums_to_reshape(lowering, node, value);
  if (!axis)
    refuse("'{}' is reshaped and has a scale for each index of an axis, expected a quantizer before it", node.inputs.at(0));
  return value.is_wide() ? narrowed_sums(lowering, value, node.outputs.at(0)) : value;
}

bool is_one_format(const std::vector<Value>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const Value& part) {
    return part.kind == Value::Kind::Integers && part.format == parts.front().format && !part.is_wide() &&
           !part.has_function();
  });
}

/// How the result is quantized: as the computed operands are where they share a format, else by the quantizer after it.
/// Codes that are no numbers share it where they have one type.
Quantizer quantizer_of_joined(Lowering& lowering, const Node& node, std::vector<Value>& parts, const base::Shape& shape) {
  const auto first =
      std::find_if(parts.begin(), parts.end(), [](const Value& part) { return part.kind == Value::Kind::Integers; });
  if (first == parts.end()) refuse("all operands are constants, allowed is one computed value at least");
  for (Value& part : parts) {
    const bool is_computed = part.kind == Value::Kind::Integers;
    const Format& format = first->format;
    const bool is_one_type = part.format.bits == format.bits && part.format.is_unsigned == format.is_unsigned;
    if (is_computed && (part.is_real != first->is_real || (!part.is_real && !is_one_type)))
      refuse("operands are numbers, and integers of several types, expected one type");
    if (is_computed && !part.is_real) part.format = format;
  }
  const auto is_alike = [&](const Value& part) {
    return part.kind == Value::Kind::Constant ||
           (part.format == first->format && (!part.is_wide() || !part.is_real) && !part.has_function());
  };
  if (std::all_of(parts.begin(), parts.end(), is_alike)) return first->format;
  const std::optional<Quantizer> quantizer = quantizer_after(lowering, node.outputs.at(0), shape);
  if (quantizer) return *quantizer;
  double step = 0;  // of 16 bits
  for (size_t i = 0; i < parts.size(); ++i) {
    Value& part = parts[i];
    if (part.kind == Value::Kind::Constant || !part.is_real)
      refuse("operands have different scales, and no one quantizer follows");
    if (part.is_wide() || part.has_function()) part = codes_or_16(lowering, node, i);
    if (part.format.is_per_axis()) refuse("operands have different scales, and no one quantizer follows");
    step = std::max(step, scale_of(part.format) / (part.format.bits == 8 ? 128 : 1));
  }
  // Codes of 8 bits with the largest scale stay what they are; others are within half of 1/128 of that.
  lowering.warnings.push_back(
      fmt::format("node '{}' ({}): its operands have different scales and no quantizer follows, so that it gets 16 bits, "
                  "which cost more than 8",
                  node.name, node.kind));
  return Quantizer(Format{16, {step}, {0}, 0, false});
}

/// What operands of different scales are together at the end of the network, where the host makes numbers of the codes:
/// codes with a scale for each index of the axis. None where another number of bits, a function or other axes stand in the
/// way.
std::optional<Format> format_at_end(const std::vector<Value>& parts, int64_t axis) {
  Format format = parts.front().format;
  format.scales.clear();
  format.zero_points.clear();
  format.axis = axis;
  for (const Value& part : parts) {
    const Format& own = part.format;
    const bool is_taken = part.kind == Value::Kind::Integers && part.is_real && !part.has_function() &&
                          own.bits == format.bits && own.is_unsigned == format.is_unsigned &&
                          (!own.is_per_axis() || own.axis == axis);
    if (!is_taken) return std::nullopt;
    const auto count = static_cast<size_t>(part.shape[static_cast<size_t>(axis)]);
    for (size_t i = 0; i < count; ++i) {
      format.scales.push_back(own.scales[own.is_per_axis() ? i : 0]);
      format.zero_points.push_back(own.zero_points[own.is_per_axis() ? i : 0]);
    }
  }
  return format;
}

}  // namespace

base::Shape new_shape(const Lowering& lowering, const Node& node, const base::Shape& from) {
  if (node.kind == "Flatten") return flattened(node, from);
  if (node.kind == "Reshape") {
    const auto sizes = list_of(lowering, node, "shape", 1);
    if (!sizes) refuse("the shape is missing");
    return reshaped(node, from, *sizes);
  }
  const auto axes = list_of(lowering, node, "axes", 1);
  if (node.kind == "Squeeze") return squeezed(node, from, axes);
  if (!axes) refuse("the axes are missing");
  return unsqueezed(from, *axes);
}

std::vector<int64_t> permutation_of(const Node& node, size_t rank) {
  std::vector<int64_t> perm = source_order(rank);
  std::reverse(perm.begin(), perm.end());
  perm = ints_of(node, "perm", perm);
  const std::vector<int64_t> dimensions = source_order(rank);
  if (!std::is_permutation(perm.begin(), perm.end(), dimensions.begin(), dimensions.end()))
    refuse("attribute perm is {}, expected the {} dimensions in some order", base::to_string(perm), rank);
  return perm;
}

void lower_identity(Lowering& lowering, const Node& node) { lowering.define(node, lowering.value(node, 0)); }

void lower_reshape(Lowering& lowering, const Node& node) {
  const Value& found = lowering.value(node, 0);
  const base::Shape shape = new_shape(lowering, node, found.shape);
  if (found.kind == Value::Kind::Constant) return reshape_constant(lowering, node, shape);
  Value value = value_to_reshape(lowering, node, shape);
  const ir::TensorId tensor = lowering.in_source_order(value);
  const base::ElementType type = lowering.graph.tensor(tensor).type;
  value.tensor = lowering.graph.add(OpKind::Reshape, {}, {tensor, lowering.graph.add_shape(shape)},
                                    {type, shape, node.outputs.at(0)}, node.name);
  value.shape = shape;
  value.order = source_order(shape.size());
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

void lower_transpose(Lowering& lowering, const Node& node) {
  const Value value = value_to_move(lowering, node, 0);
  const std::vector<int64_t> perm = permutation_of(node, value.shape.size());
  lowering.define(node, value.kind == Value::Kind::Constant ? transposed_constant(value, perm) : permuted(value, perm));
}

void lower_concat(Lowering& lowering, const Node& node) {
  std::vector<Value> parts;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& part = lowering.value(node, i);
    parts.push_back(part.kind == Value::Kind::Input && !part.is_real ? lowering.integer_input(part) : part);
    if (parts.back().kind != Value::Kind::Integers && parts.back().kind != Value::Kind::Constant)
      refuse("'{}' is not quantized", node.inputs[i]);
  }
  if (parts.empty()) refuse("there is nothing to join");
  base::Shape shape = parts.front().shape;
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), shape.size()));
  shape[axis] = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    base::Shape expected = shape;
    if (parts[i].shape.size() == shape.size()) expected[axis] = parts[i].shape[axis];
    if (parts[i].shape != expected)
      refuse("operands do not fit together: '{}' is {}", node.inputs[i], base::to_string(parts[i].shape));
    shape[axis] += expected[axis];
  }
  const bool is_at_end = !lowering.reaches_quantizer(node) &&
                         !quantizer_after(lowering, node.outputs.at(0), shape).has_value() && !is_one_format(parts);
  const std::optional<Format> joined = is_at_end ? format_at_end(parts, static_cast<int64_t>(axis)) : std::nullopt;
  const Quantizer quantizer = joined ? Quantizer(*joined) : quantizer_of_joined(lowering, node, parts, shape);
  const Value* first = nullptr;  // of those that are computed
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Value::Kind::Constant) continue;
    if (!joined && (parts[i].is_real || !parts[i].is_wide()))
      parts[i] = requantize(lowering, parts[i], quantizer, fmt::format("{}_part_{}", node.outputs.at(0), i));
    if (first == nullptr) first = &parts[i];
  }
  Value result = *first;
  result.shape = shape;
  if (result.order.size() != shape.size()) result.order = source_order(shape.size());
  std::vector<ir::TensorId> tensors;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Value::Kind::Constant)
      parts[i] = constant_codes(lowering, node, i, quantizer, result.is_real, result.order);
    tensors.push_back(lowering.in_order(parts[i], result.order));
  }
  const auto place = std::find(result.order.begin(), result.order.end(), static_cast<int64_t>(axis)) - result.order.begin();
  result.tensor = lowering.graph.add(
      OpKind::Concat, ir::AxisAttributes{place}, tensors,
      {lowering.graph.tensor(tensors.front()).type, shape_in_order(shape, result.order), node.outputs.at(0)}, node.name);
  result.layer = node.name;
  if (joined) result.format = *joined;
  for (const Value& part : parts) result.magnitude = joined ? std::max(result.magnitude, part.magnitude) : result.magnitude;
  lowering.define(node, std::move(result));
}

}  // namespace vernier::import::quantized
