// SPDX-License-Identifier: Apache-2.0
#include "hw/package/host_step.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::optional<base::Shape> shape_together(const base::Shape& a, const base::Shape& b) {
  base::Shape shape(std::max(a.size(), b.size()), 1);
  for (const base::Shape* one : {&a, &b}) {
    const size_t offset = shape.size() - one->size();
    for (size_t i = 0; i < one->size(); ++i) {
      int64_t& size = shape[offset + i];
      if (size != 1 && (*one)[i] != 1 && (*one)[i] != size) return std::nullopt;
      size = size == 1 ? (*one)[i] : size;
    }
  }
  return shape;
}

std::optional<HostOperator> host_operator_of(std::string_view name) {
  const auto found = std::find(kHostOperatorNames.begin(), kHostOperatorNames.end(), name);
  if (found == kHostOperatorNames.end()) return std::nullopt;
  return static_cast<HostOperator>(found - kHostOperatorNames.begin());
}

namespace {

std::string text_of_constant(const HostStep& step) {
  const std::string constant = step.numbers.size() == 1 ? fmt::format("{}", step.numbers.front())
                                                        : fmt::format("a constant {}", base::to_string(step.shape));
  if (step.kind == HostOperator::Constant) return "Constant " + base::to_string(step.shape);
  if (step.kind == HostOperator::SubFrom) return "Sub from " + constant;
  if (step.kind == HostOperator::DivFrom) return "Div of " + constant + " by the value";
  if (step.kind == HostOperator::Pow) return fmt::format("Pow to {}", constant);
  const bool is_by = step.kind == HostOperator::Mul || step.kind == HostOperator::Div;
  return fmt::format("{} {} {}", to_string(step.kind), is_by ? "by" : "of", constant);
}

}  // namespace

std::string to_text(const HostStep& step) {
  if (has_constant(step)) return text_of_constant(step);
  const std::vector<int64_t>& d = step.dimensions;
  const std::string_view name = to_string(step.kind);
  switch (step.kind) {
    case HostOperator::Clip: return fmt::format("Clip to {} .. {}", step.numbers[0], step.numbers[1]);
    case HostOperator::Softmax:
    case HostOperator::Concat:
    case HostOperator::ArgMax:
    case HostOperator::ArgMin: return fmt::format("{} along axis {}", name, d.front());
    case HostOperator::Transpose: return fmt::format("Transpose by {}", base::to_string(d));
    case HostOperator::Reshape: return fmt::format("Reshape to {}", base::to_string(d));
    case HostOperator::Slice:
      return fmt::format("Slice of {} along axis {}, from {} on{}", d[3], d[0], d[1],
                         d[2] == 1 ? "" : fmt::format(" by steps of {}", d[2]));
    case HostOperator::Pick:
      return fmt::format("Pick of {} along axis {}{}", d.size() - 1, d[0],
                         step.numbers.empty() ? "" : fmt::format(" (outside {})", step.numbers.front()));
    case HostOperator::Blend:
      return fmt::format("Blend to {} along axis {}", (d.size() - 2) / static_cast<size_t>(d[1]), d[0]);
    case HostOperator::ReduceSum:
    case HostOperator::ReduceMean:
    case HostOperator::ReduceMax:
    case HostOperator::ReduceMin:
    case HostOperator::ReduceProd: return fmt::format("{} over axes {}", name, base::to_string(d));
    default: break;
  }
  std::string text(name);
  if (!step.numbers.empty()) text += fmt::format(" ({})", fmt::join(step.numbers, ", "));
  return text;
}

}  // namespace vernier::package
