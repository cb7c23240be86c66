// SPDX-License-Identifier: Apache-2.0
#include "hw/base/indexed_vector.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <stdexcept>

namespace vernier::base {
namespace {

template <typename Vector, typename Index>
concept HasElementAt = requires(Vector v, Index i) {
  v[i];
};
using Names = IndexedVector<int32_t, const char*>;
static_assert(HasElementAt<Names, int32_t> && HasElementAt<Names, size_t> && HasElementAt<const Names, int32_t>);
static_assert(!HasElementAt<Names, bool> && !HasElementAt<Names, double>);

TEST_CASE("indexed vector: an id and a size name the same element") {
  IndexedVector<int32_t, int> squares(5);
  for (int32_t id = 0; id < 5; ++id) squares[id] = id * id;
  for (size_t i = 0; i < squares.size(); ++i) {
    CHECK(squares[i] == static_cast<int>(i * i));
    CHECK(&squares.at(i) == &squares.at(static_cast<int32_t>(i)));
  }
  squares.at(3) = 7;
  const auto& same = squares;
  CHECK(same[3] == 7);
}

TEST_CASE("indexed vector: at() refuses what is not there") {
  IndexedVector<int32_t, int> two{1, 2};
  const auto& same = two;
  CHECK_THROWS_AS(two.at(2), std::out_of_range);
  CHECK_THROWS_AS(same.at(-1), std::out_of_range);
}

TEST_CASE("indexed vector: flags are one bit each, as in a std::vector") {
  IndexedVector<int64_t, bool> flags(9);
  flags[int64_t{4}] = true;
  CHECK(flags.at(size_t{4}));
  CHECK(!flags[int64_t{5}]);
}

}  // namespace
}  // namespace vernier::base
