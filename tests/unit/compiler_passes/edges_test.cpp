// SPDX-License-Identifier: Apache-2.0
// The edges of a graph (outputs that are inputs, constants, views, or listed twice), what is folded and why, how operators
// gather in commands, and what is refused.
#include "compiler/passes/loop_nest.hpp"
#include "compiler/passes/mac_chain.hpp"
#include "compiler/passes/microprogram.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/package/command_codec.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace vernier {
namespace {

using base::ElementType;
using ir::OpKind;
using tests::GraphBuilder;

tests::RunResult run(const ir::Graph& graph, int64_t optimize) {
  tests::RunResult result = tests::lower_and_run(graph, tests::random_inputs(graph, 3), "v256", {optimize, 0});
  CHECK(result.differences == std::vector<std::string>{});
  return result;
}

std::map<std::string, std::string> folded(const tests::RunResult& result) {
  std::map<std::string, std::string> reasons;
  for (const package::FoldedTensor& tensor : result.program.folded) reasons[tensor.name] = tensor.reason;
  return reasons;
}

/// conv -> RESCALE -> CLAMP, rows and columns as in x.
ir::TensorId make_layer(GraphBuilder& b, ir::TensorId x, int64_t channels = 16) {
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {channels, 3, 3, b.shape_of(x)[3]}, 1));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {channels}, 2, -1000, 1000));
  GraphBuilder::Window window;
  window.pad = {1, 1, 1, 1};
  const auto acc = b.conv2d(x, w, bias, window);
  return b.clamp(b.rescale(acc, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}}), -100, 100);
}

TEST_CASE("a convolution takes its epilogue along, unless its inner results are needed") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 6, 6, 16});
  const auto y = make_layer(b, x);
  const auto z = b.table(y, b.constant(tests::random_tensor(ElementType::Int8, {256}, 9)));
  const ir::Graph fused = b.build({z});
  CHECK(run(fused, 1).program.steps.size() == 1);
  CHECK(folded(run(fused, 1)).at(fused.tensor(y).name).find("fused into CONV2D") == 0);
  CHECK(run(fused, 0).program.steps.size() == 4);
  CHECK(run(b.build({y, z}), 1).program.steps.size() == 2);
  CHECK(run(b.build({fused.operators[0].outputs[0], z}), 1).program.steps.size() == 2);
}

TEST_CASE("inner feature maps lie in planes whose rows are not 0 or 4 banks apart") {
  for (const int64_t columns : {5, 8, 12, 14, 16, 96}) {
    for (const ElementType type : {ElementType::Int8, ElementType::Int16}) {
      const base::Shape shape{1, 3, columns, 64};
      const int64_t element = base::stored_bytes(type);
      const package::Placement planes = passes::planes_placement(shape, type, 16);
      CHECK(planes.strides_bytes[2] == 16 * element);
      CHECK(planes.strides_bytes[1] / 16 % 4 != 0);
      CHECK(planes.strides_bytes[1] >= columns * 16 * element);
      CHECK(planes.block_pitch_bytes == 3 * planes.strides_bytes[1]);
      CHECK(passes::has_planes(planes, shape, type));
      for (const int64_t stride : {1, 2}) {
        const int64_t row_words = passes::planes_placement(shape, type, 16, stride).strides_bytes[1] / 16;
        CHECK(row_words >= columns * element);
        CHECK(row_words < columns * element + spec::kNumSramBanks);
        if (type == ElementType::Int16) continue;
        CHECK((row_words % spec::kNumSramBanks == 3 || (stride == 1 && row_words % spec::kNumSramBanks == 5)));
      }
    }
  }
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 6, 6, 3});
  const auto inner = make_layer(b, x, 32);
  const auto y = make_layer(b, inner);
  const auto result = run(b.build({y}), 1);
  CHECK(result.program.places[inner]->placement.channel_block == 16);
  CHECK(result.program.places[inner]->placement.strides_bytes[1] == 6 * 16);
  CHECK(passes::is_dense(result.program.places[y]->placement, {1, 6, 6, 16}, ElementType::Int8));
}

