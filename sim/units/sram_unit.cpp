// SPDX-License-Identifier: Apache-2.0
#include "sim/units/sram_unit.hpp"

#include <fmt/format.h>

namespace vernier::units {

SramUnit::SramUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
                   spec::Queue queue, timing::Priority main_priority, timing::Priority drain_priority)
    : QueuedUnit(name, clock, config, {queue, main_priority, drain_priority, &tracker_, 0, 1}),
      tracker_(kStallNames, 2, kit::Merge::FirstActive) {
  tracker_.declare_state(signals(), this->name());
}

void SramUnit::reset() {
  QueuedUnit::reset();
  tracker_.reset();
}

void SramUnit::commit(Running& running) {
  for (const auto& run : running.writes.runs()) {
    sram_port->write(static_cast<int64_t>(run.address.offset), running.writes.bytes_of(run));
  }
}

std::optional<CommandFault> SramUnit::check_table(int64_t slot, base::ElementType needed) const {
  const auto& type = table_port->tables()[static_cast<size_t>(slot)].type;
  if (type == needed) return std::nullopt;
  return CommandFault{spec::FaultCode::TableSlotEmpty,
                      fmt::format("table slot {} holds {}, {} is needed", slot, type ? base::to_string(*type) : "nothing",
                                  base::to_string(needed))};
}

}  // namespace vernier::units
