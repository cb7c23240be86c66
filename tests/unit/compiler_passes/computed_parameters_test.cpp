// SPDX-License-Identifier: Apache-2.0
// Zero points, shifts, multipliers, tables and the constant of PAD that are graph inputs (EXT-DYNAMIC of TOSA 1.0).
#include "compiler/passes/computed_parameters.hpp"

#include "compiler/passes/program.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vernier {
namespace {

using base::ElementType;
using base::Tensor;

/// A network of one operator, the last of whose operands are parameters.
struct OneOperator {
  std::string name;
  ir::OpKind kind;
  std::vector<Tensor> operands;
  size_t first_parameter;  // operands from here on are computed or constant
  ElementType result;
  base::Shape shape;
  ir::Attributes attributes{};

  /// With the operands of `computed` as graph inputs, the others as constants.
  [[nodiscard]] ir::Graph graph(const std::set<size_t>& computed) const {
    tests::GraphBuilder b;
    std::vector<ir::TensorId> ids;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_input = i == 0 || computed.contains(i);
      ids.push_back(is_input ? b.input("x" + std::to_string(i), operands[i].type(), operands[i].shape())
                             : b.constant(operands[i]));
    }
    return b.build({b.op(kind, ids, result, shape, attributes)});
  }
  /// The values of the graph's inputs.
  [[nodiscard]] std::vector<Tensor> inputs(const std::set<size_t>& computed) const {
    std::vector<Tensor> values;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i == 0 || computed.contains(i)) values.push_back(operands[i]);
    }
    return values;
  }
  /// All parameters together, each alone, and all with the operands in front of them.
  [[nodiscard]] std::vector<std::set<size_t>> choices() const {
    std::vector<std::set<size_t>> choices(1);
    for (size_t i = first_parameter; i < operands.size(); ++i) {
      choices[0].insert(i);
      choices.push_back({i});
    }
    std::set<size_t> more = choices[0];
    for (size_t i = 1; i < first_parameter; ++i) {
      if (operands[i].type() != ElementType::Shape) more.insert(i);
    }
    choices.push_back(more);
    return choices;
  }
};

Tensor scalar(ElementType type, int64_t value) { return tests::make_tensor(type, {1}, {value}); }

constexpr auto kI4 = ElementType::Int4, kI8 = ElementType::Int8, kI16 = ElementType::Int16, kI32 = ElementType::Int32,
               kI48 = ElementType::Int48;

Tensor drawn(ElementType type, const base::Shape& shape, int64_t seed = 11) {
  return tests::random_tensor(type, shape, static_cast<uint64_t>(seed));
}
Tensor within(ElementType type, const base::Shape& shape, int64_t least, int64_t most) {
  return tests::random_tensor(type, shape, 12, least, most);
}
/// Half of the values are the least one of the type, half the greatest.
Tensor ends(ElementType type, const base::Shape& shape) {
  Tensor tensor = tests::random_tensor(ElementType::Bool, shape, 13, 0, 1), result(type, shape);
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, tensor.at(i) != 0 ? base::max_value(type) : base::min_value(type));
  return result;
}

