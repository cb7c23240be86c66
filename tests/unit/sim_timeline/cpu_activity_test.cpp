// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/cpu_activity.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::timeline;

namespace {

riscv::Executed instruction_at(int64_t cycle, uint32_t pc, uint32_t word = 0x13) {
  riscv::Executed executed;
  executed.cycle = cycle;
  executed.pc = pc;
  executed.word = word;
  executed.num_bytes = 4;
  return executed;
}

constexpr uint32_t kSleepWord = 0x10500073;

}  // namespace

TEST_CASE("Control CPU over time: functions follow each other without gaps, from doorbell to doorbell") {
  soc::FirmwareProgram firmware;
  firmware.symbols = {{0x100, 0x20, "main"}, {0x120, 0x40, "serve"}};
  CpuActivity activity(firmware);
  activity.begin_job();
  for (const auto& [cycle, pc, word] : std::vector<std::tuple<int64_t, uint32_t, uint32_t>>{{0, 0x100, 0x13},
                                                                                            {40, 0x104, kSleepWord},
                                                                                            {55, 0x120, 0x13},
                                                                                            {60, 0x124, 0x13},
                                                                                            {70, 0x108, 0x13},
                                                                                            {80, 0x104, kSleepWord},
                                                                                            {180, 0x120, 0x13},
                                                                                            {205, 0x110, 0x13}})
    activity.take(instruction_at(cycle, pc, word));
  soc::ControlUse use;
  use.boot_cycles = 50;       // the host's doorbell
  use.submit_cycles = 25;     // the network starts in cycle 75
  use.interrupt_cycles = 30;  // and ends in cycle 175, which is told in cycle 205
  CHECK(activity.stretches(use, 100) ==
        std::vector<CpuStretch>{
            {-25, -20, "asleep"}, {-20, -5, "serve"}, {-5, 6, "main"}, {6, 105, "asleep"}, {105, 130, "serve"}});
  activity.begin_job();
  CHECK(activity.stretches(use, 100).empty());
}

TEST_CASE("Control CPU over time: firmware without symbols is one function") {
  const soc::FirmwareProgram firmware;
  CpuActivity activity(firmware);
  activity.begin_job();
  activity.take(instruction_at(0, 0x100));
  activity.take(instruction_at(3, 0x900));
  CHECK(activity.stretches({.submit_cycles = 2, .interrupt_cycles = 1}, 5) == std::vector<CpuStretch>{{-2, 6, "firmware"}});
}
