// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/access_pattern.hpp"

#include "tests/support/random.hpp"

#include <catch2/catch.hpp>

using namespace vernier::timing;

namespace {

/// One point after the other.
void walk(int64_t address, std::span<const Loop> loops, std::vector<int64_t>& histogram) {
  const auto modulus = static_cast<int64_t>(histogram.size());
  if (loops.empty()) {
    ++histogram[static_cast<size_t>((address % modulus + modulus) % modulus)];
    return;
  }
  for (int64_t i = 0; i < loops[0].count; ++i) walk(address + i * loops[0].stride_bytes, loops.subspan(1), histogram);
}

}  // namespace

TEST_CASE("The histogram of residues counts each point of a walk", "[timing]") {
  vernier::tests::Random random(7);
  for (int i = 0; i < 300; ++i) {
    const int64_t modulus = random.pick<int64_t>({64, 128, 256, 12, 1});
    std::vector<Loop> loops;
    for (int64_t n = random.within(0, 3); n > 0; --n) {
      loops.push_back({random.chance(20) ? modulus + random.within(0, 40) : random.within(1, 24), random.within(-300, 300)});
    }
    const int64_t base = random.within(-1000, 1000);
    std::vector<int64_t> expected(static_cast<size_t>(modulus), 0);
    walk(base, loops, expected);
    CAPTURE(i, modulus, base, loops.size());
    CHECK(residue_histogram(base, loops, modulus) == expected);
  }
}
