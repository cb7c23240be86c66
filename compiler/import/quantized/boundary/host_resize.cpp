// SPDX-License-Identifier: Apache-2.0
// Resize as steps of the host, axis after axis, with the positions of onnxruntime's kernels in float32: nearest elements are
// picked, linear ones are sums of two.
#include "compiler/import/quantized/boundary/host_emitter.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using package::HostOperator;

struct ResizedAxis {
  size_t axis = 0;
  int64_t input = 0, output = 0;
  float scale = 1;
};

std::vector<ResizedAxis> resized_axes(const HostEmitter& emitter, const base::Shape& shape) {
  const Node& node = emitter.node;
  const Lowering& lowering = emitter.lowering;
  const std::vector<int64_t> axes = ints_of(node, "axes", source_order(shape.size()));
  const size_t at_scales = lowering.network.opset < 11 ? 1 : 2;
  std::vector<float> scales;
  if (lowering.has_input(node, at_scales)) scales = lowering.constant(node, at_scales, "the list of scales").floats;
  const std::vector<int64_t> sizes = list_of(lowering, node, "sizes", 3).value_or(std::vector<int64_t>());
  if (scales.empty() == sizes.empty()) refuse("expected scales or sizes, and not both");
  if (std::max(scales.size(), sizes.size()) != axes.size())
    refuse("{} scales or sizes for {} axes", std::max(scales.size(), sizes.size()), axes.size());
  std::vector<ResizedAxis> result;
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis one{static_cast<size_t>(axis_in(axes[i], shape.size())), 0, 0, 1};
    one.input = shape[one.axis];
    if (!scales.empty() && !(scales[i] > 0 && scales[i] <= static_cast<float>(kMostIndices)))
      refuse("a scale is {}, allowed are numbers above 0 up to {}", scales[i], kMostIndices);
    const float size = scales.empty() ? static_cast<float>(sizes[i]) : scales[i] * static_cast<float>(one.input);
    if (!(size >= 1 && size <= static_cast<float>(kMostIndices)))
      refuse("dimension {} becomes {}, allowed are 1 to {}", one.axis, size, kMostIndices);
    one.output = scales.empty() ? sizes[i] : static_cast<int64_t>(size);
    one.scale = scales.empty() ? static_cast<float>(one.output) / static_cast<float>(one.input) : scales[i];
    if (one.output != one.input || one.scale != 1) result.push_back(one);
  }
  return result;
}

float position_of(const ResizedAxis& axis, int64_t output, const std::string& mode) {
  const auto at = static_cast<float>(output);
  if (mode == "asymmetric") return at / axis.scale;
  if (mode == "align_corners")
    return axis.output == 1 ? 0 : at * static_cast<float>(axis.input - 1) / static_cast<float>(axis.output - 1);
  if (mode == "pytorch_half_pixel" && axis.output == 1) return 0;
  return (at + 0.5F) / axis.scale - 0.5F;
}

int64_t nearest_to(float position, const std::string& mode) {
  const float floor = std::floor(position), rest = position - floor;
  if (mode == "floor") return static_cast<int64_t>(floor);
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(position));
  const bool is_up = mode == "round_prefer_ceil" ? rest >= 0.5F : rest > 0.5F;
  return static_cast<int64_t>(floor) + (is_up ? 1 : 0);
}

std::string nearest_mode_of(const HostEmitter& emitter, const ResizedAxis& axis) {
  // Opset 10 has floor; onnxruntime takes the next one where it makes an axis smaller.
  const char* usual = emitter.lowering.network.opset >= 11 ? "round_prefer_floor"
                      : axis.output < axis.input           ? "ceil"
                                                           : "floor";
  const std::string mode = string_of(emitter.node, "nearest_mode", usual);
  if (mode != "round_prefer_floor" && mode != "round_prefer_ceil" && mode != "floor" && mode != "ceil")
    refuse("attribute nearest_mode is '{}', allowed are round_prefer_floor round_prefer_ceil floor ceil", mode);
  return mode;
}

size_t resized_nearest(const HostEmitter& emitter, size_t value, const ResizedAxis& axis, const std::string& positions) {
  const std::string mode = nearest_mode_of(emitter, axis);
  std::vector<int64_t> dimensions{static_cast<int64_t>(axis.axis)};
  for (int64_t i = 0; i < axis.output; ++i)
    dimensions.push_back(std::clamp<int64_t>(nearest_to(position_of(axis, i, positions), mode), 0, axis.input - 1));
  return emitter.add(HostOperator::Pick, {value}, std::move(dimensions));
}

size_t resized_linear(const HostEmitter& emitter, size_t value, const ResizedAxis& axis, const std::string& positions) {
  std::vector<int64_t> dimensions{static_cast<int64_t>(axis.axis), 2};
  std::vector<float> weights;
  for (int64_t i = 0; i < axis.output; ++i) {
    const float position = std::clamp(position_of(axis, i, positions), 0.0F, static_cast<float>(axis.input - 1));
    const int64_t first = std::min(static_cast<int64_t>(position), axis.input - 1),
                  second = std::min(first + 1, axis.input - 1);
    const bool is_last = first == second;
    dimensions.insert(dimensions.end(), {first, second});
    weights.push_back(is_last ? 0.5F : std::fabs(position - static_cast<float>(second)));
    weights.push_back(is_last ? 0.5F : std::fabs(position - static_cast<float>(first)));
  }
  return emitter.add(HostOperator::Blend, {value}, std::move(dimensions), std::move(weights));
}

}  // namespace

std::vector<size_t> emit_resize(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  size_t value = emitter.operand(0);
  const std::string mode = string_of(node, "mode", "nearest");
  if (mode != "nearest" && mode != "linear") refuse("attribute mode is '{}', allowed are nearest and linear", mode);
  const std::string positions =
      string_of(node, "coordinate_transformation_mode", emitter.lowering.network.opset < 11 ? "asymmetric" : "half_pixel");
  check_resize(node, positions);
  for (const ResizedAxis& axis : resized_axes(emitter, emitter.shape(value)))
    value = mode == "nearest" ? resized_nearest(emitter, value, axis, positions)
                              : resized_linear(emitter, value, axis, positions);
  return {value};
}

}  // namespace vernier::import::quantized
