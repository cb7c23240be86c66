// SPDX-License-Identifier: Apache-2.0
// ReduceMean and GlobalAveragePool: sums of codes, of which the next quantizer takes the part. Over the pixels of an image
// the array adds, with weights of 1; over other dimensions REDUCE_SUM. ReduceSum is the same without a part. ReduceMax,
// ReduceMin and GlobalMaxPool choose codes.
#include "compiler/import/quantized/functions/normalized_rows.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace vernier::import::quantized {

namespace {

/// The shape without the dimensions that were added up, and their places in the tensor's order as added ones.
void drop_dimensions(Value& value, const std::vector<int64_t>& axes) {
  std::vector<int64_t> renumbered(value.shape.size(), -1);
  base::Shape shape;
  for (size_t i = 0; i < value.shape.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end()) continue;
    renumbered[i] = static_cast<int64_t>(shape.size());
    shape.push_back(value.shape[i]);
  }
  for (int64_t& dimension : value.order) dimension = dimension < 0 ? -1 : renumbered[static_cast<size_t>(dimension)];
  value.shape = shape;
}

/// The same numbers with dimensions side by side in memory, all of them to be added up, as one: `axes` are then fewer. One
/// sum over all of them takes no longer than the last of several.
Value merged(Lowering& lowering, const Node& node, Value value, std::vector<int64_t>& axes) {
  std::vector<int64_t> left;
  int64_t first = -1;  // the dimension that takes its neighbours in
  for (const int64_t dimension : value.order) {
    if (std::find(axes.begin(), axes.end(), dimension) == axes.end()) {
      first = -1;
    } else if (first < 0) {
      left.push_back(first = dimension);
    } else {
      value.shape[static_cast<size_t>(first)] *= std::exchange(value.shape[static_cast<size_t>(dimension)], 1);
    }
  }
  if (left.size() == axes.size()) return value;
  axes = std::move(left);
  const ir::TensorInfo& tensor = lowering.graph.tensor(value.tensor);
  const base::Shape shape = shape_in_order(value.shape, value.order);
  value.tensor = lowering.graph.add(ir::OpKind::Reshape, {}, {value.tensor, lowering.graph.add_shape(shape)},
                                    {tensor.type, shape, node.outputs.at(0) + "_merged"}, node.name);
  return value;
}

/// A window over all pixels of an image, as a depthwise convolution with weights of 1.
Value sum_of_pixels(Lowering& lowering, const Node& node, const Value& input) {
  Node whole = node;
  whole.attributes.clear();
  whole.attributes["kernel_shape"] = std::vector<int64_t>{input.shape[2], input.shape[3]};
  return sums_of_windows(lowering, whole, input, window_of(whole, input.shape, {input.shape[2], input.shape[3]}));
}

bool fits_32_bits(const Value& input, int64_t count) { return input.magnitude < (int64_t{1} << 31) / count; }

Value sum_over(Lowering& lowering, const Node& node, const Value& input, std::vector<int64_t> axes, int64_t count) {
  if (!fits_32_bits(input, count))
    refuse("the mean of {} numbers of up to {} steps, whose sum is more than 32 bits hold", count, input.magnitude);
  Value sum = wide_value(lowering, merged(lowering, node, input, axes), 0, node.outputs.at(0));
  for (const int64_t axis : axes) {
    sum.shape[static_cast<size_t>(axis)] = 1;
    const auto place = std::find(sum.order.begin(), sum.order.end(), axis) - sum.order.begin();
    sum.tensor = lowering.graph.add(
        ir::OpKind::ReduceSum, ir::AxisAttributes{place}, {sum.tensor},
        {base::ElementType::Int32, shape_in_order(sum.shape, sum.order), node.outputs[0] + "_sum"}, node.name);
  }
  sum.magnitude = input.magnitude * count;
  sum.layer = node.name;
  return sum;
}

