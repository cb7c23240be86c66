// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/sram_peak.hpp"

#include "compiler/emit/compile.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::emit {
namespace {

using base::MemorySpace;
using tests::ElementType;

schedule::Schedule schedule_of(std::vector<schedule::Placed> placed, size_t num_commands) {
  schedule::Schedule schedule;
  schedule.placed = std::move(placed);
  schedule.commands.resize(num_commands);
  schedule.image_address = {MemorySpace::External, 0};
  return schedule;
}

TEST_CASE("the split is taken where most bytes live while the highest block does") {
  // More bytes live at command 0 than later, but the block that ends highest is not there yet.
  const schedule::Schedule schedule = schedule_of({{"early", false, 0, 900, 0, 0},
                                                   {"map", false, 0, 300, 1, 3},
                                                   {"weights", true, 300, 70, 2, 2},
                                                   {"highest", false, 980, 20, 1, 4}},
                                                  5);
  CHECK(sram_peak_of(schedule) == package::SramPeak{320, 70, 0});
}

TEST_CASE("what is filled before the first command and what is read after the last count there") {
  CHECK(sram_peak_of(schedule_of({{"input", false, 0, 64, -1, 0}, {"output", false, 64, 32, 1, 2}}, 2)) ==
        package::SramPeak{32, 0, 0});
  CHECK(sram_peak_of(schedule_of({{"input", false, 64, 64, -1, -1}, {"constant", true, 0, 16, -1, 2}}, 2)) ==
        package::SramPeak{64, 16, 0});
  CHECK(sram_peak_of(schedule_of({}, 0)) == package::SramPeak{});
}

TEST_CASE("commands are told apart from the constants that they follow") {
  schedule::Schedule schedule =
      schedule_of({{"constants and commands", true, 0, 1000, -1, 3}, {"map", false, 1000, 5, 1, 1}}, 3);
  schedule.image_address = {MemorySpace::Sram, 0};
  schedule.image.bytes.resize(1000);
  schedule.image.stream_offset_bytes = 960;
  CHECK(sram_peak_of(schedule) == package::SramPeak{5, 960, 40});
}

/// Two convolutions.
ir::Graph network() {
  tests::GraphBuilder b;
  ir::TensorId x = b.input("x", ElementType::Int8, {1, 16, 16, 16});
  for (uint64_t layer = 1; layer <= 2; ++layer) {
    const auto weights = b.constant(tests::random_tensor(ElementType::Int8, {16, 3, 3, 16}, layer));
    const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {16}, layer));
    x = b.rescale(b.conv2d(x, weights, bias, {.pad = {1, 1, 1, 1}}), ElementType::Int8,
                  {.multipliers = {1 << 30}, .shifts = {40}});
  }
  return b.build({x});
}

int64_t image_bytes(const package::Package& package) {
  int64_t bytes = 0;
  for (const package::Segment& segment : package.image) bytes += static_cast<int64_t>(segment.bytes.size());
  return bytes;
}

TEST_CASE("a package says what its SRAM peak holds and how far it reaches in external memory") {
  const ir::Graph graph = network();
  config::MachineConfig config = config::preset_config("v256", "test");
  const auto compiled = [&](spec::MemoryMode mode, int64_t sram_bytes) {
    config.memory_mode = mode;
    config.sram_bytes = sram_bytes;
    return compile(graph, {"test.tosa", {}}, config, {});
  };
  const package::Package inside = compiled(spec::MemoryMode::Sram, 65536);
  CHECK(inside.sram_peak.command_bytes == static_cast<int64_t>(inside.stream.size()));
  CHECK(inside.sram_peak.weight_bytes >= inside.weight_bytes);
  CHECK(inside.sram_peak.weight_bytes == image_bytes(inside));
  CHECK(inside.sram_peak.map_bytes >= 2 * 16 * 16 * 16);
  CHECK(inside.external_bytes == 0);

  const package::Package weights_outside = compiled(spec::MemoryMode::WeightsExternal, 65536);
  CHECK(weights_outside.sram_peak.command_bytes == 0);
  CHECK(weights_outside.sram_peak.weight_bytes > 0);
  const int64_t image_end = image_bytes(weights_outside) + static_cast<int64_t>(weights_outside.stream.size());
  CHECK(weights_outside.external_bytes == image_end);

  const package::Package outside = compiled(spec::MemoryMode::External, 8192);
  int64_t end = 0;
  for (const package::TensorEntry& tensor : outside.tensors) {
    if (tensor.placement.base.space != MemorySpace::External) continue;
    base::Shape last = tensor.shape;
    for (int64_t& coordinate : last) --coordinate;
    end = std::max(end, package::offset_of(tensor.placement, last, tensor.type) + 1);
  }
  CHECK(end > image_bytes(outside));
  CHECK(outside.external_bytes == end);
  const package::SramPeak& peak = outside.sram_peak;
  CHECK(peak.map_bytes > 0);
  CHECK(peak.map_bytes + peak.weight_bytes <= outside.sram_peak_bytes);
  CHECK(package::from_bytes("test.vnpu", package::to_bytes(outside)) == outside);
}

}  // namespace
}  // namespace vernier::emit
