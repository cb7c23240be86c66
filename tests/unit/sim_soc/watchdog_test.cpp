// SPDX-License-Identifier: Apache-2.0
// The watchdog's boundary, to the cycle: what takes exactly as many cycles as it allows passes, one more fires.
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <algorithm>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

JobResult run_within(StreamAssembler stream, int64_t watchdog_cycles) {
  JobOptions options;
  options.watchdog_cycles = watchdog_cycles;
  return run(stream, options);
}

bool has_fired(const JobResult& result) {
  const auto* hang = std::get_if<Hang>(&result.status);
  return hang != nullptr && hang->is_watchdog;
}

/// The longest time without an end, from cycle 0 on.
int64_t longest_gap(const JobResult& result) {
  std::vector<int64_t> ends{0};
  for (const auto& command : result.commands) ends.push_back(command.end_cycle);
  std::sort(ends.begin(), ends.end());
  int64_t longest = 0;
  for (size_t i = 1; i < ends.size(); ++i) longest = std::max(longest, ends[i] - ends[i - 1]);
  return longest;
}

/// With `cycles` the job ends as if there were no watchdog, with one less the watchdog fires in `fires_at_cycle`.
void check_boundary(const StreamAssembler& stream, int64_t cycles, int64_t fires_at_cycle) {
  const JobResult free = run_within(stream, 0), passes = run_within(stream, cycles), fires = run_within(stream, cycles - 1);
  require_done(free);
  require_done(passes);
  CHECK(passes.cycles == free.cycles);
  CHECK(passes.commands == free.commands);
  CHECK(passes.outputs == free.outputs);
  CHECK(has_fired(fires));
  CHECK(fires.cycles == fires_at_cycle);
}

}  // namespace

TEST_CASE("Watchdog: a command that takes exactly as many cycles passes, one more fires") {
  // The second copy starts in the cycle in which the first ends, so that its own cycles are all there is between two ends.
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x10000).add(dma_copy(Queue::Dma0, external(0), sram(0), 64));
  const spec::Command longer = dma_copy(Queue::Dma0, external(0), sram(0x20000), 0x8000);
  stream.add(longer).end().output(sram(0x20000), 0x8000);
  const JobResult free = run_within(stream, 0);
  const int64_t own = timing::profile(longer, v256()).main.cycles;
  REQUIRE(free.commands[1].start_cycle == free.commands[0].end_cycle);
  REQUIRE(longest_gap(free) == own);
  check_boundary(stream, own, free.commands[0].end_cycle + own - 1);
}

TEST_CASE("Watchdog: what counts is the time between two ends, waits included") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x1000).add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000), 0, tokens({Queue::VectorUnit}));
  const spec::Command add = vector_add(0, 0x4000, 0x1000, 1);
  stream.add(add, tokens({Queue::Dma0}), 0).end().output(sram(0x4000), 0x1000);
  const JobResult free = run_within(stream, 0);
  // END ends while the copy is at work; then the copy, then the vector unit, which had to wait for the token.
  const int64_t first = free.commands[0].end_cycle - free.commands[2].end_cycle;
  const int64_t second = free.commands[1].end_cycle - free.commands[0].end_cycle;
  REQUIRE(longest_gap(free) == std::max(first, second));
  REQUIRE(longest_gap(free) > timing::profile(add, v256()).main.cycles);
  if (first > second) {
    check_boundary(stream, first, free.commands[2].end_cycle + first - 1);
  } else {
    check_boundary(stream, second, free.commands[0].end_cycle + second - 1);
  }
}

TEST_CASE("Watchdog: before the first end it counts from cycle 0") {
  config::MachineConfig config = v256();
  config.queue_depth = 1;
  StreamAssembler stream(config);
  stream.ramp(external(0), 0x1000).add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000));
  for (int i = 0; i < 3; ++i) stream.add(dma_fill(Queue::Dma0, sram(0x8000), 64, i));  // END waits behind them
  stream.end();
  const JobResult free = run_within(stream, 0);
  REQUIRE(longest_gap(free) == free.commands[0].end_cycle);
  check_boundary(stream, free.commands[0].end_cycle, free.commands[0].end_cycle - 1);
}

TEST_CASE("Watchdog: of the array's commands main and drain count together") {
  // Fills that end again and again keep the time between two ends short.
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x4000).ramp(sram(0x8000), 256).data(sram(0x9000), channel_parameters(16, 0, 1 << 30, 40));
  const spec::MacCommand command = pointwise(v256(), 16, 64, 0, 0x8000, 0x9000, 0x10000);
  stream.add(command);
  for (int i = 0; i < 40; ++i) stream.add(dma_fill(Queue::Dma1, sram(0x30000), 0x400, i));
  stream.end();
  const JobResult free = run_within(stream, 0);
  const timing::Profile profile = timing::profile(command, v256());
  const int64_t own = profile.main.cycles + profile.drain.cycles;
  REQUIRE(profile.drain.cycles > 0);
  REQUIRE(longest_gap(free) < own - 1);
  check_boundary(stream, own, free.commands[0].end_cycle);
}

TEST_CASE("Watchdog: a command that takes more cycles than it allows is not computed, and fires at its end at the latest") {
  // A fill that ends again and again keeps the time between two ends short, while the copy is longer than that.
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x4000);
  const spec::Command copy = dma_copy(Queue::Dma0, external(0), sram(0x20000), 0x4000);
  stream.add(copy);
  for (int i = 0; i < 40; ++i) stream.add(dma_fill(Queue::Dma1, sram(0x1000), 0x400, i));
  stream.end();
  const JobResult free = run_within(stream, 0);
  const int64_t own = timing::profile(copy, v256()).main.cycles;
  REQUIRE(longest_gap(free) < own - 1);
  require_done(run_within(stream, own));
  const JobResult fires = run_within(stream, own - 1);
  CHECK(has_fired(fires));
  CHECK(fires.cycles == free.commands[0].end_cycle);
  CHECK(std::get<Hang>(fires.status).wait_for.find("command 0") == std::string::npos);  // it has left its queue
}

TEST_CASE("The watchdog's default allows a copy of the whole SRAM through the external memory, twice") {
  std::vector<config::MachineConfig> configs;
  for (const char* name : {"v64", "v256", "v1024", "v256-port8"}) configs.push_back(config::preset_config(name, "test"));
  configs.push_back(configs.front());
  configs.back().external.bytes_per_cycle = {1, 125};  // 8 MB/s of flash at 1 GHz
  for (const config::MachineConfig& config : configs) {
    spec::DmaCommand copy = std::get<spec::DmaCommand>(dma_copy(Queue::Dma0, external(0), sram(0), config.sram_bytes).body);
    CHECK(default_watchdog_cycles(config) > 2 * timing::profile(copy, config).main.cycles);
  }
}
