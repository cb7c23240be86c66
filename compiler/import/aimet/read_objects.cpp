// SPDX-License-Identifier: Apache-2.0
// Versions 0.4.0, 0.5.0 and 0.6.1:
//   {"version": ..., "activation_encodings": {NAME: [ENCODING]}, "param_encodings": {NAME: [ENCODING, ...]}}
//   ENCODING is {"bitwidth": 8, "is_symmetric": "False", "max": ..., "min": ..., "offset": -126.0, "scale": ...}, from 0.5.0
//   on with "dtype": "int", or {"bitwidth": 16, "dtype": "float"}. A list of several is one for each channel.
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

constexpr std::array<std::string_view, 7> kObjectKeys{"bitwidth", "is_symmetric", "max", "min", "offset", "scale", "dtype"};

/// The first encoding of a tensor, and what each further one must repeat.
struct Common {
  DataType dtype = DataType::Integer;
  int bits = 8;
  bool is_symmetric = false;
  bool has_grid = true;
};

class TensorReader {
 public:
  TensorReader(Place place, Version version) : place_(std::move(place)), version_(version) {}

  /// One encoding of the list; nothing after an error finding.
  std::optional<Common> read_common(const JsonValue& item) {
    if (item.object() == nullptr) {
      place_.error(item.line, fmt::format("an encoding is {}, allowed is an object", shown(item)));
      return std::nullopt;
    }
    const bool has_dtype = version_ != Version::V040;
    warn_about_unknown_keys(place_, item,
                            std::span(kObjectKeys).first(has_dtype ? kObjectKeys.size() : kObjectKeys.size() - 1));
    Common common;
    bool is_good = read_dtype(item, common);
    const JsonValue* bits = required(place_, item, "bitwidth");
    std::optional<int> number;
    if (bits != nullptr && common.dtype == DataType::Float) number = float_bits_of(place_, "bitwidth", *bits);
    if (bits != nullptr && common.dtype == DataType::Integer) number = bits_of(place_, "bitwidth", *bits, kLeastLegacyBits);
    common.bits = number.value_or(0);
    common.has_grid = false;
    for (const char* key : {"max", "min", "offset", "scale"})
      common.has_grid = common.has_grid || find(item, key) != nullptr;
    is_good = read_symmetry(item, common) && is_good && number;
    if (common.dtype == DataType::Float && common.has_grid) {
      place_.error(item.line, "dtype is float, yet it has one of min, max, scale and offset, which are for int");
      is_good = false;
    }
    return is_good ? std::optional(common) : std::nullopt;
  }

  /// What the numbers say, whatever the rest is; nothing where one of them is no number or out of range by itself.
  std::optional<StatedGrid> read_numbers(const JsonValue& item) const {
    StatedGrid stated;
    stated.line = item.line;
    bool is_good = true;
    const auto take = [&](std::string_view key, auto& into, auto read) {
      const JsonValue* value = find(item, key);
      if (value == nullptr) return;
      into = read(place_, key, *value);
      is_good = is_good && into;
    };
    take("scale", stated.scale, scale_of);
    take("offset", stated.offset, whole_number_of);
    take("min", stated.min, number_of);
    take("max", stated.max, number_of);
    if (const JsonValue* scale = find(item, "scale")) stated.line = scale->line;
    return is_good ? std::optional(stated) : std::nullopt;
  }

 private:
  bool read_dtype(const JsonValue& item, Common& common) const {
    const JsonValue* value = find(item, "dtype");
    if (value == nullptr) {
      if (version_ != Version::V040) place_.warn(item.line, "dtype is missing, read as int");
      return true;
    }
    const std::optional<DataType> dtype = dtype_of(place_, *value, false);
    common.dtype = dtype.value_or(DataType::Integer);
    return dtype.has_value();
  }

  bool read_symmetry(const JsonValue& item, Common& common) const {
    const JsonValue* value = find(item, "is_symmetric");
    if (value == nullptr) {
      if (common.has_grid && common.dtype == DataType::Integer)
        place_.warn(item.line, "is_symmetric is missing, read as \"False\"");
      return true;
    }
    const std::optional<bool> flag = flag_of(place_, "is_symmetric", *value, true);
    common.is_symmetric = flag.value_or(false);
    return flag.has_value();
  }

  Place place_;
  Version version_;
};