/// Codes of which one is chosen along each axis.
Value extreme_over(Lowering& lowering, const Node& node, const Value& input, std::vector<int64_t> axes, ir::OpKind kind) {
  if (input.format.bits == kBoolBits) refuse("'{}' holds truth values, expected numbers", node.inputs[0]);
  Value value = merged(lowering, node, input, axes);
  const base::ElementType type = lowering.graph.tensor(value.tensor).type;
  for (const int64_t axis : axes) {
    value.shape[static_cast<size_t>(axis)] = 1;
    const auto place = std::find(value.order.begin(), value.order.end(), axis) - value.order.begin();
    value.tensor =
        lowering.graph.add(kind, ir::AxisAttributes{place}, {value.tensor},
                           {type, shape_in_order(value.shape, value.order), node.outputs.at(0) + "_extreme"}, node.name);
  }
  value.layer = node.name;
  return value;
}

std::vector<int64_t> spatial_axes(const Lowering& lowering, const Node& node) {
  const size_t rank = lowering.value(node, 0).shape.size();
  if (rank < 3) refuse("an input of rank {}, expected batch, channels and more", rank);
  std::vector<int64_t> axes(rank - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

void define_extreme(Lowering& lowering, const Node& node, const std::vector<int64_t>& axes, ir::OpKind kind, bool keeps) {
  Value value = extreme_over(lowering, node, lowering.moved_codes(node, 0), axes, kind);
  if (!keeps) drop_dimensions(value, axes);
  lowering.define(node, std::move(value));
}

/// Sums that no quantizer has met, halved until `count` of them fit 32 bits; other numbers as codes.
Value mean_operand(Lowering& lowering, const Node& node, int64_t count) {
  const Value& found = lowering.value(node, 0);
  const bool is_sum = found.kind == Value::Kind::Integers && found.is_real && found.is_wide() && !found.of_sum;
  if (!is_sum) return codes_or_16(lowering, node, 0);
  if (count >= int64_t{1} << 24) refuse("the mean of {} sums, allowed are less than 2^24", count);
  Value value = with_one_scale(lowering, found, node.outputs.at(0));
  int64_t halvings = 0;
  while (!fits_32_bits(value, count)) {
    value.magnitude = value.magnitude / 2 + 1;
    ++halvings;
  }
  if (halvings == 0) return value;
  value.tensor =
      add_rescale(lowering, value, value.tensor, {base::ElementType::Int32, 0, 0, {{int64_t{1} << 30, 30 + halvings}}},
                  node.outputs[0] + "_halved");
  value.format.scales.front() = std::ldexp(value.format.scales.front(), static_cast<int>(halvings));
  return value;
}

/// What the node that gives a value squares; null where that is another operator.
const std::string* squared_by(const Lowering& lowering, const std::string& name) {
  const std::vector<Node>& nodes = lowering.network.nodes;
  const auto is_giver = [&](const Node& node) { return !node.outputs.empty() && node.outputs.front() == name; };
  const auto node = std::find_if(nodes.begin(), nodes.end(), is_giver);
  if (node == nodes.end() || node->inputs.size() != 2) return nullptr;
  const bool is_product = node->kind == "Mul" && node->inputs[0] == node->inputs[1];
  const bool is_power = node->kind == "Pow" && lowering.is_constant(*node, 1) &&
                        real_numbers(lowering.value(*node, 1)) == std::vector<float>{2};
  return is_product || is_power ? &node->inputs[0] : nullptr;
}

/// The mean of squares that no quantizer has met, as layer normalization in pieces has it: 16 bits would be coarse beside
/// what the mean is, so they are multiplied and added in steps of 2^-30 of the greatest square. False for other operands.
bool lower_mean_of_squares(Lowering& lowering, const Node& node, const std::vector<int64_t>& axes, bool keeps_dimensions) {
  const Value& squares = lowering.value(node, 0);
  const bool is_open = squares.kind == Value::Kind::Integers && squares.is_real && squares.has_function();
  const std::string* squared = is_open ? squared_by(lowering, node.inputs[0]) : nullptr;
  const bool is_row = axes.back() - axes.front() + 1 == std::ssize(axes);
  if (squared == nullptr || !is_row || lowering.is_constant(node, 0)) return false;
  const Value& found = lowering.value(*squared);
  if (found.kind != Value::Kind::Integers || !found.is_real || !found.is_wide() || found.of_sum) return false;
  Value value = with_one_scale(lowering, found, node.outputs.at(0));
  const int64_t halvings = value.magnitude >= int64_t{1} << 29 ? 1 : 0;
  const Rows rows = rows_of(lowering, node, value, axes.front(), axes.back());
  if (rows.length >= int64_t{1} << 24) refuse("the mean of {} squares, allowed are less than 2^24", rows.length);
  Arithmetic math(lowering, node);
  // The greatest number of bits with which the sum stays within 29.
  const int64_t finer = spare_bits(value.magnitude);
  ir::TensorId numbers = rows.tensor;
  if (halvings > 0) numbers = math.shift_right(numbers, math.number(2, halvings), true);
  if (finer > 0) numbers = math.shift_left(numbers, math.number(2, finer));
  const auto l = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(rows.length - 1)));
  const ir::TensorId sum = sum_of_squares(math, numbers, l);
  const double step = std::ldexp(scale_of(value.format), static_cast<int>(halvings - finer));
  Rows reduced = rows;
  value.shape = lowering.value(node, 0).shape;
  for (const int64_t axis : axes) value.shape[static_cast<size_t>(axis)] = 1;
  reduced.shape = shape_in_order(value.shape, rows.order);
  Value mean =
      value_of_rows(lowering, node, value, reduced, sum,
                    std::ldexp(step * step, static_cast<int>(30 + l)) / static_cast<double>(rows.length), int64_t{1} << 29);
  if (!keeps_dimensions) drop_dimensions(mean, axes);
  lowering.define(node, std::move(mean));
  return true;
}

