// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers for tests of the control CPU. VERNIER_SEED in the environment chooses another seed.
#pragma once

#include "tests/support/random.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

namespace vernier::tests::rv {

/// The number in an environment variable, for a night's longer test.
inline int64_t count_from_environment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

class RandomWords : private Random {
 public:
  explicit RandomWords(uint64_t salt) : Random(seed() * 1'000'003 + salt) {}
  static uint64_t seed() { return static_cast<uint64_t>(count_from_environment("VERNIER_SEED", 1)); }

  using Random::chance;
  uint32_t word() { return static_cast<uint32_t>(Random::seed()); }
  /// 0 to `count` - 1.
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(within(0, int64_t{count} - 1)); }
  template <typename T, size_t N>
  T pick(const std::array<T, N>& items) {
    return items[below(N)];
  }
  /// Small, at an end of the range, or anything.
  uint32_t operand() {
    static constexpr std::array<uint32_t, 10> kEnds{0,          1,          2,          0xFFFFFFFF, 0x80000000,
                                                    0x7FFFFFFF, 0x80000001, 0xFFFF8000, 0x7FFF,     0xFF};
    const uint32_t kind = below(4);
    if (kind == 0) return pick(kEnds);
    if (kind == 1) return below(64) - 32;
    return word();
  }
  /// 32 bits with the two lowest set. Most have an opcode that exists, and many one of the few upper fields that do.
  uint32_t instruction_like() {
    static constexpr std::array<uint32_t, 11> kOpcodes{0x37, 0x17, 0x6F, 0x67, 0x63, 0x03, 0x23, 0x13, 0x33, 0x0F, 0x73};
    static constexpr std::array<uint32_t, 6> kUpper{0, 1, 0x20, 0x18, 0x08, 0x7F};
    static constexpr std::array<uint32_t, 8> kSystem{0x000, 0x001, 0x302, 0x105, 0x102, 0x002, 0x120, 0x7B2};
    uint32_t result = word() | 3;
    if (chance(80)) result = (result & ~127U) | pick(kOpcodes);
    if (chance(50)) result = (result & 0x01FFFFFF) | pick(kUpper) << 25;
    if ((result & 0x7F) == 0x73 && chance(20)) result = pick(kSystem) << 20 | (chance(80) ? 0 : result & 0xF8F80) | 0x73;
    return result;
  }
};

}  // namespace vernier::tests::rv
