// SPDX-License-Identifier: Apache-2.0
#include "sim/units/mac_array.hpp"

#include <fmt/format.h>

namespace vernier::units {

namespace {
const spec::MacCommand& mac_of(const spec::Command& command) { return std::get<spec::MacCommand>(command.body); }
}  // namespace

MacArray::MacArray(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config)
    : QueuedUnit(name, clock, config,
                 {spec::Queue::MacArray, timing::Priority::MacMain, timing::Priority::MacDrain, &tracker_, 0, 1}),
      tracker_(kStallNames, 2, kit::Merge::FirstActive) {}

void MacArray::reset() {
  QueuedUnit::reset();
  tracker_.reset();
  accumulators_ = kernels::Accumulators{};
  kept_.reset();
}

timing::Profile MacArray::profile(const spec::Command& command) const { return timing::profile(mac_of(command), config()); }

std::optional<CommandFault> MacArray::check_state(const spec::Command& command) const {
  const spec::MacCommand& mac = mac_of(command);
  if (!mac.first && kept_ != KeptShape{mac.out_rows, mac.out_columns, mac.out_channels}) {
    return CommandFault{spec::FaultCode::AccumulatorEmpty,
                        fmt::format("it continues a reduction of {} x {} x {} that no command began", mac.out_rows,
                                    mac.out_columns, mac.out_channels)};
  }
  if (mac.last && mac.table) {
    const auto& type = table_port->tables()[static_cast<size_t>(mac.table_slot)].type;
    if (type != mac.output.type) {
      return CommandFault{spec::FaultCode::TableSlotEmpty,
                          fmt::format("table slot {} holds {}, {} is needed", mac.table_slot,
                                      type ? base::to_string(*type) : "nothing", base::to_string(mac.output.type))};
    }
  }
  return std::nullopt;
}

void MacArray::sample(Running& running) {
  const spec::MacCommand& mac = mac_of(running.issued.command);
  if (mac.last) {
    kept_.reset();
  } else {
    kept_ = KeptShape{mac.out_rows, mac.out_columns, mac.out_channels};
  }
  if (!running.has_values) return;
  kernels::run_mac(mac, config().datapath, sram_port->storage().bytes(), table_port->tables(), accumulators_,
                   running.writes);
}

void MacArray::commit(Running& running) {
  for (const auto& run : running.writes.runs()) {
    sram_port->write(static_cast<int64_t>(run.address.offset), running.writes.bytes_of(run));
  }
}

}  // namespace vernier::units