TEST_CASE("outputs may be inputs, constants, views, or listed twice") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {4, 6});
  const auto c = b.constant(tests::random_tensor(ElementType::Int32, {4, 6}, 5));
  const auto sum = b.binary(OpKind::Add, x, c);
  const auto flat = b.reshape(sum, {24});
  const auto part = b.slice(x, {1, 2}, {2, 3});
  const auto folded_constant = b.reshape(c, {24});
  const auto same = b.unary(OpKind::Identity, x);
  const auto twice = b.binary(OpKind::Add, sum, sum);
  const ir::Graph graph = b.build({x, c, sum, flat, part, folded_constant, same, twice, sum});
  for (const int64_t optimize : {0, 1}) {
    const auto result = run(graph, optimize);
    CHECK(result.program.folded.empty());
    const auto& in = *result.program.places[x];
    CHECK(result.program.buffers[in.buffer].is_filled_at_start);
    CHECK(result.program.buffers[in.buffer].is_read_at_end);
  }
}

TEST_CASE("renamings and parts cost no command inside, and are copies where nothing is optimized") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {4, 6, 8});
  const auto a = b.unary(OpKind::Abs, x);
  const auto flat = b.reshape(a, {24, 8});
  const auto part = b.slice(flat, {2, 1}, {20, 5});
  const auto y = b.unary(OpKind::Clz, part);
  const auto unused = b.unary(OpKind::Clz, a);
  const ir::Graph graph = b.build({y});
  const auto result = run(graph, 1);
  CHECK(result.program.steps.size() == 2);
  CHECK(folded(result).at(graph.tensor(flat).name) == "alias of " + graph.tensor(a).name + " (RESHAPE)");
  CHECK(folded(result).at(graph.tensor(part).name) == "part of " + graph.tensor(flat).name + " (SLICE)");
  CHECK(folded(result).at(graph.tensor(unused).name) == "unused");
  const auto plain = run(graph, 0);
  CHECK(plain.program.steps.size() == 5);
  CHECK(plain.program.folded.empty());
}

TEST_CASE("a residual addition is one command") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 4, 4, 16}), y = b.input("y", ElementType::Int8, {1, 4, 4, 16});
  const GraphBuilder::Scale up{.multipliers = {1 << 30}, .shifts = {20}}, down{.multipliers = {1 << 30}, .shifts = {42}};
  const auto left = b.rescale(b.rescale(x, ElementType::Int32, up), ElementType::Int32, {});
  const auto right = b.rescale(y, ElementType::Int32, up);
  const auto z = b.clamp(b.rescale(b.binary(OpKind::Add, left, right), ElementType::Int8, down), -100, 90);
  const auto result = run(b.build({z}), 1);
  CHECK(result.program.steps.size() == 1);
  CHECK(result.program.steps[0].can_split_rows);
}

TEST_CASE("a rescale by a power of two is a shift in the load path, where every value of the type fits 32 bits") {
  struct Case {
    ElementType type;
    int32_t multiplier;
    int8_t shift;
    int32_t zero_point;
    bool is_shift;
  };
  for (const Case& c : {Case{ElementType::Int8, 1 << 30, 10, -3, true}, Case{ElementType::Int8, 1 << 30, 30, 0, true},
                        Case{ElementType::Int8, 1 << 30, 6, 0, true},    // -128 x 2^24 is the least of 32 bits
                        Case{ElementType::Int8, 1 << 30, 6, 1, false},   // -129 x 2^24 is not in it
                        Case{ElementType::Int8, 1 << 30, 31, 0, false},  // a half has to be rounded
                        Case{ElementType::Int8, 3 << 28, 10, 0, false}, Case{ElementType::Int16, 1 << 30, 14, 0, true},
                        Case{ElementType::Int16, 1 << 30, 13, 0, false}}) {
    GraphBuilder b;
    const auto x = b.input("x", c.type, {40}), y = b.input("y", ElementType::Int32, {40});
    const auto scaled =
        b.rescale(x, ElementType::Int32, {.multipliers = {c.multiplier}, .shifts = {c.shift}, .input_zp = c.zero_point});
    const auto result = run(b.build({b.binary(OpKind::BitwiseXor, scaled, y)}), 1);
    const auto& steps = std::get<spec::VectorCommand>(result.program.steps.at(0).command.body).steps;
    const auto rescales = std::count_if(steps.begin(), steps.end(),
                                        [](const spec::VectorStep& step) { return step.op == spec::VectorOp::Rescale; });
    CAPTURE(base::to_string(c.type), c.multiplier, static_cast<int>(c.shift), c.zero_point);
    CHECK(rescales == (c.is_shift ? 0 : 1));
  }
}

