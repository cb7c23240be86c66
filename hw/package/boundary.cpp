// SPDX-License-Identifier: Apache-2.0
#include "hw/package/boundary.hpp"

#include <fmt/format.h>

#include <cmath>

namespace vernier::package {

namespace {

constexpr size_t kMostReads = 4096;

std::string problem_of(const ChannelScale& one, int64_t least, int64_t greatest) {
  if (!std::isfinite(one.scale) || !(one.scale > 0))
    return fmt::format("the scale is {}, allowed are finite numbers above 0", one.scale);
  if (one.zero_point < least || one.zero_point > greatest)
    return fmt::format("the zero point is {}, allowed are {} to {}", one.zero_point, least, greatest);
  return "";
}

/// The steps lead from one shape to the other.
std::string problem_of_steps(const BoundaryEnd& end, const base::Shape& shape, Side side, const ShapeOf& shape_of) {
  std::vector<base::Shape> given{side == Side::Input ? end.source_shape : shape};
  if (!end.is_float) return "float operators stand at an end of integers";
  if (checked_size(given[0]) == 0)
    return fmt::format("the source has shape {} there, which is none", base::to_string(given[0]));
  for (const std::string& name : end.reads) {
    if (side == Side::Input) break;  // that is where the floats come from
    const std::optional<base::Shape> read = shape_of ? shape_of(name) : std::nullopt;
    if (!read) return fmt::format("the float operators read '{}', which is no output", name);
    given.push_back(*read);
  }
  const HostShapes values = shapes_of(end.steps, given);
  if (!values.problem.empty()) return values.problem;
  const base::Shape &at = values.shapes.back(), &wanted = side == Side::Input ? shape : end.source_shape;
  if (at == wanted) return "";
  return fmt::format("the float operators give shape {}, expected {}", base::to_string(at), base::to_string(wanted));
}

std::string problem_of(const RangeRule& rule, const base::Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.size()), count = static_cast<int64_t>(rule.ranges.size());
  if (rule.axis ? *rule.axis < 0 || *rule.axis >= rank || shape[static_cast<size_t>(*rule.axis)] != count : count != 1)
    return fmt::format("{} ranges stand for {} of {}", count, rule.axis ? fmt::format("axis {}", *rule.axis) : "all",
                       base::to_string(shape));
  for (const RangeRule::Range& range : rule.ranges) {
    if (!(range.min <= range.max) || !std::isfinite(range.min) || !std::isfinite(range.max))
      return fmt::format("the range is {} to {}, allowed are finite ends, the least first", range.min, range.max);
  }
  return std::isfinite(rule.ensure_minimum_range) ? "" : "the least range is no finite number";
}

}  // namespace

int64_t stored_code(int64_t code, const BoundaryEnd& end, base::ElementType type) {
  if (!end.keeps_bits) return code - code_offset(end, type);
  return code > base::max_value(type) ? code + 2 * base::min_value(type) : code;
}

int64_t source_code(int64_t element, const BoundaryEnd& end, base::ElementType type) {
  if (!end.keeps_bits) return element + code_offset(end, type);
  return element < 0 ? element - 2 * base::min_value(type) : element;
}

std::string problem_of(const BoundaryEnd& end, base::ElementType type, const base::Shape& shape, Side side,
                       const ShapeOf& shape_of) {
  const bool is_wide = type == base::ElementType::Int32 && end.is_signed;
  if (end.keeps_bits && end.is_signed) return "signed codes lie as their bits anyway";
  if (end.rounds_away && (side == Side::Output || end.rule || end.range || !end.is_float))
    return "halves go away from 0 where another rule, or none, makes the codes";
  if (!end.steps.empty()) {
    if (std::string problem = problem_of_steps(end, shape, side, shape_of); !problem.empty()) return problem;
  }
  if (end.range) {
    if (side == Side::Output || end.rule || !end.channels.empty() || !end.steps.empty() || !end.is_float)
      return "a range stands beside other rules";
    if (std::string problem = problem_of(*end.range, shape); !problem.empty()) return problem;
  }
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

std::string problem_of_reads(const std::vector<BoundaryEnd>& ends, Side side) {
  const bool is_input = side == Side::Input;
  for (const BoundaryEnd& end : ends) {
    if (end.reads.size() > (is_input ? 1 : kMostReads) || (!is_input && !end.reads.empty() && end.steps.empty()))
      return fmt::format("'{}' reads {} other ends, which is none of its ways", end.tensor, end.reads.size());
    for (const std::string& name : end.reads) {
      const BoundaryEnd* read = find_end(ends, name);
      if (read == nullptr || read == &end) return fmt::format("'{}' reads '{}', which is no other end", end.tensor, name);
      if (is_input && (!read->reads.empty() || !read->is_float || !end.is_float))
        return fmt::format("'{}' takes its floats of '{}', which has none of its own", end.tensor, name);
    }
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
