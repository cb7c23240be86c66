// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/fields.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace vernier::import::aimet {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

void warn_about_unknown_keys(const Place& place, const JsonValue& object, std::span<const std::string_view> known) {
  const auto* members = object.object();
  if (members == nullptr) return;
  for (const JsonMember& member : *members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const bool is_worth_a_guess = member.key.size() <= 40 && place.findings->num_left_out() == 0;
    const std::string near = is_worth_a_guess ? base::suggestion(member.key, names) : "";
    place.warn(member.line, fmt::format("key '{}' is not known{}; it is not read", clipped(member.key), near));
  }
}

const JsonValue* required(const Place& place, const JsonValue& object, std::string_view key) {
  const JsonValue* member = find(object, key);
  if (member == nullptr) place.error(object.line, fmt::format("{} is missing", key));
  return member;
}

std::optional<double> number_of(const Place& place, std::string_view field, const JsonValue& value) {
  if (const double* number = value.number()) return *number;
  place.error(value.line, fmt::format("{} is {}, allowed is a number", field, shown(value)));
  return std::nullopt;
}

std::optional<int64_t> whole_number_of(const Place& place, std::string_view field, const JsonValue& value) {
  constexpr double kMost = 1e15;  // far above what any field allows, and exact in a double
  const double* number = value.number();
  if (number != nullptr && *number == std::trunc(*number) && std::abs(*number) <= kMost)
    return static_cast<int64_t>(*number);
  place.error(value.line, fmt::format("{} is {}, allowed is a whole number", field, shown(value)));
  return std::nullopt;
}

std::optional<double> scale_of(const Place& place, std::string_view field, const JsonValue& value) {
  const std::optional<double> scale = number_of(place, field, value);
  if (!scale) return std::nullopt;
  constexpr double kLeast = std::numeric_limits<float>::min(), kMost = std::numeric_limits<float>::max();
  if (*scale <= 0) {
    place.error(value.line, fmt::format("{} is {}, allowed are numbers above 0", field, *scale));
  } else if (*scale < kLeast || *scale > kMost) {
    place.error(value.line,
                fmt::format("{} is {}, allowed is what float32 holds, {:.3g} to {:.3g}", field, *scale, kLeast, kMost));
  } else {
    return scale;
  }
  return std::nullopt;
}

std::optional<int> bits_of(const Place& place, std::string_view field, const JsonValue& value, int least) {
  const std::optional<int64_t> bits = whole_number_of(place, field, value);
  if (!bits) return std::nullopt;
  if (*bits < least || *bits > kMostBits) {
    place.error(value.line, fmt::format("{} is {}, allowed are {} to {}", field, *bits, least, kMostBits));
    return std::nullopt;
  }
  if (*bits < kLeastLegacyBits)
    place.warn(value.line, fmt::format("{} is {}; few tools, and versions from 1.0.0 only, know fewer than {} bits", field,
                                       *bits, kLeastLegacyBits));
  return static_cast<int>(*bits);
}

std::optional<int> float_bits_of(const Place& place, std::string_view field, const JsonValue& value) {
  const std::optional<int64_t> bits = whole_number_of(place, field, value);
  if (!bits) return std::nullopt;
  if (*bits == 8 || *bits == 16 || *bits == 32) return static_cast<int>(*bits);
  place.error(value.line, fmt::format("{} of a float is {}, allowed are 8, 16 and 32", field, *bits));
  return std::nullopt;
}

std::optional<bool> flag_of(const Place& place, std::string_view field, const JsonValue& value, bool is_text) {
  const std::string allowed = is_text ? "\"True\" or \"False\"" : "true or false";
  std::optional<bool> flag;
  if (const bool* boolean = value.boolean()) flag = *boolean;
  if (const std::string* text = value.text()) {
    const std::string lower = text->size() < 8 ? lower_case(*text) : "";
    if (lower == "true" || lower == "false") flag = lower == "true";
    if (is_text && (*text == "True" || *text == "False")) return flag;
  } else if (!is_text && flag) {
    return flag;
  }
  if (flag) {
    place.warn(value.line, fmt::format("{} is {}, this version writes {}; read as such", field, shown(value), allowed));
  } else {
    place.error(value.line, fmt::format("{} is {}, allowed is {}", field, shown(value), allowed));
  }
  return flag;
}

std::optional<DataType> dtype_of(const Place& place, const JsonValue& value, bool is_upper_case) {
  const std::string allowed = is_upper_case ? "\"INT\" or \"FLOAT\"" : "\"int\" or \"float\"";
  const std::string* text = value.text();
  const std::string lower = text != nullptr && text->size() < 8 ? lower_case(*text) : "";
  if (lower != "int" && lower != "float") {
    place.error(value.line, fmt::format("dtype is {}, allowed is {}", shown(value), allowed));
    return std::nullopt;
  }
  if (is_upper_case == (*text == lower))
    place.warn(value.line, fmt::format("dtype is {}, this version writes {}; read as such", shown(value), allowed));
  return lower == "int" ? DataType::Integer : DataType::Float;
}

}  // namespace vernier::import::aimet
