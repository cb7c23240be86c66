// SPDX-License-Identifier: Apache-2.0
// Version 1.0.0:
//   {"version": "1.0.0", "activation_encodings": [ENCODING, ...], "param_encodings": [ENCODING, ...]}
//   ENCODING is {"name": NAME, "enc_type": "PER_TENSOR" or "PER_CHANNEL", "dtype": "INT", "bw": 8, "is_sym": false,
//   "offset": [-126.0], "scale": [...]}, or has "dtype": "FLOAT" and no is_sym, offset and scale.
#include "compiler/import/aimet/check_grid.hpp"
#include "compiler/import/aimet/fields.hpp"
#include "compiler/import/aimet/readers.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace vernier::import::aimet {
namespace {

constexpr std::array<std::string_view, 7> kListKeys{"name", "enc_type", "dtype", "bw", "is_sym", "offset", "scale"};
/// Keys of kinds that are not read.
constexpr std::array<std::string_view, 4> kListBlockKeys{"block_size", "compressed_bw", "per_block_int_scale",
                                                         "zero_point_shift"};

/// Whether the kind of the encoding is one that is read; else a finding.
bool is_read_kind(const Place& place, const JsonValue& entry, Role role) {
  const JsonValue* value = find(entry, "enc_type");
  if (value == nullptr) {
    place.error(entry.line, "enc_type is missing");
    return false;
  }
  const std::string* text = value->text();
  const std::string_view kind = text == nullptr ? "" : std::string_view(*text);
  if (kind == "PER_TENSOR") return true;
  if (kind == "PER_CHANNEL" && role == Role::Parameter) return true;
  if (kind == "PER_CHANNEL") {
    const JsonValue* scales = find(entry, "scale");
    const size_t count = scales != nullptr && scales->list() != nullptr ? scales->list()->size() : 0;
    place.error(value->line, fmt::format("is an activation with enc_type PER_CHANNEL ({}), allowed is PER_TENSOR",
                                         base::counted(static_cast<int64_t>(count), "encoding")));
  } else if (kind == "PER_BLOCK" || kind == "LPBQ" || kind == "VECTOR") {
    place.add(Severity::Unsupported, value->line, fmt::format("enc_type is {}, read are PER_TENSOR and PER_CHANNEL", kind));
  } else {
    place.error(value->line, fmt::format("enc_type is {}, allowed are PER_TENSOR and PER_CHANNEL, legal and not read are "
                                         "PER_BLOCK, LPBQ and VECTOR",
                                         shown(*value)));
  }
  return false;
}

/// The list of that key; an error finding where it is missing, no list, or empty.
const JsonValue::List* numbers_of(const Place& place, const JsonValue& entry, std::string_view key) {
  const JsonValue* value = required(place, entry, key);
  if (value == nullptr) return nullptr;
  const auto* list = value->list();
  if (list == nullptr) {
    place.error(value->line, fmt::format("{} is {}, allowed is a list of numbers", key, shown(*value)));
    return nullptr;
  }
  if (list->empty()) {
    place.error(value->line, fmt::format("{} is an empty list: there is no encoding in it", key));
    return nullptr;
  }
  return list;
}

/// Fills the channels; false after an error finding.
bool read_channels(const Place& place, const JsonValue& entry, bool is_good, Encoding& encoding) {
  const auto* scales = numbers_of(place, entry, "scale");
  const auto* offsets = numbers_of(place, entry, "offset");
  if (scales == nullptr || offsets == nullptr) return false;
  const auto counted = [](size_t count, std::string_view one) { return base::counted(static_cast<int64_t>(count), one); };
  if (scales->size() != offsets->size()) {
    place.error(entry.line, fmt::format("has {} and {}, allowed is one offset for each scale",
                                        counted(scales->size(), "scale"), counted(offsets->size(), "offset")));
    return false;
  }
  const JsonValue* kind = find(entry, "enc_type");
  if (kind->text() != nullptr && *kind->text() == "PER_TENSOR" && scales->size() > 1) {
    place.error(kind->line, fmt::format("enc_type is PER_TENSOR with {}, allowed is one", counted(scales->size(), "scale")));
    return false;
  }
  for (size_t i = 0; i < scales->size(); ++i) {
    const Place at = scales->size() == 1 ? place : Place{place.findings, fmt::format("{}, channel {}", place.who, i)};
    StatedGrid stated;
    stated.line = (*scales)[i].line;
    stated.scale = scale_of(at, "scale", (*scales)[i]);
    stated.offset = whole_number_of(at, "offset", (*offsets)[i]);
    if (!stated.scale || !stated.offset || !is_good) continue;
    if (const auto grid = grid_of(at, encoding.bits, encoding.is_symmetric, stated)) encoding.channels.push_back(*grid);
  }
  return encoding.channels.size() == scales->size();
}

void read_entry(const JsonValue& entry, std::string name, Role role, ReadEncodings& result) {
  const Place place = place_of_tensor(name, result.findings);
  if (!is_read_kind(place, entry, role)) return;
  for (const std::string_view key : kListBlockKeys) {
    if (const JsonValue* value = find(entry, key)) {
      place.add(Severity::Unsupported, value->line,
                fmt::format("has {}: read are one grid for a tensor, or one for each channel", key));
      return;
    }
  }
  warn_about_unknown_keys(place, entry, kListKeys);
  const JsonValue* dtype = required(place, entry, "dtype");
  const JsonValue* bits = required(place, entry, "bw");
  const std::optional<DataType> type = dtype == nullptr ? std::nullopt : dtype_of(place, *dtype, true);
  const bool is_float = type == DataType::Float;
  std::optional<int> num_bits;
  if (bits != nullptr) num_bits = is_float ? float_bits_of(place, "bw", *bits) : bits_of(place, "bw", *bits, kLeastBits);
  bool is_good = type && num_bits;
  Encoding encoding{std::move(name), role, type.value_or(DataType::Integer), num_bits.value_or(8), false, false, {}, {},
                    entry.line};
  if (is_float) {
    const bool has_grid = find(entry, "scale") != nullptr || find(entry, "offset") != nullptr;
    if (has_grid) place.error(entry.line, "dtype is FLOAT, yet it has scale or offset, which are for INT");
    is_good = is_good && !has_grid;
  } else {
    const JsonValue* symmetry = required(place, entry, "is_sym");
    const auto flag = symmetry == nullptr ? std::nullopt : flag_of(place, "is_sym", *symmetry, false);
    encoding.is_symmetric = flag.value_or(false);
    is_good = is_good && flag;
    is_good = read_channels(place, entry, is_good, encoding) && is_good;
  }
  if (is_good) result.encodings.tensors.push_back(std::move(encoding));
}

void read_section(const JsonValue& section, std::string_view key, Role role, Names& names, ReadEncodings& result) {
  const JsonValue::List& entries = *section.list();
  for (size_t i = 0; i < entries.size(); ++i) {
    auto name = name_of_entry(entries[i], key, i, result.findings);
    if (name && names.take(*name, entries[i].line, role, true, result.findings))
      read_entry(entries[i], *std::move(name), role, result);
  }
}

}  // namespace

void read_lists(const JsonValue& root, ReadEncodings& result) {
  constexpr std::string_view kActivations = "activation_encodings", kParameters = "param_encodings";
  Names names;
  if (const JsonValue* section = section_of(root, kActivations, true, result))
    read_section(*section, kActivations, Role::Activation, names, result);
  if (const JsonValue* section = section_of(root, kParameters, true, result))
    read_section(*section, kParameters, Role::Parameter, names, result);
}

}  // namespace vernier::import::aimet
