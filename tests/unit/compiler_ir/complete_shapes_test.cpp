// SPDX-License-Identifier: Apache-2.0
// Dimensions that a file leaves open (-1): what follows, from what, and what is refused.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier {

using Catch::Matchers::StartsWith;
using ir::OpKind;
using tests::ElementType;
using tests::GraphBuilder;
using tests::Shape;

namespace {

std::string refusal(ir::Graph graph, const ir::OpenShapes& open = {}) {
  try {
    ir::complete_shapes(graph, "f", ir::kLevel8k, open);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

/// Completed and verified.
ir::Graph completed(ir::Graph graph, const ir::OpenShapes& open = {}) {
  ir::complete_shapes(graph, "f", ir::kLevel8k, open);
  CHECK(tests::complaint(graph) == "");
  return graph;
}

const Shape& shape_of(const ir::Graph& graph, const std::string& name) {
  for (const ir::TensorInfo& tensor : graph.tensors) {
    if (tensor.name == name) return tensor.shape;
  }
  FAIL("no tensor " << name);
  throw;
}

/// x int8[-1, 4, 6] -> RESHAPE to `operand` -> y, declared `declared`.
ir::Graph reshaped(const Shape& operand, const Shape& declared, const Shape& input = {-1, 4, 6}) {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, input);
  const auto shape = b.constant(ElementType::Shape, {static_cast<int64_t>(operand.size())}, operand, "s");
  const auto y = b.op(OpKind::Reshape, {x, shape}, ElementType::Int8, declared);
  b.graph().tensors[y].name = std::string("y");
  return b.build_unverified({y});
}

}  // namespace

TEST_CASE("the first dimension of an input is 1, or the batch that is asked for, or what is known of it") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {-1, 3}), z = b.input("z", ElementType::Int32, {-1, 3});
  const auto y = b.op(OpKind::Add, {x, z}, ElementType::Int32, {-1, 3});
  ir::Graph graph = b.build_unverified({y});
  CHECK(completed(graph).tensor(y).shape == Shape{1, 3});
  CHECK(completed(graph, {5, {}}).tensor(y).shape == Shape{5, 3});
  CHECK(completed(graph, {{}, {{7, 3}, {7, 3}}}).tensor(y).shape == Shape{7, 3});
  CHECK(ir::complete_shapes(graph, "f", ir::kLevel8k, {}).open_inputs == std::vector<std::string>{"x", "z"});
  CHECK(ir::complete_shapes(graph, "f", ir::kLevel8k, {}).open_inputs.empty());  // nothing is open any more
}

TEST_CASE("what was open is a change, be it in an input, a result or an operand") {
  const auto has_changes = [](ir::Graph graph) { return ir::complete_shapes(graph, "f", ir::kLevel8k, {}).has_changes; };
  for (const int64_t batch : {-1, 1}) {
    for (const int64_t result : {-1, 1}) {
      for (const int64_t operand : {-1, 1}) {
        GraphBuilder b;
        const auto x = b.input("x", ElementType::Int32, {batch, 3});
        const auto y = b.op(OpKind::Reshape, {x, b.shape({operand, 1, 3})}, ElementType::Int32, {result, 1, 3});
        const auto z = b.op(OpKind::Slice, {y, b.shape({0, 0, 0}), b.shape({1, operand, 3})}, ElementType::Int32, {1, 1, 3});
        CHECK(has_changes(b.build_unverified({z})) == (batch == -1 || result == -1 || operand == -1));
      }
    }
  }
  GraphBuilder b;  // an offset of -1 is a number like any other
  const auto x = b.input("x", ElementType::Int8, {1, 2, 2, 1});
  const auto y = b.op(OpKind::Resize, {x, b.shape({2, 2, 2, 2}), b.shape({-1, -1}), b.shape({-1, -1})}, ElementType::Int8,
                      {1, 2, 2, 1}, ir::ResizeAttributes{false});
  CHECK_FALSE(has_changes(b.build({y})));
}

TEST_CASE("a batch for a network that leaves nothing open has to be the one that it has") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {2, 3});
  const ir::Graph graph = b.build({b.unary(OpKind::Abs, x)});
  CHECK(refusal(graph, {2, {}}) == "");
  CHECK(refusal(graph, {4, {}}) ==
        "f: dimension 0 of graph input 'x' is 2; --batch 4 is for a dimension that the network leaves open (-1)");
  CHECK(
      refusal(reshaped({-1, 24}, {-1, 24}, {2, -1, 6})) ==
      "f: dimension 1 of graph input 'x' is open (-1), allowed without --shape is the first one only: --shape x=AxBxC gives "
      "the sizes");
}

