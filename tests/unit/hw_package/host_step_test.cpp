// SPDX-License-Identifier: Apache-2.0
#include "hw/package/boundary.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace vernier;
using namespace vernier::package;
using base::ElementType;

TEST_CASE("A host operator fits a shape, or says why not") {
  const base::Shape shape{1, 2, 3};
  CHECK(problem_of({HostOperator::Add, "", {2, 1}, {1, 2}, {}}, shape).empty());
  CHECK(problem_of({HostOperator::Add, "", {2}, {1, 2}, {}}, shape) ==
        "a constant of shape [2] does not go along [1, 2, 3]");
  CHECK(problem_of({HostOperator::Mul, "", {4, 1, 2, 3}, std::vector<float>(24), {}}, shape) ==
        "a constant of shape [4, 1, 2, 3] does not go along [1, 2, 3]");
  CHECK(problem_of({HostOperator::Mul, "", {3}, {1, NAN, 2}, {}}, shape) ==
        "the constant holds what is no number, allowed are finite ones");
  CHECK(problem_of({HostOperator::Clip, "", {}, {-INFINITY, 6}, {}}, shape).empty());
  CHECK(problem_of({HostOperator::Clip, "", {}, {2, 1}, {}}, shape) == "the limits are not a least and a greatest number");
  CHECK(problem_of({HostOperator::Softmax, "", {}, {}, {3}}, shape) == "[3] is no axis of [1, 2, 3]");
  CHECK(problem_of({HostOperator::Transpose, "", {}, {}, {0, 2, 2}}, shape) ==
        "[0, 2, 2] is no order of the dimensions of [1, 2, 3]");
  CHECK(problem_of({HostOperator::Reshape, "", {}, {}, {5}}, shape) == "shape [5] does not fit [1, 2, 3]");
  CHECK(result_shape({HostOperator::Transpose, "", {}, {}, {2, 0, 1}}, shape) == base::Shape{3, 1, 2});
  CHECK(result_shape({HostOperator::Reshape, "", {}, {}, {6}}, shape) == base::Shape{6});
}

TEST_CASE("Host operators have names and a text for people") {
  for (size_t i = 0; i < kHostOperatorNames.size(); ++i)
    CHECK(host_operator_of(kHostOperatorNames.at(i)) == static_cast<HostOperator>(i));
  CHECK_FALSE(host_operator_of("Conv"));
  CHECK(to_text({HostOperator::SubFrom, "", {}, {1.5F}, {}}) == "Sub from 1.5");
  CHECK(to_text({HostOperator::Div, "", {2}, {1, 2}, {}}) == "Div by a constant [2]");
  CHECK(to_text({HostOperator::Clip, "", {}, {0, 6}, {}}) == "Clip to 0 .. 6");
}

TEST_CASE("Unsigned codes lie in a tensor less half of their range, or as their bits") {
  BoundaryEnd end{"x", false, false};
  CHECK(stored_code(200, end, ElementType::Int8) == 72);
  CHECK(source_code(72, end, ElementType::Int8) == 200);
  end.keeps_bits = true;
  CHECK(stored_code(200, end, ElementType::Int8) == -56);
  CHECK(source_code(-56, end, ElementType::Int8) == 200);
  CHECK(stored_code(100, end, ElementType::Int8) == 100);
  CHECK(source_code(100, end, ElementType::Int8) == 100);
}

TEST_CASE("A range has as many ends as its axis has indices") {
  BoundaryEnd end{"x", true, true};
  end.range = RangeRule{.ranges = {{-1, 1}}};
  CHECK(problem_of(end, ElementType::Int8, {2, 3}, Side::Input).empty());
  CHECK(problem_of(end, ElementType::Int8, {2, 3}, Side::Output) == "a range stands beside other rules");
  end.range->axis = 1;
  CHECK(problem_of(end, ElementType::Int8, {2, 3}, Side::Input) == "1 ranges stand for axis 1 of [2, 3]");
  end.range->ranges = {{-1, 1}, {2, 1}, {0, 0}};
  CHECK(problem_of(end, ElementType::Int8, {2, 3}, Side::Input) ==
        "the range is 2 to 1, allowed are finite ends, the least first");
}
