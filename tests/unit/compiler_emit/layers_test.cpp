// SPDX-License-Identifier: Apache-2.0
// Every operator of a graph stands in exactly one layer of the package, and END belongs to the last layer at work.
#include "compiler/emit/layers.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/package/command_codec.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/ranges.h>

namespace vernier::emit {
namespace {

using tests::ElementType;
using tests::GraphBuilder;
using tests::random_tensor;

ir::TensorId pointwise(GraphBuilder& b, ir::TensorId x, int64_t channels) {
  const auto w = b.constant(random_tensor(ElementType::Int8, {channels, 1, 1, b.shape_of(x)[3]}, 1));
  const auto bias = b.constant(random_tensor(ElementType::Int32, {channels}, 2, -100, 100));
  return b.conv2d(x, w, bias, {});
}
GraphBuilder::Scale a_scale() { return {{1 << 30}, {38}}; }

package::Package compiled(const ir::Graph& graph, const char* preset = "v256",
                          spec::MemoryMode mode = spec::MemoryMode::Sram) {
  config::MachineConfig config = config::preset_config(preset, "test");
  config.memory_mode = mode;
  return compile(graph, {"test", {}}, config, {1});
}

/// "layer: OPERATOR OPERATOR; layer: ..."
std::string operators_by_layer(const package::Package& package) {
  std::vector<std::string> lines;
  for (const package::LayerEntry& layer : package.layers) {
    lines.push_back(fmt::format("{}: {}", layer.name, fmt::join(layer.operators, " ")));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

TEST_CASE("operators that are fused into another layer's command are listed there, in graph order") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 8, 8, 64});
  b.set_location("side");
  const auto side = b.rescale(x, ElementType::Int32, {{1 << 30}, {30}});
  b.set_location("conv");
  const auto y = b.rescale(pointwise(b, x, 64), ElementType::Int8, a_scale());
  b.set_location("own");
  const auto own = b.rescale(y, ElementType::Int32, {{1 << 30}, {30}});
  b.set_location("sum");
  const auto sum = b.binary(ir::OpKind::Add, own, side);
  b.set_location("out");
  const auto out = b.clamp(b.rescale(sum, ElementType::Int8, {{1 << 30}, {31}}), -128, 100);
  const package::Package package = compiled(b.build({out}));
  CHECK(operators_by_layer(package) == "conv: RESCALE CONV2D RESCALE RESCALE ADD RESCALE CLAMP");
  CHECK(package.layers[0].macs == 64 * 64 * 64);
}

TEST_CASE("an operator that no command works for stands with its first reader, else with what made its operand") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 8, 8, 16});
  b.set_location("known");  // folded at compile time
  const auto known = b.reshape(b.constant(random_tensor(ElementType::Int32, {16}, 5, -9, 9)), {1, 1, 1, 16});
  b.set_location("view");
  const auto view = b.reshape(x, {1, 4, 16, 16});
  b.set_location("first");
  const auto first = pointwise(b, view, 16);
  b.set_location("second");
  const auto second = b.rescale(b.binary(ir::OpKind::Add, first, known), ElementType::Int8, a_scale());
  b.set_location("unread");
  b.reshape(second, {1, 1024});
  const package::Package package = compiled(b.build({second}));
  CHECK(operators_by_layer(package) == "first: RESHAPE CONV2D; second: RESHAPE ADD RESCALE RESHAPE");
}

TEST_CASE("MACs of what is known at compile time are no work") {
  GraphBuilder b;
  b.set_location("known");
  const auto known = pointwise(b, b.constant(random_tensor(ElementType::Int8, {1, 2, 2, 16}, 3)), 16);
  const auto x = b.input("x", ElementType::Int32, {1, 2, 2, 16});
  b.set_location("sum");
  const package::Package package = compiled(b.build({b.binary(ir::OpKind::Add, x, known)}));
  CHECK(operators_by_layer(package) == "sum: CONV2D ADD");
  CHECK(package.layers[0].macs == 0);
}

/// The queue's names of the last commands, and the layer of END.
std::string layer_of_end(const package::Package& package) { return package.layers[package.command_layers.back()].name; }

TEST_CASE("END belongs to the layer of the last command at work") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 32, 32, 16});
  b.set_location("moved");
  const auto moved =
      b.op(ir::OpKind::Transpose, {x}, ElementType::Int8, {1, 32, 16, 32}, ir::TransposeAttributes{{0, 2, 3, 1}});
  b.set_location("conv");
  const auto y = b.rescale(pointwise(b, moved, 16), ElementType::Int8, a_scale());
  const ir::Graph graph = b.build({y});
  for (const auto mode : {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
    const package::Package package = compiled(graph, "v256", mode);
    // From its commands: the last of the array, the vector unit, of those that write outside, or of the layer of copies.
    std::string expected;
    size_t offset = 0;
    for (size_t i = 0; i + 1 < package.command_layers.size(); ++i) {
      const package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
      offset += static_cast<size_t>(decoded.length_bytes);
      const std::string& layer = package.layers[package.command_layers[i]].name;
      const auto* dma = std::get_if<spec::DmaCommand>(&decoded.command.body);
      if (dma == nullptr || layer == "moved" || dma->dst.base.space == base::MemorySpace::External) expected = layer;
    }
    CHECK(layer_of_end(package) == expected);
  }
  const ir::Graph nothing_runs = [] {
    GraphBuilder other;
    return other.build({other.reshape(other.input("x", ElementType::Int8, {4, 4}), {16})});
  }();
  CHECK(compiled(nothing_runs).command_layers.back() == 0);
}

}  // namespace
}  // namespace vernier::emit
