// SPDX-License-Identifier: Apache-2.0
// Float operators of the host, worked by hand.
#include "sim/flow/host/host_program.hpp"

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

namespace {

/// A step on values that are given, by their shapes and numbers.
Reals result_of(HostOperator kind, const std::vector<HostArray>& operands, std::vector<int64_t> dimensions = {},
                Reals numbers = {}) {
  HostStep step{kind, "", {}, std::move(numbers), std::move(dimensions)};
  for (size_t i = 0; i < operands.size(); ++i) step.operands.push_back(static_cast<int64_t>(i));
  return run_program({step}, operands).numbers;
}

}  // namespace

TEST_CASE("Two values go along with each other") {
  const HostArray column{{2, 1}, {10, 20}}, row{{3}, {1, 2, 4}};
  CHECK(result_of(HostOperator::Add, {column, row}) == Reals{11, 12, 14, 21, 22, 24});
  CHECK(result_of(HostOperator::Sub, {row, column}) == Reals{-9, -8, -6, -19, -18, -16});
  CHECK(result_of(HostOperator::Mul, {column, row}) == Reals{10, 20, 40, 20, 40, 80});
  CHECK(result_of(HostOperator::Div, {column, row}) == Reals{10, 5, 2.5F, 20, 10, 5});
  CHECK(result_of(HostOperator::Max, {column, {{1}, {15}}}) == Reals{15, 20});
  CHECK(result_of(HostOperator::Min, {column, {{1}, {15}}}) == Reals{10, 15});
  CHECK(result_of(HostOperator::Pow, {row, {{1}, {3}}}) == Reals{1, 8, 64});
  CHECK(run_steps({{HostOperator::DivFrom, "", {}, {2}, {}}}, {2}, {4, -1}) == Reals{0.5F, -2});
  CHECK(run_steps({{HostOperator::Pow, "", {}, {0.5F}, {}}}, {2}, {4, 9}) == Reals{2, 3});
}

