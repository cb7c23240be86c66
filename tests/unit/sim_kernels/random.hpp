// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers. VERNIER_SEED in the environment chooses another seed; each test prints the one in use when it
// fails.
#pragma once

#include "hw/spec/machine.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <vector>

namespace vernier::kernels::tests {

class Random {
 public:
  explicit Random(uint64_t salt) : engine_(seed() * 1'000'003 + salt) {}
  static uint64_t seed() {
    static const char* const kText = std::getenv("VERNIER_SEED");
    return kText != nullptr ? std::strtoull(kText, nullptr, 10) : 1;
  }
  /// In [low, high].
  int64_t range(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  bool chance(int percent) { return range(0, 99) < percent; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[range(0, static_cast<int64_t>(values.size()) - 1)];
  }
  /// A 32-bit number: small, at an end of the range, or anything.
  int64_t number() {
    switch (range(0, 3)) {
      case 0: return range(-300, 300);
      case 1:
        return pick<int64_t>({INT32_MIN, INT32_MIN + 1, INT32_MAX, INT32_MAX - 1, INT16_MAX, INT16_MIN, -128, 127, 255});
      default: return range(INT32_MIN, INT32_MAX);
    }
  }
  spec::Datapath datapath() { return spec::kPresets[static_cast<size_t>(range(0, 2))].datapath; }
  std::vector<std::byte> bytes(size_t count) {
    std::vector<std::byte> result(count);
    for (std::byte& byte : result) byte = static_cast<std::byte>(engine_());
    return result;
  }
  /// Both slots filled, in a random format.
  TableMemory tables() {
    TableMemory memory;
    for (TableSlot& slot : memory) {
      slot.type = pick({base::ElementType::Int8, base::ElementType::Int16, base::ElementType::Int32});
      for (std::byte& byte : slot.bytes) byte = static_cast<std::byte>(engine_());
    }
    return memory;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vernier::kernels::tests
