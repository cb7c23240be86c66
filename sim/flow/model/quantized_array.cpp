// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/quantized_array.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace vernier::flow {
namespace {

using base::UserError;
using model::QuantizeMode;

void check_end(const RangeEnd& end, std::optional<int64_t> axis, const base::Shape& shape) {
  if (!axis) {
    if (end.shape.empty()) return;
    throw UserError(end.option, "{} holds shape {}, expected a number: there is no {}", end.text, base::to_string(end.shape),
                    end.axis_option);
  }
  const int64_t num_wanted = shape[static_cast<size_t>(*axis)];
  if (end.shape == base::Shape{num_wanted}) return;
  const std::string found = end.shape.empty() ? "is one number" : "holds shape " + base::to_string(end.shape);
  throw UserError(end.option, "{} {}, expected a .npy file of shape [{}]: a value for each index of axis {} of {}", end.text,
                  found, num_wanted, *axis, base::to_string(shape));
}

/// " of slice 3" where there are several.
std::string slice_text(const Slices& slices, int64_t slice) {
  return slices.count > 1 ? fmt::format(" of slice {}", slice) : "";
}

/// What is wrong with ranges that are legal: one line for the first slice of each reason, and how many there are.
class RangeWarnings {
 public:
  void add(const std::string& reason, int64_t slice) {
    for (Entry& entry : entries_) {
      if (entry.reason == reason) {
        ++entry.count;
        return;
      }
    }
    entries_.push_back({reason, slice, 1});
  }
  [[nodiscard]] std::vector<std::string> lines(const Slices& slices, const RangeEnd& min, const RangeEnd& max) const {
    std::vector<std::string> lines;
    for (const Entry& entry : entries_) {
      const auto at = static_cast<size_t>(entry.slice);
      const std::string more = entry.count > 1 ? fmt::format(" (and {} more)", base::counted(entry.count - 1, "slice")) : "";
      lines.push_back(fmt::format("the range {} to {}{}{} {}", min.values[at], max.values[at],
                                  slice_text(slices, entry.slice), more, entry.reason));
    }
    return lines;
  }

 private:
  struct Entry {
    std::string reason;
    int64_t slice = 0, count = 0;
  };
  std::vector<Entry> entries_;
};

std::string reason_of(const model::Dequantizer& dequantizer, float min, float max) {
  if (model::is_useful(dequantizer) && !(max < min)) return "";
  if (max < min) return "is upside down: Dequantize takes it as it is";
  if (std::isnan(min) || std::isnan(max)) return "is no range";
  return "does not tell codes apart";
}

template <typename T>
void store(base::NpyArray& array, size_t index, T value) {
  std::memcpy(array.data.data() + index * sizeof(T), &value, sizeof(T));
}

/// The low bytes of a code, which are those of numpy's type.
void store_code(base::NpyArray& codes, int32_t num_bytes, size_t index, int32_t code) {
  if (num_bytes == 1) return store(codes, index, static_cast<uint8_t>(code));
  if (num_bytes == 2) return store(codes, index, static_cast<uint16_t>(code));
  store(codes, index, code);
}

int32_t code_at(const base::NpyArray& codes, model::QuantizedType type, size_t index) {
  if (type.bits == 32) return codes.as<int32_t>()[index];
  if (type.bits == 16) return type.is_signed ? codes.as<int16_t>()[index] : codes.as<uint16_t>()[index];
  return type.is_signed ? codes.as<int8_t>()[index] : codes.as<uint8_t>()[index];
}

std::string undefined_text(int64_t num_undefined, const base::NpyArray& input, const base::NpyArray& codes) {
  const auto num_elements = static_cast<int64_t>(input.data.size() / sizeof(float));
  return fmt::format(
      "of {}, {} do not fit {} after scaling, or are no numbers: undefined in TensorFlow, written as x86-64 converts them",
      base::counted(num_elements, "element"), base::with_thousands(num_undefined), codes.dtype);
}

}  // namespace

std::optional<float> number_of(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return std::nullopt;
  return static_cast<float>(value);
}

RangeEnd range_end(const std::string& option, const std::string& text) {
  if (const std::optional<float> number = number_of(text)) return {option, text, {}, {*number}};
  if (!text.ends_with(".npy")) throw UserError(option, "'{}' is neither a number nor a .npy file", text);
  const base::NpyArray array = base::read_npy_array(text, "float32");
  const auto values = array.as<float>();
  return {option, text, array.shape, {values.begin(), values.end()}};
}

Slices slices_of(const base::Shape& shape, std::optional<int64_t> axis) {
  if (!axis) return {1, 1, base::num_elements(shape)};
  const auto at = shape.begin() + *axis;
  return {base::num_elements({shape.begin(), at}), *at, base::num_elements({at + 1, shape.end()})};
}

