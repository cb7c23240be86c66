// SPDX-License-Identifier: Apache-2.0
// What a step of the host may be on operands of given shapes, and the shape of its result.
#include "hw/package/host_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vernier::package {

namespace {

using Shapes = std::vector<base::Shape>;

constexpr int64_t kMostSize = int64_t{1} << 31;  // of a dimension, a stride, a pad: products of two stay in 64 bits

bool is_within(int64_t number, int64_t least, int64_t most) { return number >= least && number <= most; }

bool is_axis(int64_t axis, const base::Shape& shape) { return is_within(axis, 0, std::ssize(shape) - 1); }

std::string no_axis(const std::vector<int64_t>& dimensions, const base::Shape& shape) {
  return fmt::format("{} is no axis of {}", base::to_string(dimensions), base::to_string(shape));
}

std::string problem_of_numbers(const HostStep& step) {
  if (checked_size(step.shape) != std::ssize(step.numbers))
    return fmt::format("{} numbers stand for a constant of shape {}", step.numbers.size(), base::to_string(step.shape));
  if (!std::all_of(step.numbers.begin(), step.numbers.end(), [](float number) { return std::isfinite(number); }))
    return "the constant holds what is no number, allowed are finite ones";
  return "";
}

std::string problem_of_binary(const HostStep& step, const Shapes& operands) {
  const bool is_constant = operands.size() == 1;
  if (std::string problem = is_constant ? problem_of_numbers(step) : ""; !problem.empty()) return problem;
  const base::Shape& other = is_constant ? step.shape : operands[1];
  const auto together = shape_together(operands[0], other);
  if (!together || (is_constant && *together != operands[0]))
    return fmt::format("a {} of shape {} does not go along {}", is_constant ? "constant" : "value", base::to_string(other),
                       base::to_string(operands[0]));
  return "";
}

std::string problem_of_order(const HostStep& step, const base::Shape& shape) {
  std::vector<int64_t> sorted = step.dimensions;
  std::sort(sorted.begin(), sorted.end());
  bool is_order = sorted.size() == shape.size();
  for (size_t i = 0; is_order && i < sorted.size(); ++i) is_order = sorted[i] == static_cast<int64_t>(i);
  return is_order ? ""
                  : fmt::format("{} is no order of the dimensions of {}", base::to_string(step.dimensions),
                                base::to_string(shape));
}

std::string problem_of_slice(const HostStep& step, const base::Shape& shape) {
  const std::vector<int64_t>& d = step.dimensions;
  if (d.size() != 4 || !is_axis(d[0], shape)) return no_axis(d, shape);
  const int64_t size = shape[static_cast<size_t>(d[0])];
  const bool is_inside = is_within(d[1], 0, size - 1) && is_within(d[2], -size, size) && is_within(d[3], 1, size) &&
                         is_within(d[1] + d[2] * (d[3] - 1), 0, size - 1);
  return is_inside ? ""
                   : fmt::format("{} elements from {} on by steps of {} are not in axis {} of {}", d[3], d[1], d[2], d[0],
                                 base::to_string(shape));
}

std::string problem_of_pick(const HostStep& step, const base::Shape& shape) {
  const std::vector<int64_t>& d = step.dimensions;
  if (d.size() < 2 || !is_axis(d[0], shape)) return no_axis(d, shape);
  const int64_t size = shape[static_cast<size_t>(d[0])], least = step.numbers.empty() ? 0 : -1;
  if (step.numbers.size() > 1) return "there are several numbers for what is outside, allowed is one";
  const auto bad = std::find_if(d.begin() + 1, d.end(), [&](int64_t index) { return !is_within(index, least, size - 1); });
  return bad == d.end() ? "" : fmt::format("index {} is not in axis {} of {}", *bad, d[0], base::to_string(shape));
}

std::string problem_of_blend(const HostStep& step, const base::Shape& shape) {
  const std::vector<int64_t>& d = step.dimensions;
  if (d.size() < 3 || !is_axis(d[0], shape)) return no_axis(d, shape);
  const int64_t count = std::ssize(d) - 2, size = shape[static_cast<size_t>(d[0])];
  if (!is_within(d[1], 1, count) || count % d[1] != 0 || std::ssize(step.numbers) != count)
    return fmt::format("{} elements and {} numbers do not make sums of {}", count, step.numbers.size(), d[1]);
  const auto bad = std::find_if(d.begin() + 2, d.end(), [&](int64_t index) { return !is_within(index, 0, size - 1); });
  if (bad != d.end()) return fmt::format("index {} is not in axis {} of {}", *bad, d[0], base::to_string(shape));
  const bool is_finite = std::all_of(step.numbers.begin(), step.numbers.end(), [](float one) { return std::isfinite(one); });
  return is_finite ? "" : "a number that an element is multiplied by is none";
}

std::string problem_of_concat(const HostStep& step, const Shapes& operands) {
  const base::Shape& first = operands.front();
  if (step.dimensions.size() != 1 || !is_axis(step.dimensions[0], first)) return no_axis(step.dimensions, first);
  const auto axis = static_cast<size_t>(step.dimensions[0]);
  for (const base::Shape& other : operands) {
    base::Shape expected = first;
    if (other.size() == first.size()) expected[axis] = other[axis];
    if (other != expected)
      return fmt::format("values of {} and {} are not joined along axis {}", base::to_string(first), base::to_string(other),
                         step.dimensions[0]);
  }
  return "";
}

std::string problem_of_reduction(const HostStep& step, const base::Shape& shape) {
  const std::vector<int64_t>& d = step.dimensions;
  const bool is_search = step.kind == HostOperator::ArgMax || step.kind == HostOperator::ArgMin;
  if (is_search) return d.size() == 2 && is_axis(d[0], shape) && is_within(d[1], 0, 1) ? "" : no_axis(d, shape);
  for (size_t i = 0; i < d.size(); ++i)
    if (!is_axis(d[i], shape) || (i > 0 && d[i] <= d[i - 1])) return no_axis(d, shape);
  return "";
}

std::string problem_of_matmul(const Shapes& operands) {
  const auto &a = operands[0], &b = operands[1];
  const bool has_ranks = a.size() >= 2 && b.size() >= 2;
  if (has_ranks && a.back() == b[b.size() - 2] && shape_together({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}))
    return "";
  return fmt::format("matrices of {} and {} are not multiplied", base::to_string(a), base::to_string(b));
}

std::string problem_of_window(const HostStep& step, const Shapes& operands) {
  const base::Shape& x = operands[0];
  const bool is_conv = step.kind == HostOperator::Conv;
  const size_t rank = x.size(), axes = rank < 3 ? 0 : rank - 2;
  const size_t lists = is_conv ? 4 : 6, more = step.kind == HostOperator::MaxPool ? 0 : 1;
  if (axes == 0 || step.dimensions.size() != lists * axes + more)
    return fmt::format("{} numbers describe windows on {}", step.dimensions.size(), base::to_string(x));
  if (is_conv) {
    const int64_t groups = step.dimensions.front();
    const base::Shape& weights = operands[1];
    const bool fits = weights.size() == rank && is_within(groups, 1, x[1]) && x[1] % groups == 0 &&
                      weights[0] % groups == 0 && weights[1] == x[1] / groups;
    if (!fits)
      return fmt::format("weights of {} in {} groups do not go along {}", base::to_string(weights), groups,
                         base::to_string(x));
    if (operands.size() == 3 && operands[2] != base::Shape{weights[0]})
      return fmt::format("a bias of {} does not go along weights of {}", base::to_string(operands[2]),
                         base::to_string(weights));
  }
  if (step.kind == HostOperator::AveragePool && !is_within(step.dimensions.back(), 0, 1))
    return "padding counts or not: 1 or 0";
  for (const HostWindow& axis : windows_of(step, operands)) {
    const bool is_good = is_within(axis.kernel, 1, kMostSize) && is_within(axis.stride, 1, kMostSize) &&
                         is_within(axis.dilation, 1, kMostSize) && is_within(axis.before, 0, kMostSize) &&
                         is_within(axis.after, 0, kMostSize) && is_within(axis.output, 1, kMostSize);
    if (!is_good || (axis.output - 1) * axis.stride - axis.before >= axis.input)
      return fmt::format("{} windows of {} by steps of {} do not begin in {} elements", axis.output, axis.kernel,
                         axis.stride, axis.input);
  }
  return "";
}

/// Least and greatest number of operands.
std::pair<size_t, size_t> operand_counts(HostOperator kind) {
  constexpr size_t kMany = 4096;
  if (kind == HostOperator::Constant) return {0, 0};
  if (kind == HostOperator::SubFrom || kind == HostOperator::DivFrom) return {1, 1};
  if (is_binary(kind)) return {1, 2};
  if (kind == HostOperator::Concat) return {1, kMany};
  if (kind == HostOperator::MatMul) return {2, 2};
  if (kind == HostOperator::Conv) return {2, 3};
  return {1, 1};
}

size_t num_parameters(HostOperator kind) {
  switch (kind) {
    case HostOperator::Celu:
    case HostOperator::Elu:
    case HostOperator::LeakyRelu:
    case HostOperator::ThresholdedRelu: return 1;
    case HostOperator::HardSigmoid:
    case HostOperator::Selu: return 2;
    default: return 0;
  }
}

}  // namespace

