// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace vernier::timing {

/// A number from `least` to `most`, the same on every machine.
inline int64_t pick(std::mt19937& random, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
}

}  // namespace vernier::timing