TEST_CASE("RESHAPE: what its operand leaves open follows from the number of elements") {
  CHECK(shape_of(completed(reshaped({-1, 24}, {-1, 24})), "y") == Shape{1, 24});
  const ir::Graph graph = completed(reshaped({-1, 8}, {-1, -1}), {2, {}});
  CHECK(shape_of(graph, "y") == Shape{6, 8});
  CHECK(graph.tensors.size() == 3);  // the completed operand has taken the place and the name of the open one
  CHECK(graph.tensor(graph.operators[0].inputs[1]).name == "s");
  CHECK(shape_of(completed(reshaped({1, 24}, {-1, 24})), "y") == Shape{1, 24});
  CHECK(shape_of(completed(reshaped({-1, -1, 3}, {-1, 4, 3}), {5, {}}), "y") == Shape{10, 4, 3});

  CHECK(refusal(reshaped({1, 24}, {-1, 24}), {2, {}}) ==
        "f: dimension 0 of the shape 's' [1, 24] of RESHAPE does not follow: its input 'x' [2, 4, 6] has 48 elements with "
        "--batch 2");
  CHECK(refusal(reshaped({5, -1}, {5, -1})) ==
        "f: dimension 1 of the shape 's' [5, -1] of RESHAPE does not follow: its input 'x' [1, 4, 6] has 24 elements");
  CHECK(refusal(reshaped({-1, -1}, {-1, -1})) ==
        "f: dimension 1 of the shape 's' of RESHAPE is open (-1), and so is another one");
  CHECK(refusal(reshaped({-1, 0}, {-1, 24})) ==
        "f: dimension 1 of the shape 's' of RESHAPE is 0, allowed are 1 to 2147483647");
  CHECK(refusal(reshaped({-1, -7}, {-1, 24})) ==
        "f: dimension 1 of the shape 's' of RESHAPE is -7, allowed are 1 to 2147483647");
  CHECK(refusal(reshaped({2147483647, 2147483647, 2147483647, -1}, {-1, -1, -1, -1})) != "");
  CHECK(refusal(reshaped({-1, 24}, {-1, 12})) == "f: dimension 1 of tensor 'y' is declared 12, RESHAPE gives 24");
  CHECK(refusal(reshaped({-1, 24}, {1, 24}), {2, {}}) ==
        "f: dimension 0 of tensor 'y' is declared 1, RESHAPE gives 2 with --batch 2");
  CHECK(refusal(reshaped({-1, 24}, {-1, 4, 6})) == "f: tensor 'y' is declared [-1, 4, 6], RESHAPE gives [1, 24]");
}

TEST_CASE("RESHAPE: a batch does not slip into another dimension") {
  CHECK(shape_of(completed(reshaped({1, -1}, {1, -1})), "y") == Shape{1, 24});
  CHECK(refusal(reshaped({1, -1}, {1, -1}), {2, {}}) ==
        "f: dimension 0 of the shape 's' [1, -1] of RESHAPE is 1, the batch of its input 'x' is 2: it has to be 2 or open "
        "(-1)");
  CHECK(shape_of(completed(reshaped({2, -1}, {2, -1}), {2, {}}), "y") == Shape{2, 24});
}

TEST_CASE("operators that share a shape operand get one each where the values differ") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {-1, 4}), z = b.input("z", ElementType::Int8, {6, 4});
  const auto shape = b.constant(ElementType::Shape, {2}, {-1, 2}, "s");
  const auto first = b.op(OpKind::Reshape, {x, shape}, ElementType::Int8, {-1, 2});
  const auto second = b.op(OpKind::Reshape, {z, shape}, ElementType::Int8, {-1, 2});
  const auto third = b.op(OpKind::Reshape, {x, shape}, ElementType::Int8, {-1, -1});
  const ir::Graph graph = completed(b.build_unverified({first, second, third}), {3, {}});
  const auto operand = [&](size_t op) { return graph.operators[op].inputs[1]; };
  CHECK(operand(0) == operand(2));
  CHECK(operand(0) != operand(1));
  CHECK(graph.tensors.size() == 7);
  CHECK(graph.tensor(graph.outputs[0]).shape == Shape{6, 2});
  CHECK(graph.tensor(graph.outputs[1]).shape == Shape{12, 2});
  const std::set<std::string> names{graph.tensor(operand(0)).name, graph.tensor(operand(1)).name};
  CHECK(names == std::set<std::string>{"s", "s_2"});
}

