// SPDX-License-Identifier: Apache-2.0
// What the control path of a job took.
#pragma once

#include <cstdint>

namespace vernier::soc {

struct ControlUse {
  int64_t boot_cycles = 0;            // from the release of the CPU to the host's doorbell that says that jobs are taken
  int64_t submit_cycles = 0;          // from the CPU's doorbell to the start of the first stream
  int64_t interrupt_cycles = 0;       // from the end of the last stream to the host's doorbell
  int64_t between_cycles = 0;         // with control flow: from the end of each stream but the last to the start of the next
  int64_t firmware_instructions = 0;  // retired from the CPU's doorbell to the host's
  int64_t firmware_sleep_cycles = 0;  // in wfi, in the same time
  int64_t firmware_bus_cycles = 0;    // waiting for answers of the bus, in the same time
  bool operator==(const ControlUse&) const = default;

  [[nodiscard]] int64_t job_overhead_cycles() const { return submit_cycles + between_cycles + interrupt_cycles; }
};

}  // namespace vernier::soc