TEST_CASE("Numbers are moved") {
  const HostArray x{{2, 3}, {0, 1, 2, 3, 4, 5}};
  CHECK(result_of(HostOperator::Slice, {x}, {1, 1, 1, 2}) == Reals{1, 2, 4, 5});
  CHECK(result_of(HostOperator::Slice, {x}, {1, 2, -2, 2}) == Reals{2, 0, 5, 3});
  CHECK(result_of(HostOperator::Pick, {x}, {0, 1, 1, 0}) == Reals{3, 4, 5, 3, 4, 5, 0, 1, 2});
  CHECK(result_of(HostOperator::Pick, {x}, {1, -1, 2, -1}, {9}) == Reals{9, 2, 9, 9, 5, 9});
  CHECK(result_of(HostOperator::Concat, {x, {{2, 1}, {7, 8}}}, {1}) == Reals{0, 1, 2, 7, 3, 4, 5, 8});
  CHECK(result_of(HostOperator::Concat, {x, x}, {0}) == Reals{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
}

TEST_CASE("Sums, extremes and searches along axes") {
  const HostArray x{{2, 3}, {0, 1, 2, 3, 4, 5}};
  CHECK(result_of(HostOperator::ReduceSum, {x}, {0}) == Reals{3, 5, 7});
  CHECK(result_of(HostOperator::ReduceMean, {x}, {1}) == Reals{1, 4});
  CHECK(result_of(HostOperator::ReduceMax, {x}, {0, 1}) == Reals{5});
  CHECK(result_of(HostOperator::ReduceMin, {x}, {1}) == Reals{0, 3});
  CHECK(result_of(HostOperator::ReduceProd, {x}, {1}) == Reals{0, 60});
  CHECK(result_of(HostOperator::Blend, {x}, {1, 2, 0, 1, 2, 2}, {0.5F, 0.5F, 1, 0}) == Reals{0.5F, 2, 3.5F, 5});
  const HostArray equal{{4}, {2, 7, 7, 1}};
  CHECK(result_of(HostOperator::ArgMax, {equal}, {0, 0}) == Reals{1});
  CHECK(result_of(HostOperator::ArgMax, {equal}, {0, 1}) == Reals{2});
  CHECK(result_of(HostOperator::ArgMin, {equal}, {0, 0}) == Reals{3});
  // 1 is less than half of the last bit of 2^24, which float32 sums would lose four times.
  CHECK(result_of(HostOperator::ReduceSum, {{{5}, {16777216, 1, 1, 1, 1}}}, {0}) == Reals{16777220});
}

TEST_CASE("Products of matrices, each with each where one has no batch") {
  const HostArray a{{2, 1, 2}, {1, 2, 3, 4}}, b{{2, 2}, {1, 10, 100, 1000}};
  CHECK(result_of(HostOperator::MatMul, {a, b}) == Reals{201, 2010, 403, 4030});
  const HostArray c{{2, 2, 1}, {1, 1, 2, 2}};
  CHECK(result_of(HostOperator::MatMul, {a, c}) == Reals{3, 14});
}

TEST_CASE("Windows read what is in the image") {
  const HostArray line{{1, 1, 4}, {1, 2, 3, 4}};
  const HostArray weights{{1, 1, 3}, {1, 10, 100}}, bias{{1}, {0.5F}};
  CHECK(result_of(HostOperator::Conv, {line, weights, bias}, {1, 1, 1, 1, 4}) == Reals{210.5F, 321.5F, 432.5F, 43.5F});
  CHECK(result_of(HostOperator::Conv, {line, weights}, {1, 2, 1, 1, 2}) == Reals{210, 432});
  CHECK(result_of(HostOperator::Conv, {line, {{1, 1, 2}, {1, 10}}}, {1, 1, 2, 0, 2}) == Reals{31, 42});
  const HostArray two{{1, 2, 2}, {1, 2, 3, 4}};  // each channel its own filter
  CHECK(result_of(HostOperator::Conv, {two, {{2, 1, 1}, {10, 100}}}, {2, 1, 1, 0, 2}) == Reals{10, 20, 300, 400});
  const HostArray image{{1, 1, 2, 2}, {1, 2, 3, 4}};
  CHECK(result_of(HostOperator::Conv, {image, {{1, 1, 2, 2}, {1, 10, 100, 1000}}}, {1, 1, 1, 1, 1, 0, 0, 1, 1}) ==
        Reals{4321});
  CHECK(result_of(HostOperator::MaxPool, {line}, {2, 2, 1, 1, 1, 3}) == Reals{1, 3, 4});
  CHECK(result_of(HostOperator::AveragePool, {line}, {2, 2, 1, 1, 1, 3, 0}) == Reals{1, 2.5F, 4});
  CHECK(result_of(HostOperator::AveragePool, {line}, {2, 2, 1, 1, 1, 3, 1}) == Reals{0.5F, 2.5F, 2});
  // The last window ends beyond the padding that the node asks for: that does not count.
  CHECK(result_of(HostOperator::AveragePool, {line}, {3, 3, 1, 0, 0, 2, 1}) == Reals{2, 4});
}

TEST_CASE("Functions of the host with parameters, and what Cast leaves") {
  const HostArray x{{4}, {-4, -1, 0.5F, 4}};
  CHECK(result_of(HostOperator::LeakyRelu, {x}, {}, {0.25F}) == Reals{-1, -0.25F, 0.5F, 4});
  CHECK(result_of(HostOperator::HardSigmoid, {x}, {}, {0.25F, 0.5F}) == Reals{0, 0.25F, 0.625F, 1});
  CHECK(result_of(HostOperator::HardSwish, {{{3}, {-4, 3, 0}}}) == Reals{0, 3, 0});
  CHECK(result_of(HostOperator::Truncate, {{{4}, {-1.5F, -0.25F, 0.75F, 2.5F}}}) == Reals{-1, 0, 0, 2});
  CHECK(result_of(HostOperator::Sqrt, {{{2}, {4, 2.25F}}}) == Reals{2, 1.5F});
  CHECK(result_of(HostOperator::Exp, {{{1}, {0}}}) == Reals{1});
  CHECK(result_of(HostOperator::Tanh, {{{1}, {0}}}) == Reals{0});
}

TEST_CASE("A program reads values twice, and values that it is given beside the first one") {
  HostStep product{HostOperator::Mul, "", {}, {}, {}, {0, 0}}, sum{HostOperator::Add, "", {}, {}, {}, {2, 1}};
  const HostStep constant{HostOperator::Constant, "", {2}, {100, 200}, {}};
  HostStep last{HostOperator::Sub, "", {}, {}, {}, {4, 3}};
  CHECK(run_program({product, sum, constant, last}, {{{2}, {2, 3}}, {{2}, {10, 20}}}).numbers == Reals{86, 171});
  CHECK(run_program({}, {{{2}, {2, 3}}}).numbers == Reals{2, 3});
}
