// SPDX-License-Identifier: Apache-2.0
// How the floats at the ends of a source network and the integers of its graph stand for each other. The host does this
// arithmetic; it is in no command and costs no cycle.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/base/rounding.hpp"
#include "hw/base/tensor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::package {

/// QONNX's way to make a code of a number (hw/model/quantize_int.hpp): the zero point is added before rounding, and the code
/// is from `least` to `greatest`, of the source's codes.
struct IntRule {
  base::Rounding rounding = base::Rounding::HalfEven;
  int64_t least = 0, greatest = 0;
  bool operator==(const IntRule&) const = default;
};

/// Scale and zero point of one index of an axis.
struct ChannelScale {
  float scale = 1;
  int64_t zero_point = 0;
  bool operator==(const ChannelScale&) const = default;
};

/// One graph input or output that its source describes by codes of its own. By hw/model/quantize_linear.hpp, in float32:
/// code = saturate(round_half_even(real / scale) + zero_point), real = (code - zero_point) * scale. With an IntRule the code
/// is that rule's.
struct BoundaryEnd {
  std::string tensor;      // the graph's, of the source's name and shape
  bool is_float = true;    // the source has real numbers here; else the codes themselves
  bool is_signed = true;   // of codes; unsigned ones lie in the graph's tensor less half of their range: 0 as -128 in int8
  float scale = 1;         // above 0, finite
  int64_t zero_point = 0;  // of the source's codes, one of them
  std::optional<IntRule> rule = std::nullopt;
  std::vector<ChannelScale> channels = {};  // one for each index of `axis`, instead of the two above; empty: these
  int64_t axis = 0;
  bool operator==(const BoundaryEnd&) const = default;
};

/// The ends that are no plain integers, in graph order. Empty for a network of integers.
struct Boundary {
  std::vector<BoundaryEnd> inputs, outputs;
  bool operator==(const Boundary&) const = default;
};

/// What is added to an element of the graph's tensor to make it a code of the source.
inline int64_t code_offset(const BoundaryEnd& end, base::ElementType type) {
  return end.is_signed ? 0 : -base::min_value(type);
}
/// The least code of the source; the greatest is that plus 2^bits - 1.
inline int64_t least_code(const BoundaryEnd& end, base::ElementType type) {
  return base::min_value(type) + code_offset(end, type);
}
inline int64_t greatest_code(const BoundaryEnd& end, base::ElementType type) {
  return base::max_value(type) + code_offset(end, type);
}
/// What is wrong with an end of a tensor of that type and shape; "" when nothing is. An int32 end has an IntRule.
std::string problem_of(const BoundaryEnd& end, base::ElementType type, const base::Shape& shape);
/// The end of that tensor, or null.
const BoundaryEnd* find_end(const std::vector<BoundaryEnd>& ends, const std::string& tensor);

}  // namespace vernier::package
