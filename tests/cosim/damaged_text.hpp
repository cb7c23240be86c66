// SPDX-License-Identifier: Apache-2.0
// Replays with something done to them, for tests of who reads them.
#pragma once

#include "sim/cosim/stimulus/random.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace vernier::cosim {

inline constexpr int kNumDamages = 5;

/// A text that is damaged in the way of that number.
inline std::string damaged(std::string text, int kind, Random& random) {
  constexpr std::string_view kOthers = "0123456789abcdefx{}[]\",: -.e\n";
  const auto at = [&] { return static_cast<size_t>(random.within(0, std::ssize(text) - 1)); };
  switch (kind) {
    case 0: text.resize(at()); break;                                                                     // truncated
    case 1: text[at()] = kOthers[static_cast<size_t>(random.within(0, std::ssize(kOthers) - 1))]; break;  // a character
    case 2: text.erase(at(), static_cast<size_t>(random.within(1, 40))); break;  // a piece is missing
    case 3: {                                                                    // a piece comes twice
      const size_t place = at();
      text.insert(place, text.substr(place, static_cast<size_t>(random.within(1, 60))));
      break;
    }
    default: {  // a number becomes an absurd one
      size_t place = at();
      while (place < text.size() && text[place] != '"') ++place;
      const size_t number = text.find(": ", std::min(place, text.size()));
      if (number != std::string::npos) text.replace(number + 2, 1, random.chance(50) ? "9999999999999999" : "-7");
      break;
    }
  }
  return text;
}

}  // namespace vernier::cosim
