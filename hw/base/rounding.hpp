// SPDX-License-Identifier: Apache-2.0
// How a real number becomes an integer: the modes of QONNX's quantizers, by their names
// (qonnx/util/basic or src/qonnx/custom_op/general/quant.py, resolve_rounding_mode), and AIMET's mode.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vernier::base {

/// The numbers stand in packages.
enum class Rounding : uint8_t {
  HalfEven = 0,  // to the nearest, ties to the even one
  Ceil = 1,
  Floor = 2,
  Up = 3,        // away from zero
  Down = 4,      // towards zero
  HalfUp = 5,    // to the nearest, ties away from zero
  HalfDown = 6,  // to the nearest, ties towards zero
  Sign = 7,      // 1 from zero on, -1 below it
  TiesUp = 8     // to the nearest, ties towards plus infinity
};

inline constexpr std::array<std::string_view, 9> kRoundingNames{"half_even", "ceil",      "floor", "up",     "down",
                                                                "half_up",   "half_down", "sign",  "ties_up"};
constexpr std::string_view to_string(Rounding rounding) { return kRoundingNames[static_cast<size_t>(rounding)]; }
/// The mode of that name, if any.
constexpr std::optional<Rounding> rounding_of(std::string_view name) {
  for (size_t i = 0; i < kRoundingNames.size(); ++i) {
    if (kRoundingNames.at(i) == name) return static_cast<Rounding>(i);
  }
  return std::nullopt;
}

}  // namespace vernier::base
