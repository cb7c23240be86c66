// SPDX-License-Identifier: Apache-2.0
// Float operators of the host, worked by hand.
#include "sim/flow/model/host_steps.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::flow;
using package::HostOperator;
using package::HostStep;
using Reals = std::vector<float>;

TEST_CASE("Constants go along the value from its last dimension on") {
  const base::Shape shape{2, 2, 3};
  const Reals values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  CHECK(run_steps({{HostOperator::Add, "", {3}, {0, 10, 20}, {}}}, shape, values) ==
        Reals{0, 11, 22, 3, 14, 25, 6, 17, 28, 9, 20, 31});
  CHECK(run_steps({{HostOperator::Mul, "", {2, 1}, {1, 2}, {}}}, shape, values) ==
        Reals{0, 1, 2, 6, 8, 10, 6, 7, 8, 18, 20, 22});
  CHECK(run_steps({{HostOperator::Sub, "", {2, 1, 1}, {0, 6}, {}}}, shape, values) ==
        Reals{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  CHECK(run_steps({{HostOperator::SubFrom, "", {}, {1}, {}}}, {2}, {3, -4}) == Reals{-2, 5});
  CHECK(run_steps({{HostOperator::Div, "", {}, {3}, {}}}, {2}, {1, 9}) == Reals{1.0F / 3.0F, 3});
}

TEST_CASE("Functions and movement of the host") {
  CHECK(run_steps({{HostOperator::Relu, "", {}, {}, {}}}, {3}, {-1, 0, 2}) == Reals{0, 0, 2});
  CHECK(run_steps({{HostOperator::Clip, "", {}, {-1, 6}, {}}}, {3}, {-2, 0, 7}) == Reals{-1, 0, 6});
  CHECK(run_steps({{HostOperator::Sigmoid, "", {}, {}, {}}}, {1}, {0}) == Reals{0.5F});
  CHECK(run_steps({{HostOperator::Transpose, "", {}, {}, {1, 0}}}, {2, 3}, {0, 1, 2, 3, 4, 5}) == Reals{0, 3, 1, 4, 2, 5});
  CHECK(run_steps({{HostOperator::Transpose, "", {}, {}, {2, 0, 1}}}, {1, 2, 3}, {0, 1, 2, 3, 4, 5}) ==
        Reals{0, 3, 1, 4, 2, 5});
  const HostStep reshape{HostOperator::Reshape, "", {}, {}, {3, 2}}, columns{HostOperator::Add, "", {2}, {0, 10}, {}};
  CHECK(run_steps({reshape, columns}, {2, 3}, {0, 1, 2, 3, 4, 5}) == Reals{0, 11, 2, 13, 4, 15});
}

TEST_CASE("Softmax goes along its axis, and does not overflow") {
  const Reals rows = run_steps({{HostOperator::Softmax, "", {}, {}, {1}}}, {2, 2}, {0, 0, 1000, 0});
  CHECK(rows == Reals{0.5F, 0.5F, 1, 0});
  const Reals columns = run_steps({{HostOperator::Softmax, "", {}, {}, {0}}}, {2, 2}, {5, 0, 5, 1000});
  CHECK(columns == Reals{0.5F, 0, 0.5F, 1});
}
