// SPDX-License-Identifier: Apache-2.0
// What the control CPU does over time: the functions of its firmware, and when it sleeps.
#pragma once

#include "sim/riscv/executed.hpp"
#include "sim/soc/control_use.hpp"
#include "sim/soc/firmware_program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::timeline {

/// A function that runs, or "asleep". Cycles are those of the network: 0 is its start, before it they are negative.
struct CpuStretch {
  int64_t start_cycle = 0, end_cycle = 0;
  std::string name;
  bool operator==(const CpuStretch&) const = default;
};

class CpuActivity {
 public:
  /// The firmware outlives it. Where it has no symbols there is one function, "firmware".
  explicit CpuActivity(const soc::FirmwareProgram& firmware) : firmware_(firmware) {}
  /// Another job begins, and with it the cycles of the CPU.
  void begin_job() { changes_.clear(); }
  /// In the order of execution.
  void take(const riscv::Executed& executed);
  /// From the host's doorbell to the firmware's, without gaps. `cycles` are the network's, of one stream.
  [[nodiscard]] std::vector<CpuStretch> stretches(const soc::ControlUse& use, int64_t cycles) const;

 private:
  /// From this cycle of the CPU on.
  struct Change {
    int64_t cycle = 0;
    std::string name;
  };
  void change(int64_t cycle, const std::string& name);
  [[nodiscard]] std::string function_at(uint32_t address) const;

  const soc::FirmwareProgram& firmware_;
  std::vector<Change> changes_;
};

}  // namespace vernier::timeline
