// SPDX-License-Identifier: Apache-2.0
// How the enumerators of commands are printed, in the order of their values.
#pragma once

#include "hw/spec/command.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace vernier::package {

inline constexpr std::array<std::string_view, 6> kDmaKindNames{"copy",   "fill",    "table_fill",
                                                               "gather", "scatter", "transpose"};
inline constexpr std::array<std::string_view, 2> kMacModeNames{"conv", "depthwise"};
inline constexpr std::array<std::string_view, 3> kWeightOrderNames{"tiles", "lane_major", "tap_major"};
inline constexpr std::array<std::string_view, 4> kRoundingNames{"single", "double", "inexact", "half_even"};
inline constexpr std::array<std::string_view, 3> kPhaseNames{"init", "body", "final"};
inline constexpr std::array<std::string_view, spec::kNumVectorOps> kVectorOpNames{
    "load",        "store",  "move",    "add",        "sub",           "minimum",    "maximum",    "clamp",
    "abs",         "negate", "and",     "or",         "xor",           "not",        "shift_left", "shift_right_logical",
    "shift_right", "clz",    "equal",   "greater",    "greater_equal", "select",     "wrap",       "mul",
    "rescale",     "table",  "int_div", "reduce_add", "reduce_max",    "reduce_min", "load_add",   "load_maximum",
    "load_minimum"};
static_assert(!kVectorOpNames.back().empty());

/// The name at `value`, or "reserved".
template <typename E, size_t Size>
constexpr std::string_view name_of(const std::array<std::string_view, Size>& names, E value) {
  const auto index = static_cast<size_t>(value);
  return index < Size ? names[index] : "reserved";
}

}  // namespace vernier::package
