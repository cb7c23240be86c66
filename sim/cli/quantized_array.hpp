// SPDX-License-Identifier: Apache-2.0
// QuantizeV2 and Dequantize of TensorFlow on arrays as .npy files hold them: hw/model for each element, one range for the
// array or one for each index of an axis. Refused is what TensorFlow's kernels and its graph builder refuse.
#pragma once

#include "hw/base/npy.hpp"
#include "hw/model/dequantize_v2.hpp"
#include "hw/model/quantize_v2.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vernier::cli {

/// An end of the range as it is given: a number, or an array from a file.
struct RangeEnd {
  std::string option;  // for messages: "--min"
  std::string text;    // as given
  base::Shape shape;   // of the array; empty for a number
  std::vector<float> values;
};

struct QuantizedArray {
  base::NpyArray codes;         // numpy's type of T
  std::vector<float> min, max;  // as adjusted, one for each slice
  std::vector<std::string> warnings;
};

struct DequantizedArray {
  base::NpyArray values;  // float32
  std::vector<std::string> warnings;
};

/// numpy's name of T: "uint16" for quint16.
std::string numpy_name(model::QuantizedType type);

/// UserError unless the axis, if any, is one of the shape and the range has a value for each index of it, or just one
/// without an axis. MIN_FIRST has no axis, except one of size 1.
void check_range_shape(model::QuantizeMode mode, std::optional<int64_t> axis, const base::Shape& shape, const RangeEnd& min,
                       const RangeEnd& max);

/// `input` holds float32. UserError where check_range_shape() says so, or a min is above its max.
QuantizedArray quantize_array(const model::QuantizeAttributes& attributes, std::optional<int64_t> axis,
                              const base::NpyArray& input, const RangeEnd& min, const RangeEnd& max);

/// `input` holds numpy_name(attributes.type); of the attributes, the type, the mode and narrow_range count.
DequantizedArray dequantize_array(const model::QuantizeAttributes& attributes, std::optional<int64_t> axis,
                                  const base::NpyArray& input, const RangeEnd& min, const RangeEnd& max);

}  // namespace vernier::cli
