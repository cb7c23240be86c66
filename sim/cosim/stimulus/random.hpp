// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere for one seed (splitmix64), quick enough for operands of every lane and cycle.
#pragma once

#include <cstdint>

namespace vernier::cosim {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  int64_t within(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(bits() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int64_t percent) { return within(0, 99) < percent; }
  /// The seed from which the same numbers follow.
  [[nodiscard]] uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace vernier::cosim
