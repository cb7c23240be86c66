// SPDX-License-Identifier: Apache-2.0
// STRIDED_SLICE with all of its masks.
#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

using ir::OpKind;

/// What is taken of one dimension of the input.
struct Taken {
  int64_t begin = 0, count = 0, stride = 1;
};

/// Elements from `begin` on, each stride-th, of one dimension. TOSA has no stride: groups of as many, and the first of each.
Id taken(LiteLowering& lowering, const LiteOperator& op, Id from, size_t axis, const Taken& part) {
  ir::TensorInfo info = lowering.graph.tensor(from);
  const auto number = static_cast<int64_t>(axis);
  const int64_t stride = std::abs(part.stride);
  const int64_t length = (part.count - 1) * stride + 1;
  const int64_t first = part.stride > 0 ? part.begin : part.begin - length + 1;
  std::vector<int64_t> begin(info.shape.size(), 0);
  base::Shape shape = info.shape;
  begin[axis] = first;
  shape[axis] = stride == 1 ? length : std::min(part.count * stride, info.shape[axis] - first);
  Id result = lowering.slice(op, from, begin, shape, "part");
  if (stride > 1) {
    if (const int64_t missing = part.count * stride - shape[axis]; missing > 0) {
      std::vector<int64_t> padding(2 * shape.size(), 0);
      padding[2 * axis + 1] = missing;
      shape[axis] += missing;
      result = lowering.pad(op, result, padding, 0, "filled");
    }
    base::Shape groups = shape;
    groups[axis] = part.count;
    groups.insert(groups.begin() + number + 1, stride);
    base::Shape firsts = groups;
    firsts[axis + 1] = 1;
    result = lowering.slice(op, lowering.reshape(op, result, groups, "groups"), std::vector<int64_t>(groups.size(), 0),
                            firsts, "firsts");
    shape[axis] = part.count;
    result = lowering.reshape(op, result, shape, "strided");
  }
  if (part.stride > 0) return result;
  return lowering.add(op, OpKind::Reverse, ir::AxisAttributes{number}, {result}, info.type, shape, "reversed");
}

}  // namespace

void lower_strided_slice(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_StridedSliceOptions);
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  check_same_scale(input, output);
  const std::vector<int64_t> begin = lowering.elements(op, 1, "the begin"), end = lowering.elements(op, 2, "the end");
  const std::vector<int64_t> strides = lowering.elements(op, 3, "the strides");
  if (begin.size() != end.size() || begin.size() != strides.size() || begin.size() > 30)
    refuse("{}, {} and {} numbers, expected as many", begin.size(), end.size(), strides.size());
  if (options.offset()) refuse("ends that are offsets, allowed are indices");
  const auto is_in = [](int32_t mask, size_t index) { return (static_cast<uint32_t>(mask) >> index & 1) != 0; };
  size_t read = 0;  // dimensions of the input that the entries name
  for (size_t i = 0; i < begin.size(); ++i)
    read += is_in(options.ellipsis_mask(), i) || is_in(options.new_axis_mask(), i) ? 0 : 1;
  if (read > input.shape.size()) refuse("{} dimensions of {}", read, base::to_string(input.shape));
  std::vector<Taken> parts;
  base::Shape shape;  // of the result
  bool has_ellipsis = false;
  const auto keep = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t size = input.shape[parts.size()];
      parts.push_back({0, size, 1});
      shape.push_back(size);
    }
  };
  for (size_t i = 0; i < begin.size(); ++i) {
    if (is_in(options.ellipsis_mask(), i)) {
      if (has_ellipsis) refuse("two ellipses, allowed is one");
      has_ellipsis = true;
      keep(input.shape.size() - read);
      continue;
    }
    if (is_in(options.new_axis_mask(), i)) {
      shape.push_back(1);
      continue;
    }
    const int64_t size = input.shape[parts.size()], stride = strides[i];
    if (stride == 0 || stride <= -kMostElements || stride >= kMostElements)
      refuse("a stride of {}, allowed are others than 0", stride);
    const auto from_start = [&](int64_t index) { return index < 0 ? index + size : index; };
    if (is_in(options.shrink_axis_mask(), i)) {
      const int64_t index = from_start(begin[i]);
      if (index < 0 || index >= size) refuse("index {} of {}", begin[i], size);
      parts.push_back({index, 1, 1});
      continue;
    }
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    const int64_t first =
        is_in(options.begin_mask(), i) ? (stride > 0 ? low : high) : std::clamp(from_start(begin[i]), low, high);
    const int64_t last =
        is_in(options.end_mask(), i) ? (stride > 0 ? high : low) : std::clamp(from_start(end[i]), low, high);
    const int64_t reach = stride > 0 ? last - first : first - last;
    if (reach <= 0) refuse("nothing of {} from {} to {} with stride {}", size, begin[i], end[i], stride);
    const int64_t count = (reach + std::abs(stride) - 1) / std::abs(stride);
    parts.push_back({first, count, count == 1 ? 1 : stride});  // one element has no stride
    shape.push_back(parts.back().count);
  }
  keep(input.shape.size() - parts.size());
  Id result = lowering.value(op, 0);
  std::vector<int64_t> at;
  base::Shape window;
  for (const Taken& part : parts) {  // all dimensions without a stride at once
    const bool is_plain = part.stride == 1;
    at.push_back(is_plain ? part.begin : 0);
    window.push_back(is_plain ? part.count : input.shape[window.size()]);
  }
  result = lowering.slice(op, result, at, window, "window");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].stride != 1) result = taken(lowering, op, result, i, parts[i]);
  }
  lowering.finish(op, lowering.reshape(op, result, shape, "shaped"));
}

}  // namespace vernier::import::lite
