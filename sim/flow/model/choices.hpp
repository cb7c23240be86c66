// SPDX-License-Identifier: Apache-2.0
// Values of options that have to be one of a few, or in a range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::flow {

/// UserError, naming the option, unless the value is one of those allowed; suggests the nearest.
void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed);

/// UserError, naming the option, unless least <= value <= most.
void check_range(const std::string& option, int64_t value, int64_t least, int64_t most);

}  // namespace vernier::flow
