// SPDX-License-Identifier: Apache-2.0
#include "hw/package/boundary.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace vernier;
using namespace vernier::package;
using base::ElementType;

TEST_CASE("A host operator fits a shape, or says why not") {
  const base::Shape shape{1, 2, 3};
  using Shapes = std::vector<base::Shape>;
  CHECK(problem_of({HostOperator::Add, "", {2, 1}, {1, 2}, {}}, Shapes{shape}).empty());
  CHECK(problem_of({HostOperator::Add, "", {2}, {1, 2}, {}}, Shapes{shape}) ==
        "a constant of shape [2] does not go along [1, 2, 3]");
  CHECK(problem_of({HostOperator::Mul, "", {4, 1, 2, 3}, std::vector<float>(24), {}}, Shapes{shape}) ==
        "a constant of shape [4, 1, 2, 3] does not go along [1, 2, 3]");
  CHECK(problem_of({HostOperator::Mul, "", {3}, {1, NAN, 2}, {}}, Shapes{shape}) ==
        "the constant holds what is no number, allowed are finite ones");
  CHECK(problem_of({HostOperator::Clip, "", {}, {-INFINITY, 6}, {}}, Shapes{shape}).empty());
  CHECK(problem_of({HostOperator::Clip, "", {}, {2, 1}, {}}, Shapes{shape}) ==
        "the limits are not a least and a greatest number");
  CHECK(problem_of({HostOperator::Softmax, "", {}, {}, {3}}, Shapes{shape}) == "[3] is no axis of [1, 2, 3]");
  CHECK(problem_of({HostOperator::Transpose, "", {}, {}, {0, 2, 2}}, Shapes{shape}) ==
        "[0, 2, 2] is no order of the dimensions of [1, 2, 3]");
  CHECK(problem_of({HostOperator::Reshape, "", {}, {}, {5}}, Shapes{shape}) == "shape [5] does not fit [1, 2, 3]");
  CHECK(result_shape({HostOperator::Transpose, "", {}, {}, {2, 0, 1}}, Shapes{shape}) == base::Shape{3, 1, 2});
  CHECK(result_shape({HostOperator::Reshape, "", {}, {}, {6}}, Shapes{shape}) == base::Shape{6});
}

