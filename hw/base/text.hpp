// SPDX-License-Identifier: Apache-2.0
// Helpers for messages to people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::base {

/// Text from a user's files (names of files, tensors, layers) for a terminal, on one line: control characters (also those of
/// U+0080 to U+009F), characters that are not seen or turn the direction of text round, and bytes that are no UTF-8 stand as
/// \xHH, byte by byte. All else stays as it is.
std::string printable(std::string_view text);
/// The same for text of several lines: line feeds and tabs stay; with `keeps_color` also the sequences ESC [ numbers m.
std::string printable_lines(std::string_view text, bool keeps_color = false);

/// In quotes, for JSON, as printable() shows it, since names come from users' files.
std::string json_quoted(std::string_view text);

/// The candidate nearest to `name` by edit distance (at most a third of its length, and 3), or "" when none is near; of
/// one letter, none is.
std::string nearest(std::string_view name, std::span<const std::string> candidates);
/// ", did you mean 'x'?" or "".
std::string suggestion(std::string_view name, std::span<const std::string> candidates);
/// The first name of a list that a converter joined by ';': that of the last operator fused, which people know it by.
std::string first_name(const std::string& name);
/// 1234567 as "1,234,567".
std::string with_thousands(int64_t value);
/// "1 cycle", "1,234 cycles", "2 matches": `one` is the noun.
std::string counted(int64_t count, std::string_view one);
/// 16384 as "16 KiB"; exact multiples only, else bytes with thousands and " B".
std::string bytes_text(int64_t bytes);
/// "76416 B (74.6 KiB)": sizes in one unit, to compare and to type, with how people read them.
std::string size_text(int64_t bytes);

}  // namespace vernier::base
