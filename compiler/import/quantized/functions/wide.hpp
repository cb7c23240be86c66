// SPDX-License-Identifier: Apache-2.0
// Codes and sums as int32 numbers in which nothing but the scale stands between an integer and what it means.
#pragma once

#include "compiler/import/quantized/functions/requantize.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// int32, zero points subtracted, with that many bits more after the point: (code - zero point) * 2^bits. No function may be
/// pending. NodeMistake where 31 bits do not hold that.
Value wide_value(Lowering& lowering, const Value& value, int64_t bits, const std::string& name);

/// The bits that numbers of that magnitude leave of 29.
int64_t spare_bits(int64_t magnitude);

/// As int32 sums, where they are int48: halved as often as they need to fit, which loses less than 2^-30 of their magnitude.
Value narrowed_sums(Lowering& lowering, const Value& value, const std::string& name);

}  // namespace vernier::import::quantized
