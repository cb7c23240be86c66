// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/statistics.hpp"

#include <catch2/catch.hpp>

using vernier::kit::Statistics;

TEST_CASE("Counters stand in the order of their first use and add up") {
  Statistics root("root");
  root.add("b_cycles", 2);
  root.add("a_cycles", 3);
  root.add("b_cycles", 5);
  root.child("z").add("x_bytes", 11);
  root.child("y").child("deep").add("w_bytes", 13);
  root.child("z").add("x_bytes", 1);
  REQUIRE(root.counters().size() == 2);
  CHECK(root.counters()[0].name == "b_cycles");
  CHECK(root.counters()[0].value == 7);
  CHECK(root.children()[0].name() == "z");
  CHECK(root.value("z/x_bytes") == 12);
  CHECK(root.value("y/deep/w_bytes") == 13);
  CHECK(root.value("y/deeper/w_bytes") == 0);
  CHECK(root.find("nothing") == nullptr);
  CHECK(root.sum() == 7 + 3 + 12 + 13);
}
