// SPDX-License-Identifier: Apache-2.0
// One output channel more than the lanes costs a whole channel tile. The contract: a convolution takes
//   ceil(channels / N) x ceil(kernel x input channels / N) x pixels
// steps of the array, one a cycle; its weights load under the steps, and its last drain is as long as before. So on v256
// (N = 16) 17 channels cost ceil(kernel x input channels / 16) x pixels cycles more than 16, and 18 to 32 the same as 17.
// The schedule may cut the layer elsewhere, and then hides a few cycles of the last drain more or less: N at most.
#include "tests/e2e/system/machine.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace vernier::tests {
namespace {

struct Layer {
  int64_t rows, columns, in_channels, kernel;
};

ir::Graph convolution(const Layer& layer, int64_t channels) {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, layer.rows, layer.columns, layer.in_channels});
  const Shape shape{channels, layer.kernel, layer.kernel, layer.in_channels};
  const auto weight = b.constant(random_tensor(ElementType::Int8, shape, 1));
  const auto bias = b.constant(random_tensor(ElementType::Int32, {channels}, 2, -1000, 1000));
  const int64_t pad = layer.kernel / 2;
  const auto y = b.conv2d(x, weight, bias, {.pad = {pad, pad, pad, pad}});
  return b.build({b.rescale(y, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {40}})});
}

soc::JobResult job_of(const Layer& layer, int64_t channels, const std::string& preset) {
  const ir::Graph graph = convolution(layer, channels);
  const config::MachineConfig config = machine(preset, spec::MemoryMode::Sram);
  soc::JobOptions options;
  options.values = false;
  return soc::Npu(config).run(compile(graph, config, 1), random_inputs(graph, 1), options);
}

TEST_CASE("a channel more than the lanes costs a channel tile, as the formula says") {
  for (const auto& [preset, lanes] : {std::pair<std::string, int64_t>{"v64", 8}, {"v256", 16}, {"v1024", 32}}) {
    for (const Layer& layer : {Layer{24, 8, 64, 1}, Layer{16, 12, 64, 3}, Layer{8, 16, 160, 1}}) {
      const int64_t steps = (layer.kernel * layer.kernel * layer.in_channels + lanes - 1) / lanes;
      const int64_t tile = steps * layer.rows * layer.columns;
      const soc::JobResult full = job_of(layer, lanes, preset), more = job_of(layer, lanes + 1, preset);
      const soc::JobResult twice = job_of(layer, 2 * lanes, preset);
      INFO(preset << " " << layer.rows << "x" << layer.columns << "x" << layer.in_channels << " kernel " << layer.kernel
                  << ": " << full.cycles << ", " << more.cycles << ", " << twice.cycles << " cycles, a tile is " << tile);
      CHECK(full.units.value("mac_array/busy_cycles") >= tile);
      // A load of weights more or less, and a percent of words that meet in banks.
      const int64_t most = lanes + tile / 100;
      CHECK(std::abs(more.cycles - full.cycles - tile) <= most);
      CHECK(std::abs(twice.cycles - more.cycles) <= most);
    }
  }
}

}  // namespace
}  // namespace vernier::tests
