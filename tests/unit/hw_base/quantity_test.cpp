// SPDX-License-Identifier: Apache-2.0
#include "hw/base/quantity.hpp"

#include <catch2/catch.hpp>

#include <type_traits>

namespace vernier::base {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};

static_assert(Addable<Cycles, Cycles> && !Addable<Cycles, Bytes> && !Addable<Cycles, int64_t>);
static_assert(Comparable<Bytes, Bytes> && !Comparable<Cycles, Bytes> && !Comparable<Cycles, int64_t>);
static_assert(!std::is_convertible_v<int64_t, Cycles> && !std::is_convertible_v<Cycles, int64_t>);

TEST_CASE("quantity: arithmetic within one unit") {
  Cycles total{5};
  total += Cycles{7};
  total -= Cycles{2};
  CHECK(total.value() == 10);
  CHECK((total + Cycles{1}).value() == 11);
  CHECK((total - Cycles{11}).value() == -1);
  CHECK((total * 3).value() == 30);
  CHECK(Cycles{3} < Cycles{4});
  CHECK(Cycles{} == Cycles{0});
}

TEST_CASE("quantity: divisions round as they say, also for negative numbers") {
  CHECK(ceil_div(0, 4) == 0);
  CHECK(ceil_div(8, 4) == 2);
  CHECK(ceil_div(9, 4) == 3);
  CHECK(round_up(0, 16) == 0);
  CHECK(round_up(16, 16) == 16);
  CHECK(round_up(17, 16) == 32);
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      CAPTURE(a, b);
      CHECK(floor_div(a, b) * b <= a);
      CHECK((floor_div(a, b) + 1) * b > a);
      CHECK(floor_mod(a, b) == a - b * floor_div(a, b));
      CHECK((floor_mod(a, b) >= 0 && floor_mod(a, b) < b));
    }
  }
}

TEST_CASE("quantity: addresses print with their memory, and order by memory first") {
  CHECK(fmt::format("{}", Address{MemorySpace::Sram, 0x1f40}) == "sram:0x1f40");
  CHECK(fmt::format("{}", Address{MemorySpace::External, 0}) == "ext:0x0");
  CHECK(Address{MemorySpace::Sram, 9} < Address{MemorySpace::External, 1});
  CHECK(Address{MemorySpace::Sram, 1} < Address{MemorySpace::Sram, 9});
}

}  // namespace
}  // namespace vernier::base
