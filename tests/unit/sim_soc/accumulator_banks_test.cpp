// SPDX-License-Identifier: Apache-2.0
// Two accumulator banks, in the whole machine: one accumulates while the other drains, and a third command waits.
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <climits>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

TEST_CASE("Accumulator banks: a command waits while the drains of the two before it hold both") {
  const config::MachineConfig config = v256();
  StreamAssembler stream(config);
  stream.ramp(sram(0), 64 * 16).ramp(sram(0x8000), 256).data(sram(0x9000), channel_parameters(16, 0, 1 << 30, 40));
  std::vector<spec::MacCommand> commands;
  for (int64_t i = 0; i < 5; ++i) {
    // 64 rows of 16 int32: a step of 64 cycles, and a drain of 128, two cycles a row for four words.
    commands.push_back(pointwise(config, 1, 64, 0, 0x8000, 0x9000, 0x10000 + i * 0x1000));
    commands.back().output = {0x10000 + i * 0x1000, 64 * 64, 64, 64, base::ElementType::Int32};
    commands.back().rescale = false;
    commands.back().clamp_min = INT32_MIN;
    commands.back().clamp_max = INT32_MAX;
    stream.add(commands.back());
  }
  stream.end();
  const JobResult result = run(stream);
  require_done(result);
  const timing::Profile own = timing::profile(commands.front(), config);
  REQUIRE(own.drain.cycles > own.main.cycles + 16);
  timing::UnitTiming calendar;
  for (size_t i = 0; i < commands.size(); ++i) {
    INFO("command " << i);
    const int64_t start = result.commands[i].start_cycle;
    CHECK(calendar.earliest_start(start) == start);
    CHECK(result.commands[i].end_cycle == calendar.reserve(own, start));
    // From the third on, a command a drain: the array computes one, and the other bank drains.
    if (i >= 3) CHECK(start - result.commands[i - 1].start_cycle == own.drain.cycles);
  }
}