TEST_CASE("SLICE: a size of -1 is all that is left") {
  const auto sliced = [](const Shape& start, const Shape& size, const Shape& declared, const Shape& input = {-1, 8}) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, input);
    const auto from = b.shape(start);
    const auto sizes = b.constant(ElementType::Shape, {2}, size, "s");
    const auto y = b.op(OpKind::Slice, {x, from, sizes}, ElementType::Int8, declared);
    return b.build_unverified({y});
  };
  const auto result = [](const ir::Graph& graph) { return graph.tensor(graph.outputs[0]).shape; };
  CHECK(result(completed(sliced({0, 3}, {-1, -1}, {-1, -1}), {4, {}})) == Shape{4, 5});
  CHECK(result(completed(sliced({0, 0}, {1, 8}, {-1, 8}))) == Shape{1, 8});
  CHECK(result(completed(sliced({1, 0}, {1, 8}, {1, 8}), {4, {}})) == Shape{1, 8});  // a choice of one, declared so
  CHECK(refusal(sliced({0, 0}, {1, 8}, {-1, 8}), {4, {}}) ==
        "f: dimension 0 of the size 's' [1, 8] of SLICE is 1, the batch of its input 'x' is 4: it has to be 4 or open (-1)");
  CHECK_THAT(refusal(sliced({0, 8}, {-1, -1}, {-1, -1})), StartsWith("f: SLICE 't3': size is -1, allowed are 1 to "));
  CHECK_THAT(refusal(sliced({0, -1}, {-1, -1}, {-1, -1})), StartsWith("f: SLICE 't3': start is -1, allowed are 0 to "));
  CHECK_THAT(refusal(sliced({0, 0}, {-1, -2}, {-1, -1})), StartsWith("f: SLICE 't3': size is -2, allowed are 1 to "));
}

TEST_CASE("operands that hold the batch of the export are refused by name") {
  const auto matmul = [](const Shape& weight) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {-1, 2, 3});
    const auto w = b.constant(base::Tensor(ElementType::Int8, weight), "w");
    const auto zero = b.scalar(ElementType::Int8, 0);
    return b.build_unverified({b.op(OpKind::MatMul, {x, w, zero, zero}, ElementType::Int32, {-1, 2, 5})});
  };
  CHECK(refusal(matmul({1, 3, 5})) == "");
  CHECK(refusal(matmul({1, 3, 5}), {2, {}}) == "f: dimension 0 of tensor 'w' is 1, MATMUL needs 2 with --batch 2");
  CHECK(refusal(matmul({2, 3, 5}), {2, {}}) == "");
  const auto add = [](const Shape& constant) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int32, {-1, 2});
    const auto c = b.constant(base::Tensor(ElementType::Int32, constant), "c");
    return b.build_unverified({b.op(OpKind::Add, {c, x}, ElementType::Int32, {-1, 2})});
  };
  CHECK(refusal(add({1, 2}), {3, {}}) == "");
  CHECK(refusal(add({2, 2}), {3, {}}) == "f: dimension 0 of tensor 'c' is 2, ADD needs 3 with --batch 3");
  CHECK_THAT(refusal(add({1, 3}), {3, {}}),
             StartsWith("f: ADD 't2': operands of shapes [1, 3] and [3, 2] do not broadcast"));
  const auto concat = [](int64_t axis) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {-1, 2});
    const auto c = b.constant(base::Tensor(ElementType::Int8, {1, 2}), "c");
    return b.build_unverified({b.op(OpKind::Concat, {x, c}, ElementType::Int8, {-1, -1}, ir::AxisAttributes{axis})});
  };
  CHECK(refusal(concat(0), {2, {}}) == "");
  CHECK(refusal(concat(1), {2, {}}) == "f: dimension 0 of tensor 'c' is 1, CONCAT needs 2 with --batch 2");
}

TEST_CASE("a dimension that was left open, and is 1, goes with any other: the batch has come to lie elsewhere") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {-1});
  const auto shape = b.constant(ElementType::Shape, {2}, {-1, 3}, "s");
  const auto row = b.op(OpKind::Reshape, {x, shape}, ElementType::Int8, {-1, 3});
  const auto c = b.constant(base::Tensor(ElementType::Int8, {16, 3}), "c");
  const auto y = b.op(OpKind::LogicalLeftShift, {row, c}, ElementType::Int8, {-1, -1});
  b.graph().tensors[y].name = std::string("y");
  CHECK(shape_of(completed(b.build_unverified({y}), {3, {}}), "y") == Shape{16, 3});
}

TEST_CASE("what is wrong in an open network is said as in any other") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {-1, 3});
  CHECK_THAT(refusal(b.build_unverified({b.op(OpKind::Abs, {x, x}, ElementType::Int32, {-1, 3})})),
             StartsWith("f: ABS 't1': 2 operands, needed are 1"));
  GraphBuilder types;
  const auto y = types.input("x", ElementType::Int8, {-1, 3});
  CHECK_THAT(refusal(types.build_unverified({types.op(OpKind::Abs, {y}, ElementType::Int8, {-1, 3})})),
             StartsWith("f: ABS 't1': the types are int8 -> int8, allowed are "));
  GraphBuilder large;
  const auto z = large.input("x", ElementType::Int32, {-1, 1 << 20});
  CHECK(refusal(large.build_unverified({large.unary(OpKind::Abs, z)}), {1 << 9, {}}) ==
        "f: the size of tensor 'x' [512, 1048576] overflows, level 8K allows less than 2^31 bytes [MaxTensorSizeExceeded]");
}

}  // namespace vernier
