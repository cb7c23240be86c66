// SPDX-License-Identifier: Apache-2.0
// How the floats at the ends of a source network and the integers of its graph stand for each other. The host does this
// arithmetic; it is in no command and costs no cycle.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/base/rounding.hpp"
#include "hw/base/tensor.hpp"
#include "hw/package/host_program.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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

/// TensorFlow's QuantizeV2 (hw/model/quantize_v2.hpp), as the command line gives it to an input of integers.
struct RangeRule {
  enum class Mode : uint8_t { MinCombined = 0, MinFirst = 1, Scaled = 2 };  // the numbers stand in packages
  struct Range {
    float min = 0, max = 0;
    bool operator==(const Range&) const = default;
  };
  Mode mode = Mode::MinCombined;
  bool is_half_to_even = false, is_narrow = false;
  float ensure_minimum_range = 0.01F;
  std::optional<int64_t> axis = std::nullopt;
  std::vector<Range> ranges = {};  // one, or one for each index of the axis
  bool operator==(const RangeRule&) const = default;
};
inline constexpr std::array<std::string_view, 3> kRangeModeNames{"MIN_COMBINED", "MIN_FIRST", "SCALED"};

/// One graph input or output that its source describes by codes of its own. By hw/model/quantize_linear.hpp, in float32:
/// code = saturate(round_half_even(real / scale) + zero_point), real = (code - zero_point) * scale. With an IntRule or a
/// RangeRule the code is that rule's. Steps stand between the source's floats and the reals of the codes: those of an input
/// go from its floats to the reals, those of an output from the reals to its floats. An output's steps may read the reals of
/// other outputs too, and an input may take the floats of another one: where the source quantizes what it makes of one input
/// in several ways, each way is an input of the graph.
struct BoundaryEnd {
  std::string tensor;      // the graph's, of the source's name and shape
  bool is_float = true;    // the source has real numbers here; else the codes themselves
  bool is_signed = true;   // of codes; unsigned ones lie in the graph's tensor less half of their range: 0 as -128 in int8
  float scale = 1;         // above 0, finite
  int64_t zero_point = 0;  // of the source's codes, one of them
  std::optional<IntRule> rule = std::nullopt;
  std::vector<ChannelScale> channels = {};  // one for each index of `axis`, instead of the two above; empty: these
  int64_t axis = 0;
  std::optional<RangeRule> range = std::nullopt;  // of an input; scale and zero point then say nothing
  std::vector<HostStep> steps = {};     // the last one gives the result; their values are the own one, those of `reads`, ..
  std::vector<std::string> reads = {};  // other ends: of an output any outputs; of an input the one whose floats it takes
  base::Shape source_shape = {};        // of the source's floats; says nothing without steps
  bool keeps_bits = false;              // unsigned codes lie in the graph's tensor as their bits: 200 as -56 in int8
  bool rounds_away = false;             // of an input: halves go away from 0, as TensorFlow Lite rounds; not to even
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
/// A code of the source as an element of the graph's tensor, and back.
int64_t stored_code(int64_t code, const BoundaryEnd& end, base::ElementType type);
int64_t source_code(int64_t element, const BoundaryEnd& end, base::ElementType type);
/// The shape of the source's floats at a tensor of that shape.
inline const base::Shape& source_shape(const BoundaryEnd& end, const base::Shape& shape) {
  return end.steps.empty() ? shape : end.source_shape;
}
/// The least code of the source; the greatest is that plus 2^bits - 1.
inline int64_t least_code(const BoundaryEnd& end, base::ElementType type) {
  return base::min_value(type) + code_offset(end, type);
}
inline int64_t greatest_code(const BoundaryEnd& end, base::ElementType type) {
  return base::max_value(type) + code_offset(end, type);
}
enum class Side : uint8_t { Input, Output };
/// What is wrong with an end of a tensor of that type and shape; "" when nothing is. `shape_of` knows the shape of each
/// tensor at that side by its name, of others none.
using ShapeOf = std::function<std::optional<base::Shape>(const std::string& tensor)>;
std::string problem_of(const BoundaryEnd& end, base::ElementType type, const base::Shape& shape, Side side,
                       const ShapeOf& shape_of = {});
/// What is wrong with how ends read each other, each of which is good by itself; "" when nothing is.
std::string problem_of_reads(const std::vector<BoundaryEnd>& ends, Side side);
/// The end of that tensor, or null.
const BoundaryEnd* find_end(const std::vector<BoundaryEnd>& ends, const std::string& tensor);

}  // namespace vernier::package
