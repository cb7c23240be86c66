// SPDX-License-Identifier: Apache-2.0
// What ir::verify says of graphs whose structure, ranks or types are wrong.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using tests::complaint;
using tests::ElementType;
using tests::GraphBuilder;

namespace {

/// x -> ABS -> t -> CLZ -> y.
struct TwoOperators {
  GraphBuilder b;
  ir::TensorId x = b.input("x", ElementType::Int32, {2});
  ir::TensorId t = b.unary(ir::OpKind::Abs, x);
  ir::TensorId y = b.unary(ir::OpKind::Clz, t);
  std::string complain() { return complaint(b.build_unverified({y})); }
};

}  // namespace

TEST_CASE("structure: producers, order, numbers, names") {
  CHECK(TwoOperators().complain() == "");
  TwoOperators g;
  std::swap(g.b.graph().operators[0], g.b.graph().operators[1]);
  CHECK(g.complain() == "f: CLZ reads tensor 't1', which nothing before it produces");
  g = TwoOperators();
  g.b.graph().operators[1].outputs = {g.t};
  CHECK(g.complain() == "f: tensor 't1' has two producers, allowed is one");
  g = TwoOperators();
  g.b.graph().operators[1].inputs = {99};
  CHECK(g.complain() == "f: tensor number 99 does not exist, there are 3");
  g = TwoOperators();
  g.b.graph().operators[1].inputs = {-1};
  CHECK(g.complain() == "f: tensor number -1 does not exist, there are 3");
  g = TwoOperators();
  g.b.graph().tensors[1].name = g.b.graph().tensors[0].name;
  CHECK(g.complain() == "f: two tensors are called 'x', names are unique");
  g = TwoOperators();
  g.b.graph().operators[0].outputs.push_back(g.y);
  CHECK_THAT(g.complain(), Contains("has two producers"));
  g = TwoOperators();
  g.b.graph().operators[1].outputs.clear();
  CHECK(complaint(g.b.build_unverified({g.t})) == "f: CLZ has 0 results, needed is 1 [WrongOutputList]");
  g = TwoOperators();
  g.b.graph().operators[1].inputs.push_back(g.x);
  CHECK(g.complain() == "f: CLZ 't2': 2 operands, needed are 1 (input) [WrongInputList]");
  g = TwoOperators();
  g.b.graph().operators[1].attributes = ir::AxisAttributes{};
  CHECK(g.complain() == "f: CLZ 't2': it carries the attributes of another operator [WrongAttribute]");
  g = TwoOperators();
  g.b.graph().operators[1].kind = ir::OpKind::Variable;
  CHECK_THAT(g.complain(), Contains("operator VARIABLE is not there yet, supported are"));
  g = TwoOperators();
  g.b.graph().operators[1].kind = ir::OpKind::Const;
  CHECK_THAT(g.complain(), Contains("operator CONST is not there yet"));
}

TEST_CASE("a tensor may be an output twice, and an input an output") {
  TwoOperators g;
  CHECK(complaint(g.b.build_unverified({g.y, g.x, g.y, g.t})) == "");
  CHECK(complaint(g.b.build_unverified({})) == "f: the graph has no outputs, at least one is needed");
}

TEST_CASE("the place of an error includes the location") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {2});
  b.set_location("net/layer");
  const auto y = b.op(ir::OpKind::Abs, {x}, ElementType::Int32, {3});
  CHECK(complaint(b.build_unverified({y})) ==
        "f: ABS 't1' at 'net/layer': the result is declared [3], the operands give [2] [DimensionMismatch]");
}

TEST_CASE("shapes and constants of tensors") {
  TwoOperators g;
  const auto set_shape = [&](const base::Shape& shape) {
    for (ir::TensorInfo& tensor : g.b.graph().tensors) tensor.shape = shape;
    const std::string lines = g.complain();  // one for each of the three tensors
    return lines.substr(0, lines.find('\n'));
  };
  CHECK(set_shape({1, 1, 1, 1, 1, 1}) == "");
  CHECK(set_shape({}) == "");
  CHECK(set_shape({1, 1, 1, 1, 1, 1, 1}) == "f: tensor 'x' has rank 7, level 8K allows 0 to 6 [WrongRank]");
  CHECK(set_shape({-1}) == "f: tensor 'x' [-1] has a dimension of -1, allowed are 1 to 2147483647");
  CHECK(set_shape({1, 0}) == "f: tensor 'x' [1, 0] has a dimension of 0, allowed are 1 to 2147483647");
  CHECK(set_shape({int64_t{1} << 31}) ==
        "f: tensor 'x' [2147483648] has a dimension of 2147483648, allowed are 1 to 2147483647");
  CHECK(set_shape({1 << 29}) ==
        "f: the size of tensor 'x' [536870912] overflows, level 8K allows less than 2^31 bytes [MaxTensorSizeExceeded]");
  CHECK(set_shape({(1 << 29) - 1}) == "");
  GraphBuilder b;
  const auto c = b.constant(ElementType::Int8, {2}, {1, 2});
  b.graph().tensors[0].shape = {3};
  CHECK(complaint(b.build_unverified({c})) == "f: constant 't0' is declared int8 [3], its value is int8 [2]");
}

