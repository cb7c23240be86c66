// SPDX-License-Identifier: Apache-2.0
// Text for people and programs on standard output or standard error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::cli {

/// Writes all of it at once, as base::printable_lines() gives it, since names come from the user's files. A reader that has
/// gone (`| head`) has what it wanted: the rest is dropped. UserError when the text cannot be written for another reason,
/// such as a full disk.
void print_text(FILE* stream, std::string_view text, bool keeps_color = false);

/// A line of the firmware's console, with the cycle of its first byte, on standard error.
void print_console_line(int64_t cycle, const std::string& line);

/// How wide the terminal of a stream is; none where there is no terminal, or one that does not say.
std::optional<int64_t> terminal_columns(FILE* stream);

}  // namespace vernier::cli