TEST_CASE("an unsigned result is signed to what reads it in the same command") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int16, {40});
  GraphBuilder::Scale scale{.multipliers = {1 << 30}, .shifts = {36}, .output_zp = -100};
  scale.attributes.output_unsigned = true;
  const auto result = run(b.build({b.clamp(b.rescale(x, ElementType::Int8, scale), -90, 90)}), 1);
  CHECK(result.program.steps.size() == 1);
}

TEST_CASE("a command takes no more tables than there are slots") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int16, {7, 20});
  auto sum = b.input("y", ElementType::Int32, {7, 20});
  for (uint64_t i = 0; i < 5; ++i) {
    const auto table = b.constant(tests::random_tensor(ElementType::Int16, {513}, i, -8192, 8191));
    sum = b.binary(OpKind::Add, sum, b.table(x, table));
  }
  CHECK(run(b.build({sum}), 1).program.steps.size() == 3);
}

TEST_CASE("operators that share nothing but a constant stay apart") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {4, 20}), y = b.input("y", ElementType::Int32, {4, 20});
  const auto c = b.constant(tests::random_tensor(ElementType::Int32, {4, 20}, 4));
  CHECK(run(b.build({b.binary(OpKind::Add, x, c), b.binary(OpKind::Sub, y, c)}), 1).program.steps.size() == 2);
}

TEST_CASE("rows stay a loop of their own where that costs few vectors") {
  const auto dense = [](const base::Shape& shape) {
    return passes::PlacedOperand{passes::dense_placement(shape, ElementType::Int8), shape, ElementType::Int8};
  };
  const auto row_dim = [&](const base::Shape& shape, const passes::PlacedOperand& other) {
    return passes::make_loop_nest(shape, -1, {dense(shape), other}, 16, true).row_dim();
  };
  CHECK(row_dim({1, 8, 4, 16}, dense({1, 8, 4, 16})) == 1);
  CHECK(row_dim({1, 8, 1, 5}, dense({1, 8, 1, 5})) == -1);  // 8 vectors instead of 3
  CHECK(row_dim({6, 5, 3}, dense({1, 1, 3})) == 0);         // the lanes do not grow by joining
  CHECK(passes::make_loop_nest({8, 64}, -1, {dense({8, 64})}, 16, false).loops.empty());

  CHECK(passes::row_dim_of({3, 3, 8}, 3, 3) == 0);
  CHECK(passes::row_dim_of({9, 8}, 3, 3) == -1);
  CHECK(passes::row_dim_of({1, 4, 1, 8}, 4, 1) == 1);
}

TEST_CASE("a microprogram that needs too much of the machine is refused") {
  passes::Microprogram many_registers;
  std::vector<passes::Value> values;
  for (int i = 0; i < 17; ++i) values.push_back(many_registers.constant(i));
  passes::Value sum = values[0];
  for (int i = 1; i < 7; ++i) sum = many_registers.step({.op = spec::VectorOp::Add}, sum, values[static_cast<size_t>(i)]);
  CHECK(many_registers.assemble(false).has_value());
  for (const passes::Value value : values) sum = many_registers.step({.op = spec::VectorOp::Xor}, sum, value);
  CHECK(!many_registers.assemble(false).has_value());

  passes::Microprogram many_steps;
  passes::Value value = many_steps.load({0, false, false});
  for (int i = 0; i < 22; ++i) value = many_steps.step({.op = spec::VectorOp::Not}, value);
  many_steps.store(value, 1, spec::VectorPhase::Body);
  CHECK(many_steps.assemble(false).has_value());
  many_steps.store(value, 2, spec::VectorPhase::Body);
  CHECK(!many_steps.assemble(false).has_value());
}

TEST_CASE("a computed tensor may be input and weights of one convolution, and its own bias") {
  GraphBuilder b;
  const auto x = make_layer(b, b.input("x", ElementType::Int8, {1, 6, 6, 4}));
  const auto w = b.slice(x, {0, 1, 1, 0}, {1, 3, 3, 16});
  const auto y = b.conv2d(x, w, b.constant(ElementType::Int32, {1}, {5}), {.pad = {1, 1, 1, 1}});
  const auto bias = b.reshape(b.slice(y, {0, 0, 0, 0}, {1, 1, 1, 1}), {1});
  const auto whole = b.conv2d(x, x, bias, {});
  for (const int64_t optimize : {0, 1}) {
    const ir::Graph graph = b.build({whole, y});
    const auto run = tests::lower_and_run(graph, tests::random_inputs(graph, 3), "v256", {optimize, 0});
    CHECK(run.differences == std::vector<std::string>{});
  }
}

