// SPDX-License-Identifier: Apache-2.0
// Resize of rows and columns, nearest and linear. TOSA's RESIZE reads position (o d + offset) / n for output o, in whole
// numbers; ONNX's positions are (o + 1/2) / scale - 1/2 and the like, so scales have to be fractions of small numbers.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostSize = 16384, kMostNumerator = 2048;  // TOSA's

/// Output o of an axis is at (o * denominator + offset) / numerator.
struct Axis {
  int64_t input = 0, output = 0;
  int64_t numerator = 1, denominator = 1, offset = 0;
  [[nodiscard]] int64_t border() const { return (output - 1) * denominator + offset - (input - 1) * numerator; }
};

/// A float32 as the fraction of the smallest denominator.
void set_ratio(Axis& axis, float scale) {
  for (axis.denominator = 1; axis.denominator <= kMostNumerator; ++axis.denominator) {
    const double numerator = std::nearbyint(static_cast<double>(scale) * static_cast<double>(axis.denominator));
    axis.numerator = static_cast<int64_t>(numerator);
    if (static_cast<float>(numerator / static_cast<double>(axis.denominator)) == scale) return;
  }
  refuse("the scale is {}, allowed are fractions of numbers up to {}", scale, kMostNumerator);
}

/// Sizes and scales of the axes that change: of the source's dimensions 2 and 3 of an image.
std::array<Axis, 2> axes_of(const Lowering& lowering, const Node& node, const base::Shape& shape) {
  const std::vector<int64_t> axes = ints_of(node, "axes", source_order(shape.size()));
  std::vector<float> scales;
  const size_t at_scales = lowering.network.opset < 11 ? 1 : 2;
  if (lowering.has_input(node, at_scales)) scales = lowering.constant(node, at_scales, "the list of scales").floats;
  const std::vector<int64_t> sizes = list_of(lowering, node, "sizes", 3).value_or(std::vector<int64_t>());
  if (scales.empty() == sizes.empty()) refuse("expected scales or sizes, and not both");
  if (std::max(scales.size(), sizes.size()) != axes.size())
    refuse("{} scales or sizes for {} axes", std::max(scales.size(), sizes.size()), axes.size());
  std::array<Axis, 2> result;
  for (size_t i = 0; i < 2; ++i) result.at(i).input = result.at(i).output = shape[2 + i];
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<size_t>(axis_in(axes[i], shape.size()));
    Axis other;
    Axis& axis = at < 2 ? other : result.at(at - 2);
    axis.input = shape[at];
    if (sizes.empty()) {
      if (!std::isfinite(scales[i]) || !(scales[i] > 0)) refuse("a scale is {}, expected a number above 0", scales[i]);
      const float size = scales[i] * static_cast<float>(axis.input);
      if (!(size < static_cast<float>(kMostSize)))
        refuse("dimension {} becomes {}, allowed are up to {}", at, size, kMostSize - 1);
      axis.output = static_cast<int64_t>(size);
      set_ratio(axis, scales[i]);
    } else {
      axis.output = axis.numerator = sizes[i];
      axis.denominator = axis.input;
    }
    if (axis.output < 1 || axis.output >= kMostSize || axis.input >= kMostSize)
      refuse("dimension {} is {} and becomes {}, allowed are 1 to {}", at, axis.input, axis.output, kMostSize - 1);
    if (at < 2 && axis.output != axis.input) refuse("dimension {} changes its size, allowed are 2 and 3 of rank 4", at);
  }
  return result;
}

/// Positions by attribute coordinate_transformation_mode.
void set_positions(Axis& axis, const std::string& mode) {
  if (axis.input == 1) {  // whatever is read is the one element
    axis.numerator = axis.output;
    axis.denominator = 1;
  } else if (mode == "half_pixel" || (mode == "pytorch_half_pixel" && axis.output > 1)) {
    axis.offset = axis.denominator - axis.numerator;
    axis.numerator *= 2;
    axis.denominator *= 2;
  } else if (axis.output == 1 && mode != "asymmetric") {
    axis.numerator = axis.denominator = 1;
  } else if (mode == "align_corners") {
    axis.numerator = axis.output - 1;
    axis.denominator = axis.input - 1;
  }
}

/// TOSA rounds half up to the nearest element; other ways are other offsets.
void set_nearest(Axis& axis, const std::string& mode) {
  if (axis.numerator % 2 != 0) {
    axis.numerator *= 2;
    axis.denominator *= 2;
    axis.offset *= 2;
  }
  const int64_t half = axis.numerator / 2;
  if (mode == "round_prefer_floor") {
    axis.offset -= 1;
  } else if (mode == "floor") {
    axis.offset -= half;
  } else if (mode == "ceil") {
    axis.offset += axis.numerator - 1 - half;
  } else if (mode != "round_prefer_ceil") {
    refuse("attribute nearest_mode is '{}', allowed are round_prefer_floor round_prefer_ceil floor ceil", mode);
  }
}

/// In the smallest numbers.
void reduce(Axis& axis) {
  const int64_t common = std::gcd(std::gcd(axis.numerator, axis.denominator), axis.offset);
  axis.numerator /= common;
  axis.denominator /= common;
  axis.offset /= common;
}

/// Whether TOSA's RESIZE takes the positions.
bool is_resize(const Axis& axis) {
  const int64_t n = axis.numerator, border = axis.border();
  return n <= kMostNumerator && axis.denominator < 16 * n && axis.offset >= -n && axis.offset < 16 * n &&
         border >= -16 * n && border < n;
}

