// SPDX-License-Identifier: Apache-2.0
// XNNPACK makes codes of sums in float32: the sum times a ratio, rounded to the nearest code, halves to the even one.
#pragma once

#include "compiler/import/tflite/rounding.hpp"

#include <cstdint>
#include <optional>

namespace vernier::import::lite {

/// A multiplier that gives these codes of 8 bits, rounding once, for each sum of at most 2^30 in size: it is checked at
/// every sum where the code changes. None where no multiplier does: where sums lie between two codes, exactly or as near as
/// float32 goes, and round up for some and down for others. A ratio above 0.
std::optional<LiteMultiplier> float32_multiplier(float ratio, int64_t zero_point);

/// Another of XNNPACK's ways, of functions of one code: a ratio with 8 bits after the point. None where XNNPACK leaves the
/// ratio to the default kernels: below 2^-8 in size, or above 128.
std::optional<int64_t> fixed8_of(float ratio);
/// A code less its zero point times that ratio, halves up.
inline int64_t fixed8_product(int64_t code, int64_t ratio) { return (code * 128 * ratio + (1 << 14)) >> 15; }

}  // namespace vernier::import::lite