void lower_mean(Lowering& lowering, const Node& node, const std::vector<int64_t>& axes, bool keeps_dimensions,
                bool is_sum = false) {
  int64_t count = 1;
  for (const int64_t axis : axes) count *= lowering.value(node, 0).shape[static_cast<size_t>(axis)];
  const Value input = mean_operand(lowering, node, count);
  // Where the pixels of a channel lie side by side, as in a graph's input, the array would need them in another order.
  const bool is_image = input.shape.size() == 4 && axes == std::vector<int64_t>{2, 3};
  const bool is_for_array = is_image && !input.is_wide() && (input.order == kImageOrder || !fits_32_bits(input, count));
  Value mean = is_for_array ? sum_of_pixels(lowering, node, input) : sum_over(lowering, node, input, axes, count);
  if (!is_sum) mean.format.scales.front() /= static_cast<double>(count);
  if (!keeps_dimensions) drop_dimensions(mean, axes);
  lowering.define(node, std::move(mean));
}

}  // namespace

std::vector<int64_t> reduced_axes(const Lowering& lowering, const Node& node, size_t rank) {
  std::vector<int64_t> axes = list_of(lowering, node, "axes", 1).value_or(std::vector<int64_t>());
  if (axes.empty() && int_of(node, "noop_with_empty_axes", 0) != 0) return {};
  if (axes.empty()) axes = source_order(rank);
  for (int64_t& axis : axes) axis = axis_in(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    refuse("axes {} name a dimension twice", base::to_string(axes));
  return axes;
}

void lower_global_average_pool(Lowering& lowering, const Node& node) {
  lower_mean(lowering, node, spatial_axes(lowering, node), true);
}

void lower_global_max_pool(Lowering& lowering, const Node& node) {
  define_extreme(lowering, node, spatial_axes(lowering, node), ir::OpKind::ReduceMax, true);
}

void lower_reduce_mean(Lowering& lowering, const Node& node) {
  const std::vector<int64_t> axes = reduced_axes(lowering, node, lowering.value(node, 0).shape.size());
  if (axes.empty()) return lower_identity(lowering, node);
  const bool keeps_dimensions = int_of(node, "keepdims", 1) != 0;
  if (node.kind == "ReduceMean" && lower_mean_of_squares(lowering, node, axes, keeps_dimensions)) return;
  lower_mean(lowering, node, axes, keeps_dimensions, node.kind == "ReduceSum");
}

void lower_reduce_extreme(Lowering& lowering, const Node& node) {
  const std::vector<int64_t> axes = reduced_axes(lowering, node, lowering.value(node, 0).shape.size());
  if (axes.empty()) return lower_identity(lowering, node);
  define_extreme(lowering, node, axes, node.kind == "ReduceMax" ? ir::OpKind::ReduceMax : ir::OpKind::ReduceMin,
                 int_of(node, "keepdims", 1) != 0);
}

}  // namespace vernier::import::quantized
