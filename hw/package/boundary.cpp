// SPDX-License-Identifier: Apache-2.0
#include "hw/package/boundary.hpp"

#include <fmt/format.h>

#include <cmath>

namespace vernier::package {

namespace {

std::string problem_of(const ChannelScale& one, int64_t least, int64_t greatest) {
  if (!std::isfinite(one.scale) || !(one.scale > 0))
    return fmt::format("the scale is {}, allowed are finite numbers above 0", one.scale);
  if (one.zero_point < least || one.zero_point > greatest)
    return fmt::format("the zero point is {}, allowed are {} to {}", one.zero_point, least, greatest);
  return "";
}

}  // namespace

std::string problem_of(const BoundaryEnd& end, base::ElementType type, const base::Shape& shape) {
  const bool is_wide = type == base::ElementType::Int32 && end.rule && end.is_signed;
  if (type != base::ElementType::Int8 && type != base::ElementType::Int16 && !is_wide)
    return fmt::format("codes are {}, allowed are int8 and int16", base::to_string(type));
  const int64_t least = least_code(end, type), greatest = greatest_code(end, type);
  if (end.rule && (end.rule->least < least || end.rule->least > end.rule->greatest || end.rule->greatest > greatest))
    return fmt::format("codes are from {} to {}, allowed are {} to {}", end.rule->least, end.rule->greatest, least,
                       greatest);
  if (end.channels.empty()) return problem_of(ChannelScale{end.scale, end.zero_point}, least, greatest);
  const auto rank = static_cast<int64_t>(shape.size()), count = static_cast<int64_t>(end.channels.size());
  if (end.axis < 0 || end.axis >= rank || shape[static_cast<size_t>(end.axis)] != count)
    return fmt::format("{} scales stand for axis {} of {}", count, end.axis, base::to_string(shape));
  for (const ChannelScale& one : end.channels) {
    if (std::string problem = problem_of(one, least, greatest); !problem.empty()) return problem;
  }
  return "";
}

const BoundaryEnd* find_end(const std::vector<BoundaryEnd>& ends, const std::string& tensor) {
  for (const BoundaryEnd& end : ends) {
    if (end.tensor == tensor) return &end;
  }
  return nullptr;
}

}  // namespace vernier::package