TEST_CASE("types outside the table") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {2});
  CHECK(complaint(b.build_unverified({b.binary(ir::OpKind::Add, x, x)})) ==
        "f: ADD 't1': the types are int8 int8 -> int8, allowed are int32 int32 -> int32 [WrongInputType]");

  GraphBuilder narrow;
  const auto image = narrow.input("x", ElementType::Int8, {1, 2, 2, 1});
  const auto weight = narrow.constant(base::Tensor(ElementType::Int4, {1, 1, 1, 1}));
  const auto sum = narrow.constant(base::Tensor(ElementType::Int32, {1}));
  CHECK(complaint(narrow.build_unverified({narrow.conv2d(image, weight, sum, {})})).empty());
  GraphBuilder zero_point;
  const auto x4 = zero_point.input("x", ElementType::Int8, {1, 2, 2, 1});
  const auto w4 = zero_point.constant(base::Tensor(ElementType::Int4, {1, 1, 1, 1}));
  const auto b4 = zero_point.constant(base::Tensor(ElementType::Int32, {1}));
  CHECK_THAT(complaint(zero_point.build_unverified({zero_point.conv2d(x4, w4, b4, {.other_zp = 1})})),
             Contains("weight_zp is 1, for int4 it has to be 0 [WeightZeroPointNotZero]"));

  GraphBuilder bias;
  const auto image8 = bias.input("x", ElementType::Int8, {1, 2, 2, 1});
  const auto weight8 = bias.constant(base::Tensor(ElementType::Int8, {1, 1, 1, 1}));
  const auto z = bias.depthwise_conv2d(image8, weight8, bias.constant(base::Tensor(ElementType::Int8, {1})), {});
  CHECK_THAT(complaint(bias.build_unverified({z})),
             Contains("the types are int8 int8 int8 int8 int8 -> int32, allowed are int8 int8 int32 int8 int8 -> int32; ") &&
                 EndsWith(" [WrongBiasType]"));
}

TEST_CASE("ranks outside the table") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {});
  CHECK(complaint(b.build_unverified({b.op(ir::OpKind::ReduceSum, {x}, ElementType::Int32, {}, ir::AxisAttributes{0})})) ==
        "f: REDUCE_SUM 't1': input 'x' [] has rank 0, needed is 1 or more [WrongRank]");
  GraphBuilder pool;
  const auto image = pool.input("x", ElementType::Int8, {2, 2, 1});
  const auto zp = pool.scalar(ElementType::Int8, 0);
  const auto y = pool.op(ir::OpKind::AvgPool2d, {image, zp, zp}, ElementType::Int8, {2, 2, 1}, ir::PoolAttributes{});
  CHECK(complaint(pool.build_unverified({y})) ==
        "f: AVG_POOL2D 't2': input 'x' [2, 2, 1] has rank 3, needed is 4 [WrongRank]");
}

TEST_CASE("operands that have to be constants, and those that may be computed") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {2});
  const auto shift = b.input("s", ElementType::Int8, {1});
  CHECK(complaint(b.build_unverified({b.op(ir::OpKind::Reshape, {x, shift}, ElementType::Int32, {2})})) ==
        "f: RESHAPE 't2': shape 's' is computed while running, it has to be a constant [ComputedOperand]");
  GraphBuilder multiplication;
  const auto y = multiplication.input("x", ElementType::Int32, {2});
  const auto by = multiplication.input("s", ElementType::Int8, {1});
  const ir::Graph graph =
      multiplication.build_unverified({multiplication.op(ir::OpKind::Mul, {y, y, by}, ElementType::Int32, {2})});
  CHECK(complaint(graph).empty());
  const auto is_known = [&](ir::TensorId id) { return graph.is_constant(id); };
  CHECK(ir::find_computed_parameter(graph.operators[0], is_known) == 2);
  CHECK(ir::operand_name(ir::OpKind::Mul, 2) == "shift");
}

}  // namespace vernier
