// SPDX-License-Identifier: Apache-2.0
// Whole numbers divided and rounded.
#pragma once

#include <cstdint>

namespace vernier::base {

/// ceil(a / b) for a >= 0, b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The least multiple of `step` that is at least `value`; value >= 0, step > 0.
constexpr int64_t round_up(int64_t value, int64_t step) { return ceil_div(value, step) * step; }
/// floor(a / b) for b > 0 and any a.
constexpr int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
/// a - b * floor(a / b), in [0, b).
constexpr int64_t floor_mod(int64_t a, int64_t b) { return a - b * floor_div(a, b); }

}  // namespace vernier::base
