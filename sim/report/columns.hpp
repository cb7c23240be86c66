// SPDX-License-Identifier: Apache-2.0
// Text that has to fit a width: columns are characters, of which UTF-8 takes one to four bytes each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::report {

int64_t num_columns(std::string_view text);

/// Where "..." takes the place of what does not fit.
enum class Cut : uint8_t { Front, Middle, Back };
/// At most that many columns (4 or more).
std::string fit(const std::string& text, int64_t columns, Cut cut);

/// A space at which wrapped() does not break: between a number and its unit.
inline constexpr std::string_view kNoBreak = "\u00a0";

/// `label`, a space and `text`, broken at spaces so that no line has more than `columns`; later lines are indented by
/// `indent`. Words that are wider than a line are broken too. With a line end.
std::string wrapped(const std::string& label, const std::string& text, int64_t columns, int64_t indent);

}  // namespace vernier::report