std::string why_useless(const model::Quantizer& quantizer, float min, float max) {
  if (std::isnan(min) || std::isnan(max)) return "is no range: TensorFlow takes nan as 0";
  if (std::isinf(min) || std::isinf(max)) return "is infinite: the codes say nothing";
  if (model::is_useful(quantizer)) return "";
  if (quantizer.attributes.mode == QuantizeMode::Scaled && !quantizer.attributes.type.is_signed && max <= 0)
    return "has no positive part, and SCALED gives unsigned codes to nothing else: the codes say nothing";
  if (quantizer.scale == 0 && quantizer.max > quantizer.min) return "is wider than float32 can tell: the codes say nothing";
  return "is empty and is not widened: the codes say nothing";
}

std::string numpy_name(model::QuantizedType type) { return fmt::format("{}int{}", type.is_signed ? "" : "u", type.bits); }

void check_range_shape(QuantizeMode mode, std::optional<int64_t> axis, const base::Shape& shape, const RangeEnd& min,
                       const RangeEnd& max) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis && rank == 0)
    throw UserError(min.axis_option, "{} is none of the input, which has rank 0: allowed is no {}", *axis, min.axis_option);
  if (axis && (*axis < 0 || *axis >= rank))
    throw UserError(min.axis_option, "{} is none of the input {}, allowed are 0 to {}", *axis, base::to_string(shape),
                    rank - 1);
  check_end(min, axis, shape);
  check_end(max, axis, shape);
  if (mode == QuantizeMode::MinFirst && axis && shape[static_cast<size_t>(*axis)] != 1)
    throw UserError(min.axis_option,
                    "TensorFlow has no MIN_FIRST by axis, allowed are MIN_COMBINED and SCALED, or an axis of size 1");
}

QuantizedArray quantize_array(const model::QuantizeAttributes& attributes, std::optional<int64_t> axis,
                              const base::NpyArray& input, const RangeEnd& min, const RangeEnd& max) {
  check_range_shape(attributes.mode, axis, input.shape, min, max);
  const Slices slices = slices_of(input.shape, axis);
  for (int64_t slice = 0; slice < slices.count; ++slice) {
    const auto at = static_cast<size_t>(slice);
    if (!model::is_range_legal(min.values[at], max.values[at]))
      throw UserError("--min", "{}{} is above --max {}, allowed is at most --max", min.values[at], slice_text(slices, slice),
                      max.values[at]);
  }
  const int32_t num_bytes = attributes.type.bits / 8;
  const std::span<const float> values = input.as<float>();
  QuantizedArray result{{numpy_name(attributes.type), input.shape, {}}, {}, {}, {}};
  result.codes.data.resize(values.size() * static_cast<size_t>(num_bytes));
  RangeWarnings warnings;
  int64_t num_undefined = 0;
  for (int64_t slice = 0; slice < slices.count; ++slice) {
    const auto at = static_cast<size_t>(slice);
    const model::Quantizer quantizer = model::make_quantizer(attributes, min.values[at], max.values[at]);
    result.min.push_back(quantizer.min);
    result.max.push_back(quantizer.max);
    if (const std::string reason = why_useless(quantizer, min.values[at], max.values[at]); !reason.empty())
      warnings.add(reason, slice);
    for_each_element(slices, slice, [&](size_t i) {
      store_code(result.codes, num_bytes, i, model::quantize(quantizer, values[i]));
      if (!model::quantize_is_defined(quantizer, values[i])) ++num_undefined;
    });
  }
  result.warnings = warnings.lines(slices, min, max);
  if (num_undefined > 0) result.warnings.push_back(undefined_text(num_undefined, input, result.codes));
  return result;
}

DequantizedArray dequantize_array(const model::QuantizeAttributes& attributes, std::optional<int64_t> axis,
                                  const base::NpyArray& input, const RangeEnd& min, const RangeEnd& max) {
  check_range_shape(attributes.mode, axis, input.shape, min, max);
  const Slices slices = slices_of(input.shape, axis);
  DequantizedArray result{{"float32", input.shape, {}}, {}};
  result.values.data.resize(static_cast<size_t>(base::num_elements(input.shape)) * sizeof(float));
  RangeWarnings warnings;
  for (int64_t slice = 0; slice < slices.count; ++slice) {
    const auto at = static_cast<size_t>(slice);
    const model::Dequantizer dequantizer =
        model::make_dequantizer(attributes.type, attributes.mode, attributes.narrow_range, min.values[at], max.values[at]);
    if (const std::string reason = reason_of(dequantizer, min.values[at], max.values[at]); !reason.empty())
      warnings.add(reason, slice);
    for_each_element(slices, slice, [&](size_t i) {
      store(result.values, i, model::dequantize(dequantizer, code_at(input, attributes.type, i)));
    });
  }
  result.warnings = warnings.lines(slices, min, max);
  return result;
}

}  // namespace vernier::flow
