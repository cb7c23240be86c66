// SPDX-License-Identifier: Apache-2.0
// How long a unit stands still between the last work of a command and the first of one that depends on all of it: a chain
// of commands, each reading what the one before wrote; the cycles that one more takes, less its own work.
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <algorithm>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kSize = 16;  // rows and columns of a map
constexpr int64_t kWeights = 0xE0000, kParameters = 0xE8000;
constexpr int64_t kMostExposedCycles = 30;

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
    return static_cast<double>(cycles_of(kMany) - cycles_of(kFew) - busy) / static_cast<double>(kMany - kFew);
  }

 private:
  [[nodiscard]] Queue queue(int64_t i) const { return pattern_[static_cast<size_t>(i) % pattern_.size()]; }

  [[nodiscard]] spec::Command command(int64_t i) const {
    const int64_t from = i % 2 * map_bytes_, to = (i + 1) % 2 * map_bytes_;
    switch (queue(i)) {
      case Queue::MacArray: {
        spec::MacCommand mac = pointwise(config_, kSize, kSize, from, kWeights, kParameters, to);
        mac.row_tile_rows = row_tile_rows_;
        return {{Queue::MacArray, 0, 0}, mac};
      }
      case Queue::VectorUnit: return vector_add(from, to, map_bytes_, 1);
      default: return dma_copy(queue(i), sram(from), sram(to), map_bytes_);
    }
  }

  [[nodiscard]] int64_t cycles_of(int64_t commands) const {
    const int64_t lanes = config_.datapath.lanes;
    StreamAssembler stream(config_);
    stream.ramp(sram(0), map_bytes_).ramp(sram(kWeights), lanes * lanes);
    stream.data(sram(kParameters), channel_parameters(lanes, 0, 1 << 30, 40));
    for (int64_t i = 0; i < commands; ++i) {
      stream.add(command(i), i == 0 ? uint8_t{0} : tokens({queue(i - 1)}),
                 i + 1 == commands ? uint8_t{0} : tokens({queue(i + 1)}));
    }
    stream.end();
    const JobResult result = run(stream);
    require_done(result);
    return result.cycles;
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
    for (const char* name : {"v64", "v256"}) {
      INFO(name << ": queue " << static_cast<int>(pattern.front()) << " and " << static_cast<int>(pattern.back()));
      const double exposed = Chain(config::preset_config(name, "test"), pattern, 8).exposed_cycles();
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
