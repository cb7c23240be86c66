// SPDX-License-Identifier: Apache-2.0
#include "hw/package/boundary.hpp"

#include <fmt/format.h>

#include <cmath>

namespace vernier::package {

std::string problem_of(const BoundaryEnd& end, base::ElementType type) {
  if (type != base::ElementType::Int8 && type != base::ElementType::Int16)
    return fmt::format("codes are {}, allowed are int8 and int16", base::to_string(type));
  if (!std::isfinite(end.scale) || !(end.scale > 0))
    return fmt::format("the scale is {}, allowed are finite numbers above 0", end.scale);
  const int64_t least = least_code(end, type), greatest = greatest_code(end, type);
  if (end.zero_point < least || end.zero_point > greatest)
    return fmt::format("the zero point is {}, allowed are {} to {}", end.zero_point, least, greatest);
  return "";
}

const BoundaryEnd* find_end(const std::vector<BoundaryEnd>& ends, const std::string& tensor) {
  for (const BoundaryEnd& end : ends) {
    if (end.tensor == tensor) return &end;
  }
  return nullptr;
}

}  // namespace vernier::package
