// SPDX-License-Identifier: Apache-2.0
// Whose arithmetic a .tflite is read with, and which layers depend on that.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::import {

/// --tflite-rounding: LiteRT's reference kernels, those of before its commit 9213607704, or XNNPACK's.
enum class TfliteRounding { LitertRef, LitertRefInt, Xnnpack };
inline constexpr std::array<std::string_view, 3> kTfliteRoundingNames{"litert-ref", "litert-ref-int", "xnnpack"};

constexpr std::string_view to_string(TfliteRounding flavour) { return kTfliteRoundingNames[static_cast<size_t>(flavour)]; }

/// How a .tflite was read.
struct TfliteRoundingUse {
  std::string flavour{};
  std::vector<std::string> layers{};  // whose values another flavour may change, in the order of the file
};

}  // namespace vernier::import
