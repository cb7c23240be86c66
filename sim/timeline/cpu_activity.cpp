// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/cpu_activity.hpp"

#include "hw/base/text.hpp"
#include "sim/riscv/decoder.hpp"

#include <algorithm>

namespace vernier::timeline {

namespace {
const std::string kAsleep = "asleep";
}  // namespace

std::string CpuActivity::function_at(uint32_t address) const {
  const soc::FirmwareSymbol* symbol = soc::symbol_at(firmware_, address);
  return symbol == nullptr ? "firmware" : base::printable(symbol->name);
}

void CpuActivity::change(int64_t cycle, const std::string& name) {
  if (changes_.empty() || changes_.back().name != name) changes_.push_back({cycle, name});
}

/// wfi has a cycle of its own; what follows it is sleep until the next instruction.
void CpuActivity::take(const riscv::Executed& executed) {
  change(executed.cycle, function_at(executed.pc));
  const bool is_retired = executed.kind == riscv::Executed::Kind::Retired;
  if (is_retired && riscv::decode(executed.word).op == riscv::Op::Wait) change(executed.cycle + 1, kAsleep);
}

std::vector<CpuStretch> CpuActivity::stretches(const soc::ControlUse& use, int64_t cycles) const {
  const int64_t network_start = use.boot_cycles + use.submit_cycles;
  const int64_t first = -use.submit_cycles, last = cycles + use.interrupt_cycles;
  std::vector<CpuStretch> stretches;
  for (size_t i = 0; i < changes_.size(); ++i) {
    const int64_t start = changes_[i].cycle - network_start;
    const int64_t end = i + 1 < changes_.size() ? changes_[i + 1].cycle - network_start : last;
    const CpuStretch stretch{std::max(start, first), std::min(end, last), changes_[i].name};
    if (stretch.start_cycle < stretch.end_cycle) stretches.push_back(stretch);
  }
  return stretches;
}

}  // namespace vernier::timeline
