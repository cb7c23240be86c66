// SPDX-License-Identifier: Apache-2.0
// Version 2.0.0, in the terms of ONNX's QuantizeLinear:
//   {"version": "2.0.0", "encodings": [ENCODING, ...]}
//   ENCODING is {"name": NAME, "output_dtype": "uint8", "y_scale": 0.1, "y_zero_point": 126}, or, per channel, {"name":
//   NAME, "output_dtype": "int8", "y_scale": [...], "axis": 0}; zero points that are absent are 0.
#include "compiler/import/aimet/check_grid.hpp"
#include "compiler/import/aimet/fields.hpp"
#include "compiler/import/aimet/readers.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace vernier::import::aimet {
namespace {

constexpr std::array<std::string_view, 5> kTermKeys{"name", "output_dtype", "y_scale", "y_zero_point", "axis"};
/// Keys of kinds that are not read.
constexpr std::array<std::string_view, 3> kTermBlockKeys{"block_size", "per_block_int_scale", "per_channel_float_scale"};
/// The ranks that the machine takes.
constexpr int64_t kMostRank = 6;

struct CodeType {
  std::string_view name;
  int bits;
  bool is_signed;
};
constexpr std::array<CodeType, 10> kCodeTypes{{{"int2", 2, true},
                                               {"int4", 4, true},
                                               {"int8", 8, true},
                                               {"int16", 16, true},
                                               {"int32", 32, true},
                                               {"uint2", 2, false},
                                               {"uint4", 4, false},
                                               {"uint8", 8, false},
                                               {"uint16", 16, false},
                                               {"uint32", 32, false}}};

const CodeType* code_type_of(const Place& place, const JsonValue& entry) {
  const JsonValue* value = required(place, entry, "output_dtype");
  if (value == nullptr) return nullptr;
  const std::string_view name = value->text() == nullptr ? "" : std::string_view(*value->text());
  const auto found =
      std::find_if(kCodeTypes.begin(), kCodeTypes.end(), [name](const CodeType& type) { return type.name == name; });
  if (found != kCodeTypes.end()) return &*found;
  if (name.starts_with("float") || name.starts_with("bfloat")) {
    place.add(Severity::Unsupported, value->line, fmt::format("output_dtype is {}, read are integers", shown(*value)));
    return nullptr;
  }
  place.error(value->line,
              fmt::format("output_dtype is {}, allowed are int and uint of 2, 4, 8, 16 and 32 bits", shown(*value)));
  return nullptr;
}

/// A number, or a list of numbers, as a list; nothing after a finding.
std::optional<std::span<const JsonValue>> values_of(const Place& place, std::string_view field, const JsonValue& value) {
  if (value.object() != nullptr) {
    place.add(
        Severity::Unsupported, value.line,
        fmt::format("{} is an object (a scale that is quantized itself, 2.1.0), read are numbers and lists of them", field));
    return std::nullopt;
  }
  const auto* list = value.list();
  if (list == nullptr) return std::span(&value, 1);
  if (list->empty()) {
    place.error(value.line, fmt::format("{} is an empty list: there is no encoding in it", field));
    return std::nullopt;
  }
  if (std::any_of(list->begin(), list->end(), [](const JsonValue& item) { return item.list() != nullptr; })) {
    place.add(Severity::Unsupported, value.line,
              fmt::format("{} is a list of lists: encodings of blocks are not read", field));
    return std::nullopt;
  }
  return std::span(*list);
}

/// The axis where there is one; false after an error finding.
bool read_axis(const Place& place, const JsonValue& entry, bool is_list, Encoding& encoding) {
  const JsonValue* value = find(entry, "axis");
  const bool is_absent = value == nullptr || std::holds_alternative<std::nullptr_t>(value->value);
  if (is_absent) {
    if (is_list) place.error(entry.line, "y_scale is a list, and axis is missing");
    return !is_list;
  }
  const std::optional<int64_t> axis = whole_number_of(place, "axis", *value);
  if (!axis) return false;
  if (*axis < -kMostRank || *axis >= kMostRank) {
    place.error(value->line, fmt::format("axis is {}, allowed are {} to {}, of tensors of rank {} at most", *axis,
                                         -kMostRank, kMostRank - 1, kMostRank));
    return false;
  }
  if (!is_list) place.warn(value->line, "has axis, yet y_scale is one number: it is for the whole tensor");
  if (encoding.is_per_channel()) encoding.axis = axis;
  return true;
}

/// Offsets of the unsigned grid. Nothing after an error finding.
std::optional<int64_t> offset_of(const Place& place, const JsonValue* zero_point, const CodeType& type) {
  const int64_t half = type.is_signed ? num_codes(type.bits) / 2 : 0;
  if (zero_point == nullptr) return -half;
  if (const double* number = zero_point->number(); type.bits == 2 && number != nullptr && *number == -0.5) {
    place.add(Severity::Unsupported, zero_point->line, "y_zero_point is -0.5 of a 2-bit type, read are whole numbers");
    return std::nullopt;
  }
  const std::optional<int64_t> found = whole_number_of(place, "y_zero_point", *zero_point);
  if (!found) return std::nullopt;
  const int64_t least = -half, most = num_codes(type.bits) - 1 - half;
  if (*found >= least && *found <= most) return -*found - half;
  place.error(zero_point->line, fmt::format("y_zero_point is {}, {} allows {} to {}", *found, type.name, least, most));
  return std::nullopt;
}

/// Fills the channels; false after a finding.
bool read_channels(const Place& place, const JsonValue& entry, const CodeType* type, Encoding& encoding) {
  const JsonValue* scale = required(place, entry, "y_scale");
  if (scale == nullptr) return false;
  const auto scales = values_of(place, "y_scale", *scale);
  const JsonValue* zero_point = find(entry, "y_zero_point");
  std::span<const JsonValue> zero_points;
  if (zero_point != nullptr) {
    const auto values = values_of(place, "y_zero_point", *zero_point);
    if (!values) return false;
    zero_points = *values;
  }
  if (!scales) return false;
  if (zero_point != nullptr && scales->size() != zero_points.size()) {
    place.error(entry.line, fmt::format("has {} and {}, allowed is one zero point for each scale",
                                        base::counted(static_cast<int64_t>(scales->size()), "scale"),
                                        base::counted(static_cast<int64_t>(zero_points.size()), "zero point")));
    return false;
  }
  bool is_good = true;
  for (size_t i = 0; i < scales->size(); ++i) {
    const Place at = scales->size() == 1 ? place : Place{place.findings, fmt::format("{}, channel {}", place.who, i)};
    StatedGrid stated;
    stated.line = (*scales)[i].line;
    stated.scale = scale_of(at, "y_scale", (*scales)[i]);
    if (type != nullptr) stated.offset = offset_of(at, zero_points.empty() ? nullptr : &zero_points[i], *type);
    is_good = is_good && stated.scale && stated.offset;
    if (!is_good) continue;
    if (const auto grid = grid_of(at, type->bits, false, stated)) encoding.channels.push_back(*grid);
  }
  return is_good && encoding.channels.size() == scales->size();
}

void read_entry(const JsonValue& entry, std::string name, ReadEncodings& result) {
  const Place place = place_of_tensor(name, result.findings);
  for (const std::string_view key : kTermBlockKeys) {
    const JsonValue* value = find(entry, key);
    if (value == nullptr || std::holds_alternative<std::nullptr_t>(value->value)) continue;
    place.add(Severity::Unsupported, value->line, fmt::format("has {}: encodings of blocks are not read", key));
    return;
  }
  warn_about_unknown_keys(place, entry, kTermKeys);
  const CodeType* type = code_type_of(place, entry);
  Encoding encoding;
  encoding.name = std::move(name);
  encoding.line = entry.line;
  bool is_good = read_channels(place, entry, type, encoding);
  const JsonValue* scale = find(entry, "y_scale");
  is_good = read_axis(place, entry, scale != nullptr && scale->list() != nullptr, encoding) && is_good;
  if (!is_good || type == nullptr) return;
  encoding.bits = type->bits;
  encoding.is_signed = type->is_signed;
  // The version has no flag. intN around 0 is what every tool calls symmetric.
  encoding.is_symmetric =
      type->is_signed && std::all_of(encoding.channels.begin(), encoding.channels.end(),
                                     [&](const Grid& grid) { return grid.offset == -num_codes(type->bits) / 2; });
  result.encodings.tensors.push_back(std::move(encoding));
}

}  // namespace

void read_onnx_terms(const JsonValue& root, ReadEncodings& result) {
  constexpr std::string_view kSection = "encodings";
  const JsonValue* section = section_of(root, kSection, true, result);
  if (section == nullptr) return;
  const JsonValue::List& entries = *section->list();
  Names names;
  for (size_t i = 0; i < entries.size(); ++i) {
    auto name = name_of_entry(entries[i], kSection, i, result.findings);
    if (name && names.take(*name, entries[i].line, Role::Unsaid, true, result.findings))
      read_entry(entries[i], *std::move(name), result);
  }
}

}  // namespace vernier::import::aimet