std::vector<HostWindow> windows_of(const HostStep& step, const Shapes& operands) {
  const bool is_conv = step.kind == HostOperator::Conv;
  const size_t axes = operands[0].size() - 2;
  std::vector<HostWindow> windows(axes);
  for (size_t i = 0; i < axes; ++i) {
    const auto number = [&](size_t list) { return step.dimensions[is_conv ? 1 + list * axes + i : (list + 1) * axes + i]; };
    HostWindow& axis = windows[i];
    axis.kernel = is_conv ? operands[1][2 + i] : step.dimensions[i];
    axis.stride = number(0);
    axis.dilation = number(1);
    axis.before = number(2);
    axis.after = is_conv ? 0 : number(3);
    axis.output = number(is_conv ? 3 : 4);
    axis.input = operands[0][2 + i];
  }
  return windows;
}

std::string problem_of(const HostStep& step, const Shapes& operands) {
  const auto [least, most] = operand_counts(step.kind);
  if (operands.size() < least || operands.size() > most)
    return fmt::format("it reads {} values, allowed are {} to {}", operands.size(), least, most);
  if (step.kind == HostOperator::Constant) return problem_of_numbers(step);
  if (is_binary(step.kind)) return problem_of_binary(step, operands);
  const base::Shape& shape = operands.front();
  switch (step.kind) {
    case HostOperator::Clip:
      return step.numbers.size() == 2 && step.numbers[0] <= step.numbers[1]
                 ? ""
                 : "the limits are not a least and a greatest number";
    case HostOperator::Softmax:
      return step.dimensions.size() == 1 && is_axis(step.dimensions[0], shape) ? "" : no_axis(step.dimensions, shape);
    case HostOperator::Transpose: return problem_of_order(step, shape);
    case HostOperator::Reshape:
      return checked_size(step.dimensions) == checked_size(shape)
                 ? ""
                 : fmt::format("shape {} does not fit {}", base::to_string(step.dimensions), base::to_string(shape));
    case HostOperator::Slice: return problem_of_slice(step, shape);
    case HostOperator::Pick: return problem_of_pick(step, shape);
    case HostOperator::Blend: return problem_of_blend(step, shape);
    case HostOperator::Concat: return problem_of_concat(step, operands);
    case HostOperator::ReduceSum:
    case HostOperator::ReduceMean:
    case HostOperator::ReduceMax:
    case HostOperator::ReduceMin:
    case HostOperator::ReduceProd:
    case HostOperator::ArgMax:
    case HostOperator::ArgMin: return problem_of_reduction(step, shape);
    case HostOperator::MatMul: return problem_of_matmul(operands);
    case HostOperator::Conv:
    case HostOperator::MaxPool:
    case HostOperator::AveragePool: return problem_of_window(step, operands);
    default: break;
  }
  if (step.numbers.size() != num_parameters(step.kind))
    return fmt::format("{} numbers are given, expected {}", step.numbers.size(), num_parameters(step.kind));
  return "";
}

