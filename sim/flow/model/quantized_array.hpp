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

namespace vernier::flow {

/// An end of the range as it is given: a number, or an array from a file.
struct RangeEnd {
  std::string option;  // for messages: "--min"
  std::string text;    // as given
  base::Shape shape;   // of the array; empty for a number
  std::vector<float> values;
  std::string axis_option = "--axis";  // for messages
};
/// The whole text as a float32, by way of binary64 as Python has it; nothing where it is no number.
std::optional<float> number_of(const std::string& text);
/// A number, or the array of a .npy file; UserError where the text is neither.
RangeEnd range_end(const std::string& option, const std::string& text);

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

/// Why the range tells no numbers apart, after "the range A to B"; empty where it does.
std::string why_useless(const model::Quantizer& quantizer, float min, float max);

/// The elements of one index of the axis: `inner` neighbours, `outer` times; all of them without an axis.
struct Slices {
  int64_t outer = 1, count = 1, inner = 1;
};
Slices slices_of(const base::Shape& shape, std::optional<int64_t> axis);
/// Calls visit(index) for each element of the slice.
template <typename Visit>
void for_each_element(const Slices& slices, int64_t slice, Visit&& visit) {
  for (int64_t outer = 0; outer < slices.outer; ++outer) {
    const int64_t begin = (outer * slices.count + slice) * slices.inner;
    for (int64_t i = begin; i < begin + slices.inner; ++i) visit(static_cast<size_t>(i));
  }
}

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

}  // namespace vernier::flow
