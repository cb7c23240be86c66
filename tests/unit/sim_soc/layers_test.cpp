// SPDX-License-Identifier: Apache-2.0
// The layers of one job with a command of every kind, counted again cycle by cycle from the times of the commands.
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <map>
#include <ostream>
#include <tuple>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using units::Work;

namespace {

constexpr int64_t kLayerWeights = 0x80000, kLayerParameters = 0x81000, kLayerIndices = 0x82000;

struct Made {
  int32_t layer;
  spec::Command command;
  Work work;
  bool is_at_work;
  uint8_t wait = 0, signal = 0;
};

spec::Command indexed(spec::DmaKind kind, int64_t from, int64_t to) {
  spec::DmaCommand dma;
  dma.kind = kind;
  dma.src = {sram(from), {0, 0, 0, 0, 64}};
  dma.dst = {sram(to), {0, 0, 0, 0, 64}};
  dma.counts[4] = 4;
  dma.run_bytes = 64;
  dma.index_base = kLayerIndices;
  dma.index_limit = 4;
  return {{Queue::Dma1, 0, 0}, dma};
}

spec::Command transpose(int64_t from, int64_t to) {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::Transpose;
  dma.counts = {1, 1, 1, 32, 32};
  dma.src = {sram(from), {0, 0, 0, 32, 1}};
  dma.dst = {sram(to), {0, 0, 0, 1, 32}};
  return {{Queue::Dma1, 0, 0}, dma};
}

/// Layer 0 computes on both units, with a load, a table fill, a copy and a fill; 1 is a vector layer that stores; 2 has
/// gathers and scatters alone, 3 a load, a transpose and a store; 4 is an array layer at the end of the graph that runs
/// first.
std::vector<Made> every_kind(const config::MachineConfig& config) {
  const auto mac = [&](int64_t from, int64_t to) {
    return spec::Command{{Queue::MacArray, 0, 0}, pointwise(config, 1, 64, from, kLayerWeights, kLayerParameters, to)};
  };
  const uint8_t vec = tokens({Queue::VectorUnit}), array = tokens({Queue::MacArray});
  return {
      {4, mac(0x60000, 0x61000), Work::Array, true},
      {0, dma_copy(Queue::Dma0, external(0), sram(0), 2048), Work::Load, false, 0, array},
      {0, table_fill(Queue::Dma0, 0x62000, 0, base::ElementType::Int8, 256), Work::Copy, false},
      {0, dma_fill(Queue::Dma1, sram(0x8000), 512, 0), Work::Copy, false},
      {0, dma_copy(Queue::Dma1, sram(0x64000), sram(0x4000), 4096), Work::Copy, false, 0, vec},
      {0, mac(0, 0x10000), Work::Array, true, tokens({Queue::Dma0})},
      {0, vector_add(0x4000, 0x6000, 2048, 1), Work::Vector, true, tokens({Queue::Dma1})},
      {1, vector_add(0x66000, 0x68000, 512, 1), Work::Vector, true, 0, tokens({Queue::Dma1})},
      {1, dma_copy(Queue::Dma1, sram(0x68000), external(0x4000), 512), Work::Store, true, vec},
      {2, indexed(spec::DmaKind::Gather, 0x6A000, 0x6B000), Work::Copy, true},
      {2, indexed(spec::DmaKind::Scatter, 0x6A000, 0x6C000), Work::Copy, true},
      {3, dma_copy(Queue::Dma0, external(0x8000), sram(0x20000), 1024), Work::Load, true, 0, tokens({Queue::Dma1})},
      {3, transpose(0x20000, 0x22000), Work::Copy, true, tokens({Queue::Dma0}), tokens({Queue::Dma1})},
      {3, dma_copy(Queue::Dma1, sram(0x22000), external(0xC000), 1024), Work::Store, true, tokens({Queue::Dma1})},
  };
}

struct Counted {
  int64_t attributed = 0, working = 0, in_flight = 0, first = -1, last = -1;
  bool operator==(const Counted&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counted& c) {
  return out << c.attributed << ' ' << c.working << ' ' << c.in_flight << ' ' << c.first << ' ' << c.last;
}

/// One cycle after the other, by the kinds that the test gives.
std::vector<Counted> count(const std::vector<Made>& made, const JobResult& result) {
  std::vector<Counted> layers(5);
  const auto of = [&](size_t i) -> Counted& { return layers[made[i].layer]; };
  for (int64_t cycle = 0; cycle < result.cycles; ++cycle) {
    std::map<int32_t, bool> in_flight;  // layer: whether at work
    int32_t next = -1, last = -1;
    int64_t next_start = result.cycles, last_end = -1;
    for (size_t i = 0; i < made.size(); ++i) {
      const auto& [start, end] = std::pair(result.commands[i].start_cycle, result.commands[i].end_cycle);
      if (start <= cycle && cycle < end) in_flight[made[i].layer] |= made[i].is_at_work;
      if (!made[i].is_at_work) continue;
      if (start > cycle && start < next_start) std::tie(next, next_start) = std::pair(made[i].layer, start);
      if (end > last_end) std::tie(last, last_end) = std::pair(made[i].layer, end);
    }
    int32_t owner = next >= 0 ? next : last;
    for (auto found = in_flight.rbegin(); found != in_flight.rend(); ++found) {
      if (found->second) owner = found->first;
      layers[found->first].working += found->second ? 1 : 0;
      ++layers[found->first].in_flight;
    }
    ++layers[owner].attributed;
  }
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].is_at_work) continue;
    if (of(i).first < 0 || result.commands[i].start_cycle < of(i).first) of(i).first = result.commands[i].start_cycle;
    of(i).last = std::max(of(i).last, result.commands[i].end_cycle);
  }
  return layers;
}

}  // namespace

