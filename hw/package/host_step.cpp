// SPDX-License-Identifier: Apache-2.0
#include "hw/package/host_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vernier::package {

int64_t checked_size(const base::Shape& shape) {
  constexpr int64_t kMost = int64_t{1} << 31;
  int64_t size = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 1 || dimension > kMost / size) return 0;
    size *= dimension;
  }
  return size;
}

namespace {

std::string problem_of_constant(const HostStep& step, const base::Shape& shape) {
  if (checked_size(step.shape) != static_cast<int64_t>(step.numbers.size()))
    return fmt::format("{} numbers stand for a constant of shape {}", step.numbers.size(), base::to_string(step.shape));
  bool fits = step.shape.size() <= shape.size();
  for (size_t i = 0; fits && i < step.shape.size(); ++i) {
    const int64_t size = step.shape[i];
    fits = size == 1 || size == shape[shape.size() - step.shape.size() + i];
  }
  if (!fits)
    return fmt::format("a constant of shape {} does not go along {}", base::to_string(step.shape), base::to_string(shape));
  if (!std::all_of(step.numbers.begin(), step.numbers.end(), [](float number) { return std::isfinite(number); }))
    return "the constant holds what is no number, allowed are finite ones";
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

}  // namespace

std::optional<HostOperator> host_operator_of(std::string_view name) {
  const auto found = std::find(kHostOperatorNames.begin(), kHostOperatorNames.end(), name);
  if (found == kHostOperatorNames.end()) return std::nullopt;
  return static_cast<HostOperator>(found - kHostOperatorNames.begin());
}

std::string problem_of(const HostStep& step, const base::Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (has_constant(step.kind)) return problem_of_constant(step, shape);
  if (step.kind == HostOperator::Clip && (step.numbers.size() != 2 || !(step.numbers[0] <= step.numbers[1])))
    return "the limits are not a least and a greatest number";
  if (step.kind == HostOperator::Softmax &&
      (step.dimensions.size() != 1 || step.dimensions[0] < 0 || step.dimensions[0] >= rank))
    return fmt::format("{} is no axis of {}", base::to_string(step.dimensions), base::to_string(shape));
  if (step.kind == HostOperator::Transpose) return problem_of_order(step, shape);
  if (step.kind == HostOperator::Reshape && checked_size(step.dimensions) != checked_size(shape))
    return fmt::format("shape {} does not fit {}", base::to_string(step.dimensions), base::to_string(shape));
  return "";
}

base::Shape result_shape(const HostStep& step, const base::Shape& shape) {
  if (step.kind == HostOperator::Reshape) return step.dimensions;
  if (step.kind != HostOperator::Transpose) return shape;
  base::Shape result;
  for (const int64_t dimension : step.dimensions) result.push_back(shape[static_cast<size_t>(dimension)]);
  return result;
}

std::string to_text(const HostStep& step) {
  std::string text(to_string(step.kind));
  if (has_constant(step.kind)) {
    text = step.kind == HostOperator::SubFrom
               ? "Sub from"
               : fmt::format("{} {}", text, step.kind == HostOperator::Mul || step.kind == HostOperator::Div ? "by" : "of");
    text += step.numbers.size() == 1 ? fmt::format(" {}", step.numbers.front())
                                     : fmt::format(" a constant {}", base::to_string(step.shape));
  }
  if (step.kind == HostOperator::Clip) text += fmt::format(" to {} .. {}", step.numbers[0], step.numbers[1]);
  if (step.kind == HostOperator::Softmax) text += fmt::format(" along axis {}", step.dimensions.front());
  if (step.kind == HostOperator::Transpose) text += fmt::format(" by {}", base::to_string(step.dimensions));
  if (step.kind == HostOperator::Reshape) text += fmt::format(" to {}", base::to_string(step.dimensions));
  return text;
}

}  // namespace vernier::package