void check_is_resize(const Axis& axis) {
  if (!is_resize(axis))
    refuse("{} elements become {} by positions (o * {} + {}) / {}, which TOSA's RESIZE cannot express", axis.input,
           axis.output, axis.denominator, axis.offset, axis.numerator);
}

/// Output o of the nearest element of an axis, as TOSA rounds it; what is outside of the input is its first or last one.
std::vector<int64_t> nearest_elements(const Axis& axis) {
  std::vector<int64_t> elements;
  for (int64_t o = 0; o < axis.output; ++o) {
    const int64_t n = axis.numerator, position = o * axis.denominator + axis.offset + n / 2;
    const int64_t floor = position >= 0 ? position / n : -((n - 1 - position) / n);
    elements.push_back(std::clamp<int64_t>(floor, 0, axis.input - 1));
  }
  return elements;
}

/// What RESIZE cannot express: rows and columns picked one by one.
void define_picked(Lowering& lowering, const Node& node, const Value& input, const std::array<Axis, 2>& axes) {
  Value value = permuted(input, kImageOrder);
  for (size_t i = 0; i < 2; ++i) {
    if (axes.at(i).input != axes.at(i).output) value = picked(lowering, node, value, 1 + i, nearest_elements(axes.at(i)));
  }
  value = permuted(std::move(value), {0, 3, 1, 2});
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace

void check_resize(const Node& node, const std::string& positions) {
  constexpr std::array<std::string_view, 4> kPositions{"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"};
  if (std::find(kPositions.begin(), kPositions.end(), positions) == kPositions.end())
    refuse(
        "attribute coordinate_transformation_mode is '{}', allowed are half_pixel pytorch_half_pixel asymmetric "
        "align_corners",
        positions);
  if (int_of(node, "antialias", 0) != 0) refuse("attribute antialias is 1, allowed is 0");
  const std::string policy = string_of(node, "keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch") refuse("attribute keep_aspect_ratio_policy is '{}', allowed is stretch", policy);
}

void lower_resize(Lowering& lowering, const Node& node) {
  const std::string mode = string_of(node, "mode", "nearest");
  Value value = mode == "nearest" ? lowering.moved_codes(node, 0) : lowering.codes(node, 0);
  if (value.shape.size() != 4) refuse("an input of shape {}, allowed is rank 4", base::to_string(value.shape));
  if (value.format.bits != 8 && value.format.bits != 16)
    refuse("'{}' holds integers of {} bits, allowed are codes of 8 and 16", node.inputs[0], value.format.bits);
  // Opset 10 says nothing of positions; these are onnxruntime's.
  const bool is_first = lowering.network.opset < 11;
  const std::string positions = string_of(node, "coordinate_transformation_mode", is_first ? "asymmetric" : "half_pixel");
  if (mode != "nearest" && mode != "linear") refuse("attribute mode is '{}', allowed are nearest and linear", mode);
  if (mode == "linear" && !value.is_real) refuse("'{}' holds integers, expected numbers", node.inputs[0]);
  check_resize(node, positions);
  std::array<Axis, 2> axes = axes_of(lowering, node, value.shape);
  if (axes[0].input == axes[0].output && axes[1].input == axes[1].output) return lowering.define(node, std::move(value));
  const bool is_linear = mode == "linear";
  for (Axis& axis : axes) {
    set_positions(axis, positions);
    const char* usual = !is_first ? "round_prefer_floor" : axis.output < axis.input ? "ceil" : "floor";
    if (!is_linear) set_nearest(axis, string_of(node, "nearest_mode", usual));
    reduce(axis);
  }
  if (!is_linear && !std::all_of(axes.begin(), axes.end(), is_resize)) return define_picked(lowering, node, value, axes);
  std::for_each(axes.begin(), axes.end(), check_is_resize);
  const auto& [y, x] = axes;
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId image = lowering.in_order(value, kImageOrder);
  const base::ElementType type = graph.tensor(image).type;
  const bool is_16_bits = type == base::ElementType::Int16;
  const base::ElementType result = !is_linear ? type : is_16_bits ? base::ElementType::Int48 : base::ElementType::Int32;
  value.shape[2] = y.output;
  value.shape[3] = x.output;
  value.tensor = graph.add(ir::OpKind::Resize, ir::ResizeAttributes{is_linear},
                           {image, graph.add_shape({y.numerator, y.denominator, x.numerator, x.denominator}),
                            graph.add_shape({y.offset, x.offset}), graph.add_shape({y.border(), x.border()})},
                           {result, shape_in_order(value.shape, kImageOrder), node.outputs.at(0)}, node.name);
  value.order = kImageOrder;
  value.layer = node.name;
  if (!is_linear) return lowering.define(node, std::move(value));
  // The four weights of an output make numerator * numerator together, which the zero point is multiplied by as well.
  const int64_t weight = y.numerator * x.numerator, zero = zero_point_of(value.format) * weight;
  Value sums = sums_value(value.tensor, value.shape, kImageOrder, {scale_of(value.format) / static_cast<double>(weight)}, 1,
                          value.magnitude * weight, node.name);
  if (zero != 0) {
    if (sums.magnitude >= int64_t{1} << 31) refuse("sums of up to {} steps are more than 32 bits hold", sums.magnitude);
    sums = narrowed_sums(lowering, sums, node.outputs[0]);
    sums.tensor = graph.add(
        ir::OpKind::Sub, {}, {sums.tensor, graph.add_constant(base::ElementType::Int32, {1, 1, 1, 1}, {zero})},
        {base::ElementType::Int32, shape_in_order(value.shape, kImageOrder), node.outputs[0] + "_centred"}, node.name);
  }
  lowering.define(node, std::move(sums));
}

}  // namespace vernier::import::quantized
