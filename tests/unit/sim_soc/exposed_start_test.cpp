// SPDX-License-Identifier: Apache-2.0
// How long a unit stands still between the last work of a command and the first of one that depends on all of it: a chain
// of commands, each reading what the one before wrote; the cycles that one more takes, less its own work, which is its busy
// cycles and what it waits for the ports of the SRAM while it works (row tiles of 8 load weights all the time).
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <algorithm>
#include <array>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kSize = 16;  // rows and columns of a map
constexpr int64_t kStartWeights = 0xE0000, kStartParameters = 0xE8000;
constexpr int64_t kMostExposedCycles = 30;

constexpr std::array<const char*, 5> kPresets{"v64", "v256", "v1024", "v256-sram48", "v256-port8"};

/// With room for the chain, which v256-port8 has not.
config::MachineConfig machine(const char* name) {
  config::MachineConfig config = config::preset_config(name, "test");
  config.sram_bytes = config::preset_config("v256", "test").sram_bytes;
  return config;
}

class Chain {
 public:
  Chain(const config::MachineConfig& config, std::vector<Queue> pattern, int64_t row_tile_rows)
      : config_(config),
        pattern_(std::move(pattern)),
        row_tile_rows_(row_tile_rows),
        map_bytes_(kSize * kSize * config.datapath.lanes) {}

  /// Cycles exposed at each dependency, the mean of the pattern's.
  [[nodiscard]] double exposed_cycles() const {
    constexpr int64_t kFew = 4, kMany = 24;  // multiples of a pattern's length
    int64_t busy = 0;
    for (int64_t i = kFew; i < kMany; ++i) {
      busy += timing::profile(command(i), config_).main.busy_cycles;
    }
    const JobResult few = run_of(kFew), many = run_of(kMany);
    const int64_t waits = waits_for_ports(many) - waits_for_ports(few);
    return static_cast<double>(many.cycles - few.cycles - busy - waits) / static_cast<double>(kMany - kFew);
  }

 private:
  [[nodiscard]] Queue queue(int64_t i) const { return pattern_[static_cast<size_t>(i) % pattern_.size()]; }

  [[nodiscard]] spec::Command command(int64_t i) const {
    const int64_t from = i % 2 * map_bytes_, to = (i + 1) % 2 * map_bytes_;
    switch (queue(i)) {
      case Queue::MacArray: {
        spec::MacCommand mac = pointwise(config_, kSize, kSize, from, kStartWeights, kStartParameters, to);
        mac.row_tile_rows = row_tile_rows_;
        return {{Queue::MacArray, 0, 0}, mac};
      }
      case Queue::VectorUnit: return vector_add(from, to, map_bytes_, 1);
      default: return dma_copy(queue(i), sram(from), sram(to), map_bytes_);
    }
  }

  static int64_t waits_for_ports(const JobResult& result) {
    int64_t cycles = 0;
    for (const char* unit : {"mac_array", "vector_unit", "dma"}) {
      cycles += result.units.value(std::string(unit) + "/stall_cycles/port_contention");
    }
    return cycles;
  }

  [[nodiscard]] JobResult run_of(int64_t commands) const {
    const int64_t lanes = config_.datapath.lanes;
    StreamAssembler stream(config_);
    stream.ramp(sram(0), map_bytes_).ramp(sram(kStartWeights), lanes * lanes);
    stream.data(sram(kStartParameters), channel_parameters(lanes, 0, 1 << 30, 40));
    for (int64_t i = 0; i < commands; ++i) {
      stream.add(command(i), i == 0 ? uint8_t{0} : tokens({queue(i - 1)}),
                 i + 1 == commands ? uint8_t{0} : tokens({queue(i + 1)}));
    }
    stream.end();
    JobResult result = run(stream);
    require_done(result);
    return result;
  }

  config::MachineConfig config_;
  std::vector<Queue> pattern_;
  int64_t row_tile_rows_;
  int64_t map_bytes_;
};

constexpr Queue kArray = Queue::MacArray, kVector = Queue::VectorUnit, kDma = Queue::Dma0;

}  // namespace

TEST_CASE("A dependent command's exposed start is at most 30 cycles") {
  for (const auto& pattern : {std::vector{kArray}, std::vector{kVector}, std::vector{kDma}, std::vector{kArray, kVector},
                              std::vector{kDma, kArray}, std::vector{kDma, kVector}}) {
    for (const char* name : kPresets) {
      INFO(name << ": queue " << static_cast<int>(pattern.front()) << " and " << static_cast<int>(pattern.back()));
      const double exposed = Chain(machine(name), pattern, 8).exposed_cycles();
      CHECK(exposed <= kMostExposedCycles);
      CHECK(exposed > 0);
    }
  }
}

TEST_CASE("The drain of the last row tile is what large tiles add to it") {
  const config::MachineConfig config = v256();
  const double small = Chain(config, {kArray}, 8).exposed_cycles(), large = Chain(config, {kArray}, 64).exposed_cycles();
  CHECK(large - small == 64 - 8);
}

TEST_CASE("A dependent command of the array starts 22 cycles after the work before it, and the load of a weight tile") {
  for (const char* name : kPresets) {
    INFO(name);
    const config::MachineConfig config = machine(name);
    const int64_t load =
        config.datapath.lanes * config.datapath.lanes / (config.datapath.sram_read_words * config.datapath.word_bytes());
    const int64_t pipelines = spec::kTokenCycles + spec::kSramReadLatencyCycles + spec::kMacPipelineCycles +
                              spec::kTileSwapCycles + spec::kRescalePipelineCycles;
    CHECK(Chain(config, {kArray}, 8).exposed_cycles() == Approx(8 + pipelines + load).margin(0.1));
    CHECK(8 + pipelines == 22);
  }
}