/// Convolutions of one map, for each kind of weights, at zero points at both ends of int8.
void add_convolutions(std::vector<OneOperator>& all) {
  for (const auto& types : {std::pair{kI8, kI8}, {kI8, kI4}, {kI16, kI8}}) {
    const ElementType in = types.first, weight = types.second;  // structured bindings cannot be captured
    const ElementType sum = in == kI8 ? kI32 : kI48;
    for (const int64_t zero_point : {-128, 7, 127}) {
      const auto operands = [&](const base::Shape& x, const base::Shape& w, int64_t channels) {
        const Tensor weights = weight == kI4 ? within(kI4, w, -7, 7) : zero_point == 7 ? drawn(weight, w) : ends(weight, w);
        return std::vector<Tensor>{zero_point == 7 ? drawn(in, x) : ends(in, x), weights,
                                   within(sum, {channels}, -99999, 99999), scalar(in, in == kI8 ? zero_point : 0),
                                   scalar(weight, weight == kI8 ? zero_point : 0)};
      };
      const auto name = [&](const char* kind) {
        return fmt::format("{} {} by {}, zero points {}", kind, base::to_string(in), base::to_string(weight), zero_point);
      };
      const ir::ConvAttributes padded{{1, 1, 0, 1}, {2, 1}, {1, 1}, sum}, plain{{0, 0, 0, 0}, {1, 1}, {1, 2}, sum};
      all.push_back({name("CONV2D padded"),
                     ir::OpKind::Conv2d,
                     operands({2, 5, 5, 3}, {2, 3, 2, 3}, 2),
                     3,
                     sum,
                     {2, 3, 5, 2},
                     padded});
      all.push_back(
          {name("CONV2D"), ir::OpKind::Conv2d, operands({1, 4, 5, 17}, {5, 3, 2, 17}, 5), 3, sum, {1, 2, 3, 5}, plain});
      all.push_back({name("DEPTHWISE_CONV2D padded"),
                     ir::OpKind::DepthwiseConv2d,
                     operands({1, 5, 5, 3}, {3, 2, 3, 2}, 6),
                     3,
                     sum,
                     {1, 3, 5, 6},
                     padded});
      all.push_back({name("DEPTHWISE_CONV2D"),
                     ir::OpKind::DepthwiseConv2d,
                     operands({1, 4, 5, 9}, {3, 2, 9, 1}, 9),
                     3,
                     sum,
                     {1, 2, 3, 9},
                     plain});
      all.push_back({name("CONV3D padded"),
                     ir::OpKind::Conv3d,
                     operands({1, 3, 4, 5, 2}, {3, 2, 2, 3, 2}, 3),
                     3,
                     sum,
                     {1, 3, 5, 3, 3},
                     ir::ConvAttributes{{1, 0, 1, 1, 0, 0}, {1, 1, 1}, {1, 1, 1}, sum}});
      all.push_back({name("CONV3D"),
                     ir::OpKind::Conv3d,
                     operands({1, 3, 4, 5, 2}, {3, 2, 2, 3, 2}, 3),
                     3,
                     sum,
                     {1, 1, 3, 3, 3},
                     ir::ConvAttributes{{0, 0, 0, 0, 0, 0}, {2, 1, 1}, {2, 1, 1}, sum}});
      all.push_back({name("TRANSPOSE_CONV2D"),
                     ir::OpKind::TransposeConv2d,
                     operands({1, 3, 4, 3}, {2, 3, 2, 3}, 2),
                     3,
                     sum,
                     {1, 8, 8, 2},
                     ir::TransposeConvAttributes{{1, 0, -1, 1}, {2, 2}, sum}});
    }
  }
}

void add_rescales(std::vector<OneOperator>& all) {
  for (const ElementType in : {kI8, kI16, kI32, kI48}) {
    for (const ElementType out : {kI8, kI16, kI32}) {
      for (const bool scale32 : {true, false}) {
        for (const int sign : {0, 1, 2}) {  // signed, unsigned input, unsigned output
          const bool is_wide_in = in == kI32 || in == kI48;
          if ((scale32 && in == kI48) || (sign == 1 && (is_wide_in || out == kI32)) ||
              (sign == 2 && (out == kI32 || is_wide_in)))
            continue;
          ir::RescaleAttributes attributes;
          attributes.scale32 = scale32;
          attributes.rounding = scale32 ? spec::Rounding::Double : spec::Rounding::Single;
          attributes.per_channel = in == kI8 || in == kI48;
          attributes.input_unsigned = sign == 1;
          attributes.output_unsigned = sign == 2;
          const base::Shape count{attributes.per_channel ? 2 : 1};
          const int64_t input_zp = in == kI8 ? -100 : in == kI16 && sign == 1 ? -32768 : 0;
          const int64_t output_zp = out == kI8 ? -90 : out == kI16 && sign == 2 ? -32768 : 0;
          const Tensor multiplier = scale32 ? within(kI32, count, 1 << 28, INT32_MAX) : within(kI16, count, 1 << 13, 32767);
          all.push_back(
              {fmt::format("RESCALE {} to {} scale32 {} sign {}", base::to_string(in), base::to_string(out), scale32, sign),
               ir::OpKind::Rescale,
               {in == kI48 ? within(kI48, {3, 2}, -(int64_t{1} << 40), int64_t{1} << 40) : drawn(in, {3, 2}), multiplier,
                within(kI8, count,
                       scale32      ? 32
                       : in == kI48 ? 30
                                    : 17,
                       35),
                scalar(in, input_zp), scalar(out, output_zp)},
               1,
               out,
               {3, 2},
               attributes});
        }
      }
    }
  }
}

