// SPDX-License-Identifier: Apache-2.0
// The sizes of SRAM that plans are made for. They do not depend on the SRAM that there is, so that whatever is planned for
// some SRAM is planned for a larger one too, and is never lost.
#pragma once

#include "hw/base/division.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace vernier::schedule {

/// Bytes between sizes near `bytes`, where there are so many from one power of two to the next: `step_bytes` at least.
inline int64_t spacing_bytes(int64_t bytes, int64_t step_bytes, int64_t sizes_per_octave) {
  const auto octave = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, bytes))));
  return std::max(step_bytes, octave / sizes_per_octave);
}

/// Rungs are multiples of `step_bytes` (a power of two), and of 1/32 of the power of two below them.
inline int64_t rung_at_most(int64_t bytes, int64_t step_bytes) {
  const int64_t spacing = spacing_bytes(bytes, step_bytes, 32);
  return bytes / spacing * spacing;
}

/// The next rung above a rung, or above any size.
inline int64_t rung_above(int64_t bytes, int64_t step_bytes) {
  int64_t above = base::round_up(bytes + 1, step_bytes);
  while (rung_at_most(above, step_bytes) <= bytes) above += step_bytes;
  return rung_at_most(above, step_bytes);
}

/// Whether a rung is one of the eight in its octave at which every kind of plan is made.
inline bool is_coarse(int64_t rung, int64_t step_bytes) { return rung % spacing_bytes(rung, step_bytes, 8) == 0; }

}  // namespace vernier::schedule