TEST_CASE("Host operators have names and a text for people") {
  for (size_t i = 0; i < kHostOperatorNames.size(); ++i)
    CHECK(host_operator_of(kHostOperatorNames.at(i)) == static_cast<HostOperator>(i));
  CHECK_FALSE(host_operator_of("GRU"));
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

TEST_CASE("A program of the host reads earlier values only, and takes no more than the host gives") {
  const HostStep relu{HostOperator::Relu, "r", {}, {}, {}};
  HostStep sum{HostOperator::Add, "s", {}, {}, {}};
  sum.operands = {1, 2};
  CHECK(shapes_of({relu, sum}, {{2, 3}, {3}}).problem.empty());  // value 2 is the Relu of value 1
  CHECK(shapes_of({relu, sum}, {{2, 3}, {3}}).shapes.back() == base::Shape{3});
  sum.operands = {0, 3};
  CHECK(shapes_of({relu, sum}, {{2, 3}, {3}}).problem == "operator 's' (Add): it reads value 3, before it are 3");
  sum.operands = {-1, 0};
  CHECK_FALSE(shapes_of({relu, sum}, {{2, 3}}).problem.empty());
  sum.operands = {0, 1, 1};
  CHECK(shapes_of({relu, sum}, {{2, 3}}).problem == "operator 's' (Add): it reads 3 values, allowed are 1 to 2");
  std::vector<int64_t> thousand(1001, 0);
  std::vector<HostStep> growing;
  for (int64_t axis = 0; axis < 4; ++axis) {
    thousand.front() = axis;
    growing.push_back({HostOperator::Pick, "p", {}, {}, thousand});
  }
  CHECK(shapes_of(growing, {{1, 1, 1, 1}}).problem ==
        "operator 'p' (Pick): the result [1000, 1000, 1000, 1] takes more memory or time than the host gives");
  const HostStep product{HostOperator::MatMul, "m", {}, {}, {}, {0, 1}};
  CHECK(shapes_of({product}, {{4096, 4096}, {4096, 2048}}).problem.find("more memory or time") != std::string::npos);
}

TEST_CASE("Each operator of the host says what does not fit it") {
  using Shapes = std::vector<base::Shape>;
  const auto problem = [](HostOperator kind, const Shapes& operands, std::vector<int64_t> dimensions,
                          std::vector<float> numbers = {}) {
    HostStep step{kind, "", {}, std::move(numbers), std::move(dimensions)};
    step.operands.assign(operands.size(), 0);
    return problem_of(step, operands);
  };
  CHECK(problem(HostOperator::Add, {{2, 1}, {3}}, {}).empty());
  CHECK(problem(HostOperator::Add, {{2}, {3}}, {}) == "a value of shape [3] does not go along [2]");
  CHECK(problem(HostOperator::SubFrom, {{2}, {2}}, {}) == "it reads 2 values, allowed are 1 to 1");
  CHECK(problem(HostOperator::Slice, {{5}}, {0, 4, -2, 3}).empty());
  CHECK(problem(HostOperator::Slice, {{5}}, {0, 3, 1, 3}) == "3 elements from 3 on by steps of 1 are not in axis 0 of [5]");
  CHECK(problem(HostOperator::Slice, {{5}}, {1, 0, 1, 1}) == "[1, 0, 1, 1] is no axis of [5]");
  CHECK(problem(HostOperator::Pick, {{5}}, {0, 4, -1}, {7}).empty());
  CHECK(problem(HostOperator::Pick, {{5}}, {0, 4, -1}) == "index -1 is not in axis 0 of [5]");
  CHECK(problem(HostOperator::Pick, {{5}}, {0, 5}) == "index 5 is not in axis 0 of [5]");
  CHECK(problem(HostOperator::Concat, {{2, 3}, {2, 4}}, {1}).empty());
  CHECK(problem(HostOperator::Concat, {{2, 3}, {2, 4}}, {0}) == "values of [2, 3] and [2, 4] are not joined along axis 0");
  CHECK(problem(HostOperator::Blend, {{5}}, {0, 2, 0, 1, 1, 2}, {1, 0, 1, 0}).empty());
  CHECK(problem(HostOperator::Blend, {{5}}, {0, 2, 0, 1, 1}, {1, 0, 1}) == "3 elements and 3 numbers do not make sums of 2");
  CHECK(problem(HostOperator::Blend, {{5}}, {0, 1, 5}, {1}) == "index 5 is not in axis 0 of [5]");
  CHECK(problem(HostOperator::ReduceSum, {{2, 3}}, {0, 1}).empty());
  CHECK(problem(HostOperator::ReduceSum, {{2, 3}}, {1, 1}) == "[1, 1] is no axis of [2, 3]");
  CHECK(problem(HostOperator::ArgMax, {{2, 3}}, {1, 2}) == "[1, 2] is no axis of [2, 3]");
  CHECK(problem(HostOperator::MatMul, {{4, 2, 3}, {3, 5}}, {}).empty());
  CHECK(problem(HostOperator::MatMul, {{2, 3}, {2, 3}}, {}) == "matrices of [2, 3] and [2, 3] are not multiplied");
  CHECK(problem(HostOperator::Conv, {{1, 2, 5}, {4, 2, 3}, {4}}, {1, 1, 1, 1, 5}).empty());
  CHECK(problem(HostOperator::Conv, {{1, 2, 5}, {4, 2, 3}, {3}}, {1, 1, 1, 1, 5}) ==
        "a bias of [3] does not go along weights of [4, 2, 3]");
  CHECK(problem(HostOperator::Conv, {{1, 2, 5}, {4, 1, 3}}, {1, 1, 1, 1, 5}) ==
        "weights of [4, 1, 3] in 1 groups do not go along [1, 2, 5]");
  CHECK(problem(HostOperator::Conv, {{1, 2, 5}, {4, 2, 3}}, {1, 1, 1, 1, 7}) ==
        "7 windows of 3 by steps of 1 do not begin in 5 elements");
  CHECK(problem(HostOperator::MaxPool, {{1, 2, 5}}, {3, 1, 1, 1, 1, 5}).empty());
  CHECK(problem(HostOperator::MaxPool, {{1, 2, 5}}, {3, 0, 1, 1, 1, 5}) ==
        "5 windows of 3 by steps of 0 do not begin in 5 elements");
  CHECK(problem(HostOperator::MaxPool, {{1, 2, 5}}, {3, 1, 1}) == "3 numbers describe windows on [1, 2, 5]");
  CHECK(problem(HostOperator::AveragePool, {{1, 2, 5}}, {3, 1, 1, 1, 1, 5, 2}) == "padding counts or not: 1 or 0");
  CHECK(problem(HostOperator::LeakyRelu, {{2}}, {}) == "0 numbers are given, expected 1");
  CHECK(problem(HostOperator::Tanh, {{2}}, {}, {1}) == "1 numbers are given, expected 0");
}

TEST_CASE("Ends read other ends, and no end that has nothing to read") {
  const HostStep sum{HostOperator::Add, "s", {}, {}, {}, {0, 1}};
  BoundaryEnd y{"y"}, z{"z"};
  y.steps = {sum};
  y.source_shape = {2, 3};
  y.reads = {"z"};
  const auto shape_of = [](const std::string& name) {
    return name == "z" ? std::optional(base::Shape{2, 3}) : std::nullopt;
  };
  CHECK(problem_of(y, ElementType::Int8, {3}, Side::Output, shape_of).empty());
  CHECK(problem_of(y, ElementType::Int8, {3}, Side::Output) == "the float operators read 'z', which is no output");
  CHECK(problem_of_reads({y, z}, Side::Output).empty());
  CHECK(problem_of_reads({y}, Side::Output) == "'y' reads 'z', which is no other end");
  y.steps.clear();
  CHECK(problem_of_reads({y, z}, Side::Output) == "'y' reads 1 other ends, which is none of its ways");
  CHECK(problem_of_reads({y, z}, Side::Input).empty());
  z.is_float = false;
  CHECK(problem_of_reads({y, z}, Side::Input) == "'y' takes its floats of 'z', which has none of its own");
}
