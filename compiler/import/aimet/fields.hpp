// SPDX-License-Identifier: Apache-2.0
// The fields of an encoding that several versions have, each checked by itself. What is wrong becomes a finding and gives
// nothing.
#pragma once

#include "compiler/import/aimet/encodings.hpp"
#include "compiler/import/aimet/findings.hpp"
#include "compiler/import/aimet/json_value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vernier::import::aimet {

inline constexpr int kMostBits = 32;
inline constexpr int kLeastLegacyBits = 4, kLeastBits = 2;

/// A warning for each key that is none of the known ones; suggests the nearest.
void warn_about_unknown_keys(const Place& place, const JsonValue& object, std::span<const std::string_view> known);

/// The member; an error finding where it is missing.
const JsonValue* required(const Place& place, const JsonValue& object, std::string_view key);

std::optional<double> number_of(const Place& place, std::string_view field, const JsonValue& value);
/// A fraction of zero is allowed: AIMET writes -126.0.
std::optional<int64_t> whole_number_of(const Place& place, std::string_view field, const JsonValue& value);
/// A number above 0 that float32 holds.
std::optional<double> scale_of(const Place& place, std::string_view field, const JsonValue& value);
/// `least` to kMostBits; a warning where there are fewer than the machine takes.
std::optional<int> bits_of(const Place& place, std::string_view field, const JsonValue& value, int least);
/// Of a float: 8, 16 or 32.
std::optional<int> float_bits_of(const Place& place, std::string_view field, const JsonValue& value);
/// Versions to 0.6.1 write "True" and "False", 1.0.0 true and false; the other form has a warning.
std::optional<bool> flag_of(const Place& place, std::string_view field, const JsonValue& value, bool is_text);
/// Versions to 0.6.1 write "int" and "float", 1.0.0 "INT" and "FLOAT"; the other form has a warning.
std::optional<DataType> dtype_of(const Place& place, const JsonValue& value, bool is_upper_case);

}  // namespace vernier::import::aimet
