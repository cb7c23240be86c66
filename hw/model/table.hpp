// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0 TABLE on one element (sections "TABLE" and "General unary functions").
//
// The index uses the low 8 or 16 bits of x, so that it is inside the table whatever x is.
#pragma once

#include "hw/spec/table_format.hpp"

#include <cstdint>
#include <span>

namespace vernier::model {

using spec::kTable16Entries;
using spec::kTable8Entries;

/// int8 to int8: entry x + 128 of `table`, which has kTable8Entries.
constexpr int32_t table_8(int32_t x, std::span<const int8_t> table) {
  return table[(static_cast<uint32_t>(x) + 128U) & 255U];
}

/// The machine's extension of it to int32 entries, for chains of operators folded into one table. Not in TOSA.
constexpr int32_t table_8_to_32(int32_t x, std::span<const int32_t> table) {
  return table[(static_cast<uint32_t>(x) + 128U) & 255U];
}

/// int16 to int32: between entries, linear with a fraction of 7 bits; the result has 23 bits (an entry is worth 128).
/// `table` has kTable16Entries. x = 32767 lies between entries 511 and 512.
constexpr int32_t table_16(int32_t x, std::span<const int16_t> table) {
  const uint32_t position = (static_cast<uint32_t>(x) + 32768U) & 65535U;
  const int32_t entry = table[position >> 7];
  const int32_t slope = table[(position >> 7) + 1] - entry;
  return entry * 128 + slope * static_cast<int32_t>(position & 127U);
}

/// Whether table_16 violates no REQUIRE: the step between the two entries fits int16.
constexpr bool table_16_is_defined(int32_t x, std::span<const int16_t> table) {
  const uint32_t index = ((static_cast<uint32_t>(x) + 32768U) & 65535U) >> 7;
  const int32_t slope = table[index + 1] - table[index];
  return slope >= INT16_MIN && slope <= INT16_MAX;
}

}  // namespace vernier::model