base::Shape result_shape(const HostStep& step, const Shapes& operands) {
  if (step.kind == HostOperator::Constant) return step.shape;
  const std::vector<int64_t>& d = step.dimensions;
  base::Shape shape = operands.front();
  if (is_binary(step.kind)) return operands.size() == 1 ? shape : shape_together(shape, operands[1]).value();
  const auto at = [&](int64_t axis) -> int64_t& { return shape[static_cast<size_t>(axis)]; };
  switch (step.kind) {
    case HostOperator::Reshape: return d;
    case HostOperator::Transpose:
      for (size_t i = 0; i < d.size(); ++i) shape[i] = operands[0][static_cast<size_t>(d[i])];
      break;
    case HostOperator::Slice: at(d[0]) = d[3]; break;
    case HostOperator::Pick: at(d[0]) = std::ssize(d) - 1; break;
    case HostOperator::Blend: at(d[0]) = (std::ssize(d) - 2) / d[1]; break;
    case HostOperator::Concat:
      for (size_t i = 1; i < operands.size(); ++i) at(d[0]) += operands[i][static_cast<size_t>(d[0])];
      break;
    case HostOperator::ReduceSum:
    case HostOperator::ReduceMean:
    case HostOperator::ReduceMax:
    case HostOperator::ReduceMin:
    case HostOperator::ReduceProd:
      for (const int64_t axis : d) at(axis) = 1;
      break;
    case HostOperator::ArgMax:
    case HostOperator::ArgMin: at(d[0]) = 1; break;
    case HostOperator::MatMul: {
      const auto &a = operands[0], &b = operands[1];
      shape = shape_together({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}).value();
      shape.insert(shape.end(), {a[a.size() - 2], b.back()});
      break;
    }
    case HostOperator::Conv: shape[1] = operands[1][0]; [[fallthrough]];
    case HostOperator::MaxPool:
    case HostOperator::AveragePool: {
      const std::vector<HostWindow> windows = windows_of(step, operands);
      for (size_t i = 0; i < windows.size(); ++i) shape[2 + i] = windows[i].output;
      break;
    }
    default: break;
  }
  return shape;
}

int64_t work_of(const HostStep& step, const Shapes& operands) {
  constexpr int64_t kMost = int64_t{1} << 48;  // more is as good as that
  const auto times = [](int64_t a, int64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; };
  int64_t work = checked_size(result_shape(step, operands));
  if (work == 0) return kMost;
  if (step.kind == HostOperator::MatMul) return times(work, operands[0].back());
  if (step.kind == HostOperator::Blend) return times(work, step.dimensions[1]);
  const bool is_conv = step.kind == HostOperator::Conv;
  if (is_conv || step.kind == HostOperator::MaxPool || step.kind == HostOperator::AveragePool) {
    if (is_conv) work = times(work, operands[1][1]);
    for (const HostWindow& axis : windows_of(step, operands)) work = times(work, axis.kernel);
  }
  for (const base::Shape& operand : operands) work = std::max(work, checked_size(operand));
  return work;
}

}  // namespace vernier::package
