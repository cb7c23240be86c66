// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_soc/system_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;

namespace {

/// The controller alone, with lines that a test drives.
struct InterruptBench {
  InterruptBench() {
    controller.npu_i(npu);
    controller.cpu_doorbell_i(doorbell);
    controller.pmu_i(pmu);
    controller.external_o(external);
    driver.initiator.bind(controller.registers_target);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    controller.reset();
    sc_core::sc_start();
  }
  uint32_t read(uint32_t offset) { return driver.read(offset); }
  void write(uint32_t offset, uint32_t value) {
    driver.write(offset, value);
    sc_core::sc_start();
  }
  void drive(bool npu_line, bool doorbell_line, bool pmu_line) {
    npu.write(npu_line);
    doorbell.write(doorbell_line);
    pmu.write(pmu_line);
    sc_core::sc_start();
  }

  kit::SimulationContext context;
  kit::JobClock clock;
  InterruptController controller{"controller", clock};
  sc_core::sc_signal<bool> npu{"npu"}, doorbell{"doorbell"}, pmu{"pmu"}, external{"external"};
  RegisterDriver driver{"driver"};
};

constexpr uint32_t kPending = 0x00, kEnable = 0x04, kClaim = 0x08;

}  // namespace

TEST_CASE("Interrupt controller: the line is high while an enabled source is, for every combination") {
  InterruptBench bench;
  for (uint32_t lines = 0; lines < 8; ++lines) {
    for (uint32_t enable = 0; enable < 8; ++enable) {
      INFO("lines " << lines << ", enable " << enable);
      bench.drive((lines & 1) != 0, (lines & 2) != 0, (lines & 4) != 0);
      bench.write(kEnable, enable << 1);
      CHECK(bench.read(kPending) == lines << 1);
      CHECK(bench.read(kEnable) == enable << 1);
      const uint32_t due = lines & enable;
      CHECK(bench.external.read() == (due != 0));
      CHECK(bench.read(kClaim) == (due == 0 ? 0 : (due & 1) != 0 ? 1 : (due & 2) != 0 ? 2 : 3));
      CHECK(bench.external.read() == (due != 0));  // a claim changes nothing
    }
  }
}

TEST_CASE("Interrupt controller: bits without a source do not exist, what is read-only stays, reset disables all") {
  InterruptBench bench;
  bench.drive(true, true, true);
  bench.write(kEnable, 0xFFFFFFFF);
  CHECK(bench.read(kEnable) == 14);
  bench.write(kPending, 0);
  bench.write(kClaim, 0);
  CHECK(bench.read(kPending) == 14);
  CHECK(bench.external.read());
  bench.controller.reset();
  sc_core::sc_start();
  CHECK(bench.read(kEnable) == 0);
  CHECK_FALSE(bench.external.read());
  uint32_t value = 0;
  CHECK(access(bench.driver.initiator, tlm::TLM_READ_COMMAND, 0x0C, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(bench.driver.initiator, tlm::TLM_READ_COMMAND, 0x00, value, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
}
