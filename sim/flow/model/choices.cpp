// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/choices.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace vernier::flow {

using import::TfliteRounding;

namespace {

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed) {
  if (std::ranges::find(allowed, value) != allowed.end()) return;
  // What is spelled in capitals is near to the same in small letters.
  std::vector<std::string> lower_allowed;
  for (const std::string& choice : allowed) lower_allowed.push_back(in_small_letters(choice));
  const std::string near = base::nearest(in_small_letters(value), lower_allowed);
  const auto found = std::ranges::find(lower_allowed, near);
  const std::string suggestion =
      found == lower_allowed.end()
          ? ""
          : fmt::format(", did you mean '{}'?", allowed[static_cast<size_t>(found - lower_allowed.begin())]);
  throw base::UserError(option, "'{}' is not one of {}{}", value, fmt::join(allowed, ", "), suggestion);
}

void check_range(const std::string& option, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  throw base::UserError(option, "{} is not in {} to {}", value, base::with_thousands(least), base::with_thousands(most));
}

TfliteRounding tflite_rounding_of(const std::string& text) {
  const auto& names = import::kTfliteRoundingNames;
  check_choice("--tflite-rounding", text, {names.begin(), names.end()});
  return static_cast<TfliteRounding>(std::ranges::find(names, text) - names.begin());
}

}  // namespace vernier::flow
