// SPDX-License-Identifier: Apache-2.0
// Values of options that have to be one of a few, or in a range.
#pragma once

#include "compiler/import/tflite_rounding.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::flow {

/// UserError, naming the option, unless the value is one of those allowed; suggests the nearest.
void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed);

/// UserError, naming the option, unless least <= value <= most.
void check_range(const std::string& option, int64_t value, int64_t least, int64_t most);

/// What --tflite-rounding names. UserError for what it cannot be.
[[nodiscard]] import::TfliteRounding tflite_rounding_of(const std::string& text);

}  // namespace vernier::flow