std::vector<OneOperator> operators() {
  const ir::PoolAttributes pool{{2, 2}, {1, 1}, {1, 0, 0, 1}, kI32};
  const Tensor padding = tests::make_tensor(ElementType::Shape, {4}, {1, 0, 2, 1});
  std::vector<OneOperator> all;
  for (const int64_t zero_point : {-128, 5, 127}) {
    const Tensor in = scalar(kI8, zero_point), out = scalar(kI8, -1 - zero_point);
    const std::string at = fmt::format(" zero points {}", zero_point);
    all.push_back({"NEGATE" + at, ir::OpKind::Negate, {drawn(kI8, {3, 5}), in, out}, 1, kI8, {3, 5}});
    all.push_back(
        {"AVG_POOL2D" + at, ir::OpKind::AvgPool2d, {ends(kI8, {1, 4, 5, 3}), in, out}, 1, kI8, {1, 4, 5, 3}, pool});
    all.push_back(
        {"MATMUL" + at, ir::OpKind::MatMul, {ends(kI8, {2, 3, 4}), drawn(kI8, {2, 4, 5}), in, out}, 2, kI32, {2, 3, 5}});
  }
  const Tensor zero16 = scalar(kI16, 0), zero32 = scalar(kI32, 0);
  all.push_back({"NEGATE int16", ir::OpKind::Negate, {ends(kI16, {3, 5}), zero16, zero16}, 1, kI16, {3, 5}});
  all.push_back({"NEGATE int32", ir::OpKind::Negate, {drawn(kI32, {3, 5}), zero32, zero32}, 1, kI32, {3, 5}});
  all.push_back(
      {"AVG_POOL2D int16", ir::OpKind::AvgPool2d, {ends(kI16, {1, 4, 5, 3}), zero16, zero16}, 1, kI16, {1, 4, 5, 3}, pool});
  all.push_back({"MATMUL int16",
                 ir::OpKind::MatMul,
                 {ends(kI16, {2, 3, 4}), drawn(kI16, {2, 4, 5}), zero16, zero16},
                 2,
                 kI48,
                 {2, 3, 5}});
  for (const int64_t shift : {0, 1, 2, 13, 31, 32, 62, 63}) {
    all.push_back({fmt::format("MUL shift {}", shift),
                   ir::OpKind::Mul,
                   {shift == 63 ? ends(kI32, {3, 5}) : drawn(kI32, {3, 5}), drawn(kI32, {1, 5}, 5), scalar(kI8, shift)},
                   2,
                   kI32,
                   {3, 5}});
  }
  for (const ElementType type : {kI8, kI16}) {
    all.push_back({"MUL " + std::string(base::to_string(type)),
                   ir::OpKind::Mul,
                   {ends(type, {3, 5}), drawn(type, {3, 1}), scalar(kI8, 0)},
                   2,
                   kI32,
                   {3, 5}});
  }
  all.push_back({"TABLE int8", ir::OpKind::Table, {drawn(kI8, {3, 5}), drawn(kI8, {256})}, 1, kI8, {3, 5}});
  all.push_back(
      {"TABLE int16", ir::OpKind::Table, {drawn(kI16, {3, 5}), within(kI16, {513}, -9999, 9999)}, 1, kI32, {3, 5}});
  for (const ElementType type : {ElementType::Bool, kI8, kI16, kI32}) {
    all.push_back({"PAD " + std::string(base::to_string(type)),
                   ir::OpKind::Pad,
                   {drawn(type, {3, 5}), padding, scalar(type, type == ElementType::Bool ? 1 : base::min_value(type))},
                   2,
                   type,
                   {4, 8}});
  }
  add_rescales(all);
  add_convolutions(all);
  return all;
}

/// What differs from the reference, by the lowered commands one after another.
std::vector<std::string> differences(const OneOperator& op, const std::set<size_t>& computed, const std::string& machine,
                                     const tests::RunOptions& options) {
  tests::RunResult result = tests::lower_and_run(op.graph(computed), op.inputs(computed), machine, options);
  if (result.elements_compared < base::num_elements(op.shape)) result.differences.emplace_back("nothing was compared");
  return std::move(result.differences);
}

TEST_CASE("a parameter that is a graph input gives what the constant gives") {
  for (const OneOperator& op : operators()) {
    INFO(op.name);
    const ir::Graph constant = op.graph({});
    for (const std::set<size_t>& computed : op.choices()) {
      INFO("computed: " << fmt::format("{}", fmt::join(computed, ", ")));
      const ir::Graph graph = op.graph(computed);
      ir::verify(graph, "f", ir::kLevel8k);
      REQUIRE(reference::run(graph, op.inputs(computed)).outputs == reference::run(constant, op.inputs({})).outputs);
      for (const int64_t optimize : {0, 1}) {
        CHECK(differences(op, computed, optimize == 0 ? "v64" : "v256", {.optimize = optimize}).empty());
      }
    }
    CHECK(differences(op, op.choices().back(), "v64", {.optimize = 1, .cut_seed = 3}).empty());
  }
}