/// Channels have one width, type and kind: an error finding where they differ.
bool channels_agree(const Place& place, int64_t line, const std::vector<Common>& channels) {
  const Common& first = channels.front();
  for (const Common& other : channels) {
    std::string text;
    if (other.bits != first.bits)
      text = fmt::format("bitwidth ({} and {})", std::min(first.bits, other.bits), std::max(first.bits, other.bits));
    else if (other.dtype != first.dtype)
      text = "dtype (int and float)";
    else if (other.is_symmetric != first.is_symmetric)
      text = "is_symmetric (\"True\" and \"False\")";
    else if (other.has_grid != first.has_grid)
      text = "what they say: some have bitwidth only";
    if (text.empty()) continue;
    place.error(line, "channels differ in " + text);
    return false;
  }
  return true;
}

/// "tensor x", or the channel of it where there are several.
Place place_of_channel(const Place& tensor, size_t channel, size_t num_channels) {
  return num_channels == 1 ? tensor : Place{tensor.findings, fmt::format("{}, channel {}", tensor.who, channel)};
}

void read_tensor(const std::string& name, Role role, const JsonValue& value, std::span<const JsonValue> items,
                 ReadEncodings& result) {
  const Place place = place_of_tensor(name, result.findings);
  std::vector<Common> common;
  std::vector<StatedGrid> stated;
  for (size_t i = 0; i < items.size(); ++i) {
    TensorReader reader(place_of_channel(place, i, items.size()), result.encodings.version);
    const std::optional<Common> one = reader.read_common(items[i]);
    if (items[i].object() == nullptr) continue;
    const std::optional<StatedGrid> numbers = reader.read_numbers(items[i]);
    if (!one || !numbers) continue;
    common.push_back(*one);
    stated.push_back(*numbers);
  }
  if (common.empty() || !channels_agree(place, value.line, common)) return;
  const Common& first = common.front();
  Encoding encoding{name, role, first.dtype, first.bits, first.is_symmetric, false, {}, {}, items.front().line};
  if (first.has_grid) {
    for (size_t i = 0; i < common.size(); ++i) {
      const Place at = place_of_channel(place, i, items.size());
      if (const auto grid = grid_of(at, first.bits, first.is_symmetric, stated[i])) encoding.channels.push_back(*grid);
    }
    if (encoding.channels.size() != items.size()) return;
  }
  if (common.size() == items.size()) result.encodings.tensors.push_back(std::move(encoding));
}

/// Files of AIMET for PyTorch name modules, and give {"input": {"0": ENCODING}, "output": ...} for each.
bool is_module(const JsonValue& value) { return find(value, "input") != nullptr || find(value, "output") != nullptr; }

void read_section(const JsonValue& section, Role role, Names& names, ReadEncodings& result) {
  for (const JsonMember& member : *section.object()) {
    const Place place = place_of_tensor(member.key, result.findings);
    const auto* items = member.value.list();
    if (!names.take(member.key, member.line, role, false, result.findings)) continue;
    if (member.key.empty()) {
      place.error(member.line, "the name is empty");
    } else if (items == nullptr && is_module(member.value)) {
      place.add(Severity::Unsupported, member.line,
                "is a module of PyTorch (it has input or output), read are names of tensors, as AIMET for ONNX writes them");
    } else if (items == nullptr && member.value.object() != nullptr) {
      place.warn(member.line, "has an object, read as a list with this one encoding");
      read_tensor(member.key, role, member.value, {&member.value, 1}, result);
    } else if (items == nullptr) {
      place.error(member.line, fmt::format("an encoding is {}, allowed is a list of objects", shown(member.value)));
    } else if (items->empty()) {
      place.error(member.line, "there is no encoding in the list");
    } else if (role == Role::Activation && items->size() > 1) {
      place.error(member.line, fmt::format("is an activation with {} encodings, allowed is one", items->size()));
    } else {
      read_tensor(member.key, role, member.value, *items, result);
    }
  }
}

}  // namespace

void read_objects(const JsonValue& root, ReadEncodings& result) {
  Names names;
  if (const JsonValue* section = section_of(root, "activation_encodings", false, result))
    read_section(*section, Role::Activation, names, result);
  if (const JsonValue* section = section_of(root, "param_encodings", false, result))
    read_section(*section, Role::Parameter, names, result);
}

}  // namespace vernier::import::aimet
