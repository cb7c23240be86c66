// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/graph.hpp"

#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using tests::ElementType;
using tests::GraphBuilder;

TEST_CASE("operator names and numbers are TOSA's") {
  CHECK(ir::to_string(ir::OpKind::ArgMax) == "ARGMAX");
  CHECK(ir::to_string(ir::OpKind::DepthwiseConv2d) == "DEPTHWISE_CONV2D");
  CHECK(ir::to_string(ir::OpKind::Sub) == "SUB");
  CHECK(ir::to_string(ir::OpKind::ReduceSum) == "REDUCE_SUM");
  CHECK(ir::to_string(ir::OpKind::Rescale) == "RESCALE");
  CHECK(ir::to_string(ir::OpKind::ConstShape) == "CONST_SHAPE");
  for (int i = 1; i <= ir::kNumOpKinds; ++i) {
    const auto kind = static_cast<ir::OpKind>(i);
    CHECK(ir::op_kind_from_name(ir::to_string(kind)) == kind);
    CHECK_FALSE((ir::is_supported(kind) && ir::is_float_only(kind)));
  }
  CHECK(ir::op_kind_from_name("UNKNOWN") == std::nullopt);
  CHECK(ir::op_kind_from_name("add") == std::nullopt);
  CHECK(ir::is_supported(ir::OpKind::Conv2d));
  CHECK(ir::is_supported(ir::OpKind::Const));
  CHECK(ir::is_supported(ir::OpKind::Variable));
  CHECK_FALSE(ir::is_supported(ir::OpKind::Custom));
}

TEST_CASE("operators of one location are one layer, the others one each") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {4});
  b.set_location("a");
  const auto p = b.unary(ir::OpKind::Clz, x);
  b.set_location("");
  const auto q = b.unary(ir::OpKind::Abs, p);
  b.set_location("b");
  const auto r = b.binary(ir::OpKind::Add, p, p);
  b.set_location("a");
  const auto s = b.binary(ir::OpKind::Sub, q, r);
  b.set_location("");
  const ir::Graph graph = b.build({b.unary(ir::OpKind::Abs, s)});
  const auto layers = ir::layers_of(graph);
  REQUIRE(layers.size() == 4);
  CHECK(layers[0].name == "a");
  CHECK(layers[0].ops == std::vector<ir::OpId>{0, 3});
  CHECK(layers[1].name == graph.tensor(q).name);
  CHECK(layers[1].ops == std::vector<ir::OpId>{1});
  CHECK(layers[2].name == "b");
  CHECK(layers[3].ops == std::vector<ir::OpId>{4});
  CHECK(graph.producers()[static_cast<size_t>(s)] == 3);
  CHECK(graph.producers()[static_cast<size_t>(x)] == -1);
  CHECK(graph.consumers()[p] == std::vector<ir::OpId>{1, 2});
}

TEST_CASE("multiply-accumulates count taps in padding") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {2, 5, 6, 4});
  const auto w = b.constant(base::Tensor(ElementType::Int8, {3, 3, 2, 4}));
  const auto y = b.conv2d(x, w, b.constant(ElementType::Int32, {3}, {1, 2, 3}), {.pad = {1, 1, 1, 0}});
  const auto d = b.constant(base::Tensor(ElementType::Int8, {3, 2, 4, 2}));
  const auto z = b.depthwise_conv2d(x, d, b.constant(ElementType::Int32, {1}, {0}), {.stride = {2, 2}});
  const ir::Graph graph = b.build({y, z});
  CHECK(graph.tensor(y).shape == base::Shape{2, 5, 6, 3});
  CHECK(ir::macs_of(graph, graph.operators[0]) == 2 * 5 * 6 * 3 * (3 * 2 * 4));
  CHECK(graph.tensor(z).shape == base::Shape{2, 2, 3, 8});
  CHECK(ir::macs_of(graph, graph.operators[1]) == 2 * 2 * 3 * 8 * (3 * 2));
}

}  // namespace vernier
