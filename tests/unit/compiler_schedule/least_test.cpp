// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/least.hpp"

#include "tests/support/random.hpp"

#include <catch2/catch.hpp>

namespace vernier::cost {
namespace {

TEST_CASE("the first of the least costs is found, and costs are asked only where a bound allows them to be the least") {
  tests::Random random(3);
  int64_t num_asked = 0, num_all = 0;
  for (int i = 0; i < 500; ++i) {
    const auto num = static_cast<size_t>(random.within(1, 9));
    std::vector<int64_t> bounds, costs;
    for (size_t k = 0; k < num; ++k) {
      bounds.push_back(random.within(1, 12));
      costs.push_back(bounds.back() + random.within(0, 3));
    }
    std::vector<size_t> asked;
    const auto cost = [&](size_t k) { return asked.push_back(k), costs[k]; };
    const size_t found = index_of_least(
        num, [&](size_t k) { return bounds[k]; }, cost);
    const int64_t least = *std::ranges::min_element(costs);
    CHECK(found == static_cast<size_t>(std::ranges::find(costs, least) - costs.begin()));
    for (const size_t k : asked) CHECK((bounds[k] <= least || k == asked.front()));
    num_asked += std::ssize(asked);
    num_all += static_cast<int64_t>(num);
  }
  CHECK(num_asked < 2 * num_all / 3);
}

}  // namespace
}  // namespace vernier::cost
