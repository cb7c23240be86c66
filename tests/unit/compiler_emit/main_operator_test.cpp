// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/main_operator.hpp"

#include "compiler/emit/layers.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <numeric>

namespace vernier::emit {
namespace {

using tests::ElementType;
using tests::GraphBuilder;
using tests::random_tensor;

/// Of all operators of the graph.
package::MainOperator main_of(const ir::Graph& graph) {
  std::vector<ir::OpId> ops(graph.operators.size());
  std::iota(ops.begin(), ops.end(), 0);
  return main_operator_of(graph, ops);
}

ir::TensorId weights(GraphBuilder& b, const base::Shape& shape) {
  return b.constant(random_tensor(ElementType::Int8, shape, 1));
}
ir::TensorId bias(GraphBuilder& b, int64_t size) { return b.constant(random_tensor(ElementType::Int32, {size}, 2)); }

TEST_CASE("a convolution gives its kernel, stride and output channels") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 9, 11, 6});
  const auto y = b.conv2d(x, weights(b, {7, 3, 5, 6}), bias(b, 7), {.stride = {2, 3}});
  CHECK(main_of(b.build({b.rescale(y, ElementType::Int8, {})})) == package::MainOperator{"CONV2D", {3, 5}, {2, 3}, 7});
}

TEST_CASE("a depthwise convolution has its kernel in front of the channels") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 9, 11, 6});
  const auto y = b.depthwise_conv2d(x, weights(b, {2, 4, 6, 3}), bias(b, 18), {});
  CHECK(main_of(b.build({y})) == package::MainOperator{"DEPTHWISE_CONV2D", {2, 4}, {1, 1}, 18});
}

TEST_CASE("transposed and three-dimensional convolutions give theirs") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 4, 4, 3});
  const auto zero = b.scalar(ElementType::Int8, 0);
  const auto y = b.op(ir::OpKind::TransposeConv2d, {x, weights(b, {5, 2, 3, 3}), bias(b, 5), zero, zero}, ElementType::Int32,
                      {1, 8, 9, 5}, ir::TransposeConvAttributes{{0, 0, 0, 0}, {2, 2}, ElementType::Int32});
  CHECK(main_of(b.build_unverified({y})) == package::MainOperator{"TRANSPOSE_CONV2D", {2, 3}, {2, 2}, 5});

  GraphBuilder c;
  const auto volume = c.input("x", ElementType::Int8, {1, 6, 7, 8, 3});
  const auto none = c.scalar(ElementType::Int8, 0);
  const auto z = c.op(ir::OpKind::Conv3d, {volume, weights(c, {4, 2, 3, 5, 3}), bias(c, 4), none, none}, ElementType::Int32,
                      {1, 3, 5, 4, 4}, ir::ConvAttributes{{0, 0, 0, 0, 0, 0}, {2, 1, 1}, {1, 1, 1}, ElementType::Int32});
  CHECK(main_of(c.build_unverified({z})) == package::MainOperator{"CONV3D", {2, 3, 5}, {2, 1, 1}, 4});
}

TEST_CASE("the operator with the most MACs is the main one, wherever it stands") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 8, 8, 4});
  const auto small = b.rescale(b.conv2d(x, weights(b, {4, 1, 1, 4}), bias(b, 4), {}), ElementType::Int8, {});
  const auto large = b.rescale(b.conv2d(small, weights(b, {9, 3, 3, 4}), bias(b, 9), {}), ElementType::Int8, {});
  CHECK(main_of(b.build({b.avg_pool2d(large, {2, 2}, {})})) == package::MainOperator{"CONV2D", {3, 3}, {1, 1}, 9});
}

TEST_CASE("without MACs a pool comes before what computes, moves and converts, and the first of equals is taken") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 8, 8, 4});
  const auto converted = b.rescale(x, ElementType::Int8, {});
  CHECK(main_of(b.build({converted})) == package::MainOperator{"RESCALE", {}, {}, 0});
  const auto moved = b.slice(converted, {0, 0, 0, 0}, {1, 6, 6, 4});
  CHECK(main_of(b.build({moved})) == package::MainOperator{"SLICE", {}, {}, 0});
  const auto computed = b.unary(ir::OpKind::Abs, b.rescale(moved, ElementType::Int32, {}));
  const auto negated = b.unary(ir::OpKind::Clz, computed);
  CHECK(main_of(b.build({negated})) == package::MainOperator{"ABS", {}, {}, 0});
  const auto pooled = b.avg_pool2d(b.rescale(negated, ElementType::Int8, {}), {3, 2}, {.stride = {1, 2}});
  CHECK(main_of(b.build({pooled})) == package::MainOperator{"AVG_POOL2D", {3, 2}, {1, 2}, 4});
  CHECK(main_of(ir::Graph{}) == package::MainOperator{});
}

TEST_CASE("a matrix product gives its columns as channels") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {2, 3, 4});
  const auto y = b.input("y", ElementType::Int8, {2, 4, 5});
  const auto zero = b.scalar(ElementType::Int8, 0);
  const auto z = b.op(ir::OpKind::MatMul, {x, y, zero, zero}, ElementType::Int32, {2, 3, 5});
  CHECK(main_of(b.build({z})) == package::MainOperator{"MATMUL", {}, {}, 5});
}

TEST_CASE("a layer's main operator may be one that was fused into it") {
  GraphBuilder b;
  b.set_location("first");
  const auto x = b.input("x", ElementType::Int8, {1, 4, 4, 16});
  const auto y = b.conv2d(x, weights(b, {16, 1, 1, 16}), bias(b, 16), {});
  b.set_location("second");
  const auto z = b.rescale(y, ElementType::Int8, {});
  const ir::Graph graph = b.build({z});
  const auto config = config::preset_config("v64", "test");
  const LayerTable table = make_layer_table(graph, passes::lower(graph, config, {}, "test"));
  REQUIRE(table.entries.size() == 1);
  CHECK(table.entries[0].main_operator == package::MainOperator{"CONV2D", {1, 1}, {1, 1}, 16});
}

}  // namespace
}  // namespace vernier::emit