TEST_CASE("a program prints the same twice, and names its steps") {
  GraphBuilder b;
  const auto y = make_layer(b, b.input("x", ElementType::Int8, {1, 6, 6, 4}));
  const ir::Graph graph = b.build({y});
  const auto config = config::preset_config("v256", "test");
  const passes::Program program = passes::lower(graph, config, {1}, "t");
  const std::string text = passes::print(program, graph);
  CHECK(text == passes::print(passes::lower(graph, config, {1}, "t"), graph));
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const passes::Step& step = program.steps[i];
    CHECK(text.find(fmt::format("step {}: {}\n    ", i, package::print(step.command))) != std::string::npos);
    for (const passes::Production& made : step.productions) {
      CHECK(text.find(fmt::format("makes {} {}+{}", graph.tensor(made.tensor).name, base::to_string(made.begin),
                                  base::to_string(made.extent))) != std::string::npos);
    }
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const passes::Buffer& buffer = program.buffers[i];
    CHECK(text.find(fmt::format("{} bytes '{}'", buffer.size_bytes, buffer.name)) != std::string::npos);
    CHECK(text.find(fmt::format("buffer %{} ", i)) != std::string::npos);
  }
  CHECK(text.find("for CONV2D#0 RESCALE#1 CLAMP#2") != std::string::npos);
}

TEST_CASE("verify finds what is broken") {
  GraphBuilder b;
  const auto y = make_layer(b, b.input("x", ElementType::Int8, {1, 6, 6, 4}));
  const ir::Graph graph = b.build({y});
  const auto config = config::preset_config("v256", "test");
  const passes::Program good = passes::lower(graph, config, {1}, "t");
  passes::verify(good, graph, config);
  const auto breaks = [&](auto change) {
    passes::Program bad = good;
    change(bad);
    CHECK_THROWS_AS(passes::verify(bad, graph, config), base::InternalError);
  };
  breaks([](passes::Program& p) { p.steps[0].operands[0].buffer = 99; });
  breaks([](passes::Program& p) { p.steps[0].operands.pop_back(); });
  breaks([](passes::Program& p) { p.steps[0].operands[0].field = passes::AddressField::Source; });
  breaks([](passes::Program& p) { p.steps[0].operands[0].field = p.steps[0].operands[1].field; });
  breaks([](passes::Program& p) { p.steps[0].productions[0].extent[1] = 5; });
  breaks([](passes::Program& p) { p.steps[0].productions[0].begin[1] = 1; });
  breaks([](passes::Program& p) { p.steps.clear(); });
  breaks([](passes::Program& p) { p.folded.clear(); });
  breaks([](passes::Program& p) { std::get<spec::MacCommand>(p.steps[0].command.body).out_rows = 0; });
  breaks([](passes::Program& p) { p.buffers[0].size_bytes = 0; });
  breaks([](passes::Program& p) { p.steps[0].ops.clear(); });
}

/// A MATMUL of 4 heads, renamed before its RESCALE, as a converter writes it.
TEST_CASE("a MATMUL takes its epilogue along through dimensions of one element, a command a batch") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {4, 9, 16}), y = b.input("y", ElementType::Int8, {4, 16, 20});
  const auto zero = b.scalar(ElementType::Int8, 3);
  const auto sum = b.op(OpKind::MatMul, {x, y, zero, zero}, ElementType::Int32, {4, 9, 20});
  const auto z = b.rescale(b.reshape(sum, {1, 4, 9, 20}), ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {40}});
  const auto fused = run(b.build({z}), 1);
  CHECK(fused.program.steps.size() == 4);
  for (size_t head = 0; head < fused.program.steps.size(); ++head) {
    const passes::Production& piece = fused.program.steps[head].productions.at(0);
    CHECK(piece.begin == base::Shape{0, static_cast<int64_t>(head), 0, 0});
    CHECK(piece.extent == base::Shape{1, 1, 9, 20});
    CHECK(piece.row_dim == 2);
  }
}