TEST_CASE("A job with every kind of command: each layer's cycles, and what each command was") {
  for (const int64_t stream_base : {int64_t{-1}, int64_t{0x20000}}) {  // in SRAM; outside, where fetching takes long
    const config::MachineConfig config = v256();
    const std::vector<Made> made = every_kind(config);
    StreamAssembler stream(config);
    stream.ramp(sram(0x60000), 0x10000).ramp(external(0), 0x10000).ramp(sram(kLayerWeights), 256);
    stream.data(sram(kLayerParameters), channel_parameters(16, 0, 1 << 30, 40));
    stream.data(sram(kLayerIndices), std::vector<std::byte>(16));
    for (const Made& one : made) stream.add(one.command, one.wait, one.signal);
    stream.end();
    package::Package& package = stream.package();
    package.layers.assign(5, {});
    for (size_t i = 0; i < made.size(); ++i) package.command_layers[i] = made[i].layer;
    package.command_layers.back() = 1;  // of END: corrected by the machine
    if (stream_base >= 0) package.stream_address = external(stream_base);
    const JobResult result = run(stream);
    require_done(result);

    const std::vector<Counted> expected = count(made, result);
    std::vector<timing::Traffic> traffic(5);
    for (size_t i = 0; i < made.size(); ++i) {
      INFO("command " << i);
      CHECK(result.commands[i].work == made[i].work);
      traffic[static_cast<size_t>(made[i].layer)] += result.commands[i].traffic;
    }
    int32_t last = 0;
    for (size_t i = 1; i < made.size(); ++i) {
      if (made[i].is_at_work && result.commands[i].end_cycle > result.commands[last].end_cycle)
        last = static_cast<int32_t>(i);
    }
    const int32_t last_layer = made[static_cast<size_t>(last)].layer;
    CHECK(result.commands.back().layer_idx == last_layer);
    CHECK(result.commands.back().work == Work::None);
    traffic[static_cast<size_t>(last_layer)] += result.commands.back().traffic;
    for (size_t l = 0; l < 5; ++l) {
      INFO("layer " << l);
      const units::LayerCount& layer = result.layers[l];
      CHECK(Counted{layer.attributed_cycles, layer.working_cycles, layer.in_flight_cycles, layer.first_cycle,
                    layer.last_cycle} == expected[l]);
      CHECK(layer.traffic == traffic[l]);
    }
  }
}
