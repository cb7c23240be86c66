// SPDX-License-Identifier: Apache-2.0
// Zero points, shifts, multipliers, tables and the constant of PAD that are graph inputs (EXT-DYNAMIC of TOSA 1.0).
#include "compiler/passes/program.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace vernier {
namespace {

using base::ElementType;
using base::Tensor;

/// A network of one operator, the last of whose operands are parameters.
struct OneOperator {
  ir::OpKind kind;
  std::vector<Tensor> operands;
  size_t first_parameter;  // operands from here on are computed or constant
  ElementType result;
  base::Shape shape;
  ir::Attributes attributes{};

  /// With parameters as graph inputs, or as constants.
  [[nodiscard]] ir::Graph graph(bool is_computed) const {
    tests::GraphBuilder b;
    std::vector<ir::TensorId> ids;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_input = operands[i].type() != ElementType::Shape && (i < first_parameter || is_computed);
      ids.push_back(is_input ? b.input("x" + std::to_string(i), operands[i].type(), operands[i].shape())
                             : b.constant(operands[i]));
    }
    return b.build({b.op(kind, ids, result, shape, attributes)});
  }
  /// The values of the graph's inputs.
  [[nodiscard]] std::vector<Tensor> inputs(bool is_computed) const {
    std::vector<Tensor> values;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].type() != ElementType::Shape && (i < first_parameter || is_computed)) values.push_back(operands[i]);
    }
    return values;
  }
};

Tensor scalar(ElementType type, int64_t value) { return tests::make_tensor(type, {1}, {value}); }

std::vector<OneOperator> operators() {
  constexpr auto kI8 = ElementType::Int8, kI32 = ElementType::Int32;
  const auto drawn = [](ElementType type, const base::Shape& shape) { return tests::random_tensor(type, shape, 11); };
  const auto small = [](ElementType type, const base::Shape& shape, int64_t least, int64_t most) {
    return tests::random_tensor(type, shape, 12, least, most);
  };
  const ir::ConvAttributes conv{{1, 1, 0, 1}, {1, 1}, {1, 1}, kI32};
  const ir::PoolAttributes pool{{2, 2}, {1, 1}, {1, 0, 0, 1}, kI32};
  ir::RescaleAttributes per_channel;
  per_channel.per_channel = true;
  return {
      {ir::OpKind::Negate, {drawn(kI8, {3, 5}), scalar(kI8, -7), scalar(kI8, 9)}, 1, kI8, {3, 5}},
      {ir::OpKind::Mul, {drawn(kI32, {3, 5}), drawn(kI32, {1, 5}), scalar(kI8, 13)}, 2, kI32, {3, 5}},
      {ir::OpKind::Table, {drawn(kI8, {3, 5}), drawn(kI8, {256})}, 1, kI8, {3, 5}},
      {ir::OpKind::Pad,
       {drawn(kI8, {3, 5}), tests::make_tensor(ElementType::Shape, {4}, {1, 0, 2, 1}), scalar(kI8, 42)},
       1,
       kI8,
       {4, 8}},
      {ir::OpKind::Rescale,
       {drawn(kI8, {3, 2}), small(kI32, {2}, 1 << 28, 1 << 30), small(kI8, {2}, 30, 34), scalar(kI8, 4), scalar(kI8, -5)},
       1,
       kI8,
       {3, 2},
       per_channel},
      {ir::OpKind::AvgPool2d, {drawn(kI8, {1, 4, 5, 3}), scalar(kI8, 6), scalar(kI8, -8)}, 1, kI8, {1, 4, 5, 3}, pool},
      {ir::OpKind::MatMul,
       {drawn(kI8, {2, 3, 4}), drawn(kI8, {2, 4, 5}), scalar(kI8, 6), scalar(kI8, -8)},
       2,
       kI32,
       {2, 3, 5}},
      {ir::OpKind::Conv2d,
       {drawn(kI8, {1, 4, 5, 3}), drawn(kI8, {2, 3, 2, 3}), small(kI32, {2}, -99, 99), scalar(kI8, 6), scalar(kI8, -8)},
       3,
       kI32,
       {1, 4, 5, 2},
       conv},
  };
}

TEST_CASE("a parameter that is a graph input gives what the constant gives, and the NPU names it") {
  for (const OneOperator& op : operators()) {
    INFO(to_string(op.kind));
    const ir::Graph computed = op.graph(true), constant = op.graph(false);
    ir::verify(computed, "f", ir::kLevel8k);
    CHECK(reference::run(computed, op.inputs(true)).outputs == reference::run(constant, op.inputs(false)).outputs);
    const config::MachineConfig config = config::preset_config("v256", "test");
    CHECK_NOTHROW(passes::lower(constant, config, {1}, "f"));
    CHECK_THROWS_WITH(passes::lower(computed, config, {1}, "f"),
                      Catch::Contains("is computed while running, which is not there yet on the NPU"));
  }
}

TEST_CASE("a parameter that is computed from constants is one") {
  tests::GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {3, 5});
  const auto zero_point = b.unary(ir::OpKind::Identity, b.scalar(ElementType::Int8, -7));
  const ir::Graph graph =
      b.build({b.op(ir::OpKind::Negate, {x, zero_point, b.scalar(ElementType::Int8, 9)}, ElementType::Int8, {3, 5})});
  ir::verify(graph, "f", ir::kLevel8k);
  CHECK_NOTHROW(passes::lower(graph, config::preset_config("v256", "test"), {1}, "f"));
}

TEST_CASE("an ERROR_IF about a computed parameter is met while running") {
  const OneOperator op{
      ir::OpKind::Negate,
      {tests::random_tensor(ElementType::Int16, {4}, 3), scalar(ElementType::Int16, 1), scalar(ElementType::Int16, 0)},
      1,
      ElementType::Int16,
      {4}};
  const ir::Graph graph = op.graph(true);
  ir::verify(graph, "f", ir::kLevel8k);
  CHECK_THROWS_WITH(reference::run(graph, op.inputs(true)), Catch::Contains("input_zp is 1, for int16 it has to be 0"));
}

}  // namespace
}  // namespace vernier
