// SPDX-License-Identifier: Apache-2.0
// Helpers for messages to people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::base {

/// The candidate nearest to `name` by edit distance (at most a third of its length, and 3), or "" when none is near.
std::string nearest(std::string_view name, std::span<const std::string> candidates);
/// ", did you mean 'x'?" or "".
std::string suggestion(std::string_view name, std::span<const std::string> candidates);
/// At most that many characters (4 or more); the end of a long name tells more than its beginning:
/// "...l_1/conv2d_4/BiasAdd".
std::string shortened(const std::string& name, int64_t columns);
/// The first name of a list that a converter joined by ';': that of the last operator fused, which people know it by.
std::string first_name(const std::string& name);
/// 1234567 as "1,234,567".
std::string with_thousands(int64_t value);
/// 16384 as "16 KiB"; exact multiples only, else bytes with thousands and " B".
std::string bytes_text(int64_t bytes);

}  // namespace vernier::base