TEST_CASE("a graph without computed zero points is equal, and legal where TOSA has its types") {
  int64_t num_rewritten = 0;
  for (const OneOperator& op : operators()) {
    INFO(op.name);
    for (const std::set<size_t>& computed : op.choices()) {
      const ir::Graph graph = op.graph(computed);
      const auto is_constant = [&](ir::TensorId id) { return graph.is_constant(id); };
      const auto plain = passes::rewrite_computed_zero_points(graph, is_constant);
      if (!plain) continue;
      CHECK(plain->num_source_tensors == graph.tensors.size());
      CHECK(plain->source_ops.size() == plain->graph.operators.size());
      const auto is_constant_here = [&](ir::TensorId id) { return plain->graph.is_constant(id); };
      for (const ir::Operator& made : plain->graph.operators) CHECK(!ir::find_computed_parameter(made, is_constant_here));
      const bool has_weights_of_16 = op.operands.size() == 5 && op.result == kI48 && computed.contains(4);
      if (has_weights_of_16) continue;  // the array's, not TOSA's
      ++num_rewritten;
      ir::verify(plain->graph, "rewritten", ir::kLevel8k);
      CHECK(reference::run(plain->graph, op.inputs(computed)).outputs == reference::run(graph, op.inputs(computed)).outputs);
    }
  }
  CHECK(num_rewritten > 100);
}

TEST_CASE("a weight zero point that int4 does not have adds no convolution") {
  for (const OneOperator& op : operators()) {
    if (op.operands.size() != 5 || op.operands[1].type() != kI4) continue;
    const ir::Graph graph = op.graph({4});
    const auto is_constant = [&](ir::TensorId id) { return graph.is_constant(id); };
    CHECK(passes::rewrite_computed_zero_points(graph, is_constant)->graph.operators.size() == 1);
  }
}

TEST_CASE("a table that is a part of a tensor is copied, one that another layer makes is not") {
  for (const bool is_part : {false, true}) {
    tests::GraphBuilder b;
    const auto x = b.input("x", kI8, {3, 5});
    const auto made = b.unary(ir::OpKind::BitwiseNot, b.input("t", kI8, {is_part ? 300 : 256}));
    const auto table = is_part ? b.slice(made, {44}, {256}) : made;
    const auto y = b.op(ir::OpKind::Table, {x, table}, kI8, {3, 5});
    const ir::Graph graph = b.build({b.op(ir::OpKind::Table, {y, table}, kI8, {3, 5})});
    const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, 4), "v256", {.optimize = 1});
    CHECK(result.differences.empty());
    int64_t copies = 0;
    for (const passes::Step& step : result.program.steps)
      copies += std::holds_alternative<spec::DmaCommand>(step.command.body) ? 1 : 0;
    CHECK(copies == (is_part ? 1 : 0));
  }
}

TEST_CASE("a CONV3D takes along the TABLE after it, whichever table another layer had first") {
  tests::GraphBuilder b;
  const auto table = [&](uint64_t seed) { return b.constant(tests::random_tensor(ElementType::Int8, {256}, seed)); };
  const auto x = b.input("x", ElementType::Int8, {1, 2, 4, 5, 3});
  const auto first = b.op(ir::OpKind::Table, {x, table(1)}, ElementType::Int8, {1, 2, 4, 5, 3});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {4, 2, 1, 1, 3}, 2));
  const auto zero = b.scalar(ElementType::Int8, 0);
  const auto sum =
      b.op(ir::OpKind::Conv3d, {first, w, b.constant(ElementType::Int32, {1}, {7}), zero, zero}, ElementType::Int32,
           {1, 1, 4, 5, 4}, ir::ConvAttributes{{0, 0, 0, 0, 0, 0}, {1, 1, 1}, {1, 1, 1}, ElementType::Int32});
  const auto scaled = b.rescale(sum, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}});
  const auto y = b.op(ir::OpKind::Table, {scaled, table(3)}, ElementType::Int8, {1, 1, 4, 5, 4});
  const ir::Graph graph = b.build({first, y});
  const tests::RunResult result = tests::lower_and_run(graph, tests::random_inputs(graph, 3), "v256", {.optimize = 1});
  CHECK(result.differences.empty());
  const auto has_table_on_array = [](const passes::Step& step) {
    return std::holds_alternative<spec::MacCommand>(step.command.body) && !step.tables.empty();
  };
  CHECK(std::ranges::count_if(result.program.steps, has_table_on_array) == 1);
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
      "NEGATE",
      ir::OpKind::Negate,
      {tests::random_tensor(ElementType::Int16, {4}, 3), scalar(ElementType::Int16, 1), scalar(ElementType::Int16, 0)},
      1,
      ElementType::Int16,
      {4}};
  const ir::Graph graph = op.graph({1, 2});
  ir::verify(graph, "f", ir::kLevel8k);
  CHECK_THROWS_WITH(reference::run(graph, op.inputs({1, 2})), Catch::Contains("input_zp is 1, for int16 it has to be 0"));
}

}  // namespace
}  // namespace vernier