TEST_CASE("a batch of pixels by one matrix is one command") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {49, 1, 1, 16});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {8, 1, 1, 16}, 1));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {8}, 2, -1000, 1000));
  const auto y = b.rescale(b.conv2d(x, w, bias, {}), ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}});
  const auto whole = run(b.build({b.reshape(y, {7, 7, 8})}), 1);
  CHECK(whole.program.steps.size() == 1);
  CHECK(!whole.program.steps[0].can_split_rows);  // 49 rows are no dimension of that output
  const auto rows = run(b.build({y}), 0);
  CHECK(std::get<spec::MacCommand>(rows.program.steps[0].command.body).out_rows == 49);
  CHECK(rows.program.steps[0].productions[0].row_dim == 0);
}

TEST_CASE("channels come to the end through the corner-turner, in commands that can be cut") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 3, 40, 50});
  const auto y = b.op(OpKind::Transpose, {x}, ElementType::Int8, {1, 40, 50, 3}, ir::TransposeAttributes{{0, 2, 3, 1}});
  const auto result = run(b.build({y}), 0);
  REQUIRE(result.program.steps.size() == 1);
  const passes::Step& step = result.program.steps[0];
  const auto& dma = std::get<spec::DmaCommand>(step.command.body);
  CHECK(dma.kind == spec::DmaKind::Transpose);
  CHECK(dma.counts == std::array<int64_t, spec::kNumDmaLoops>{40, 1, 1, 3, 50});
  CHECK(step.can_split_rows);
  CHECK(step.productions[0].row_dim == 1);
}

TEST_CASE("a large elementwise command keeps its rows apart when it is not optimized, a small one does not") {
  for (const int64_t rows : {4, 64}) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int32, {1, rows, 8, 16});
    const auto result = run(b.build({b.unary(OpKind::Abs, x)}), 0);
    CHECK(result.program.steps[0].can_split_rows == (rows == 64));
  }
}

TEST_CASE("a transposed convolution is a convolution for each phase, which writes every other row and column") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 5, 6, 16});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {16, 3, 3, 16}, 1));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {16}, 2, -1000, 1000));
  const auto zero = b.scalar(ElementType::Int8, -7), none = b.scalar(ElementType::Int8, 0);
  const auto y = b.op(OpKind::TransposeConv2d, {x, w, bias, zero, none}, ElementType::Int32, {1, 10, 12, 16},
                      ir::TransposeConvAttributes{{0, -1, 0, -1}, {2, 2}, ElementType::Int32});
  const auto result = run(b.build({y}), 1);
  REQUIRE(result.program.steps.size() == 4);
  int64_t taps = 0;
  for (const passes::Step& step : result.program.steps) {
    const auto& mac = std::get<spec::MacCommand>(step.command.body);
    taps += mac.kernel_rows * mac.kernel_columns;
    CHECK(step.productions[0].step == base::Shape{1, 2, 2, 1});
    CHECK(step.productions[0].extent == base::Shape{1, 5, 6, 16});
  }
  CHECK(taps == 9);  // none twice, none of zeros
}

TEST_CASE("phases of columns with few channels are output channels of one command, with zeros where a phase has no tap") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 5, 6, 16});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {3, 3, 3, 16}, 1));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {3}, 2, -1000, 1000));
  const auto zero = b.scalar(ElementType::Int8, -7), weight_zero = b.scalar(ElementType::Int8, 5);
  const auto y = b.op(OpKind::TransposeConv2d, {x, w, bias, zero, weight_zero}, ElementType::Int32, {1, 10, 12, 3},
                      ir::TransposeConvAttributes{{0, -1, 0, -1}, {2, 2}, ElementType::Int32});
  const auto result = run(b.build({y}), 1);
  REQUIRE(result.program.steps.size() == 2);  // even rows, odd rows
  for (const passes::Step& step : result.program.steps) {
    const auto& mac = std::get<spec::MacCommand>(step.command.body);
    CHECK(mac.out_channels == 6);
    CHECK(mac.kernel_columns == 2);
    CHECK(step.productions[0].step == base::Shape{1, 2, 1, 1});
    CHECK(step.productions[0].extent == base::Shape{1, 5, 12, 3});
    CHECK(step.productions[0].channel_dim == -1);
  }
}

}  // namespace
}  // namespace vernier
