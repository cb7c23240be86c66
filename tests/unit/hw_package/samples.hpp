// SPDX-License-Identifier: Apache-2.0
// Well-formed commands for tests: fixed ones and random ones.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <random>

namespace vernier::package::samples {

/// Deterministic numbers; the seed is printed by the tests that use it.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t between(int64_t low, int64_t high) {
    const auto span = static_cast<uint64_t>(high - low + 1);
    return low + static_cast<int64_t>(((uint64_t{engine_()} << 32U) | engine_()) % span);
  }
  bool flip() { return between(0, 1) == 1; }

 private:
  std::mt19937 engine_;
};

spec::Command end();
spec::Command copy();         // 3 x 5 runs of 24 bytes, external memory to SRAM
spec::Command convolution();  // 3x3, rescale, residual
spec::Command depthwise();
spec::Command softmax_sum();  // a vector program with init, body and final steps, for v256
/// Small commands of any kind, all modes that check() accepts.
spec::Command random_mac(Random& random, int64_t lanes);
spec::Command random_vector(Random& random, int64_t lanes);
spec::Command random_dma(Random& random);

}  // namespace vernier::package::samples
