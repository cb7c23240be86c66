// SPDX-License-Identifier: Apache-2.0
// Places blocks with lifetimes in one memory. Greedy by size: the largest block first, each at the lowest aligned offset
// where no placed block of an overlapping lifetime lies. Deterministic: ties go to the earlier lifetime, then to the smaller
// index.
//
//   offset ^   |  A  A  A  A         A and C live together, B follows C in the same bytes
//          |   |  C  C     B  B
//          +---+------------------> command
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace vernier::schedule {

struct Block {
  int64_t size_bytes = 0;
  int64_t first = 0, last = 0;  // commands that use it, both included
  int64_t phase_bytes = 0;      // it starts so far behind a multiple of the alignment, less than that
  int64_t offset = 0;           // the result
};

/// Sets the offsets and returns the bytes needed (highest end). `align_bytes` >= 1. Where that is above `limit_bytes`, the
/// blocks that end above it are placed before all others, in a few more rounds; the best round counts.
int64_t allocate(std::span<Block> blocks, int64_t align_bytes, int64_t limit_bytes = std::numeric_limits<int64_t>::max());

/// The most bytes that are alive at one time: no allocation can need less.
int64_t live_peak_bytes(std::span<const Block> blocks, int64_t align_bytes);

}  // namespace vernier::schedule
