// SPDX-License-Identifier: Apache-2.0
#include "sim/units/mac_array.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::units {

namespace {
const spec::MacCommand& mac_of(const spec::Command& command) { return std::get<spec::MacCommand>(command.body); }
}  // namespace

MacArray::MacArray(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
                   DatapathIf& datapath)
    : SramUnit(name, clock, config, spec::Queue::MacArray, timing::Priority::MacMain, timing::Priority::MacDrain),
      datapath_(datapath),
      profiles_(this->config()),
      first_sum_(declare("accumulator_first", kit::SignalKind::Sum)),
      least_sum_(declare("accumulator_least", kit::SignalKind::Sum)),
      greatest_sum_(declare("accumulator_greatest", kit::SignalKind::Sum)) {}

void MacArray::reset() {
  SramUnit::reset();
  datapath_.reset();
  kept_.reset();
  injection_.reset();
  injected_.reset();
  sums_observer_ = nullptr;
  sums_.clear();
}

timing::Profile MacArray::profile(const spec::Command& command) { return profiles_.profile(mac_of(command)); }

std::optional<CommandFault> MacArray::check_state(const spec::Command& command) {
  const spec::MacCommand& mac = mac_of(command);
  if (!mac.first && kept_ != KeptShape{mac.out_rows, mac.out_columns, mac.out_channels}) {
    return CommandFault{spec::FaultCode::AccumulatorEmpty,
                        fmt::format("it continues a reduction of {} x {} x {} that no command began", mac.out_rows,
                                    mac.out_columns, mac.out_channels)};
  }
  if (mac.last && mac.table) return check_table(mac.table_slot, mac.output.type);
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
  sums_.clear();
  const bool wants_sums = sums_observer_ || signals().is_watched();
  const CommandOperands operands{running.issued.command_idx, sram_port->storage().bytes(), table_port->tables(),
                                 wants_sums ? &sums_ : nullptr};
  if (injection_ && injection_->command_idx == operands.command_idx) {
    injected_ = datapath_.run_mac_with_fault(*injection_, mac, operands, *sram_port.operator->(), running.writes);
  } else {
    datapath_.run_mac(mac, operands, running.writes);
  }
  if (sums_observer_) sums_observer_(operands.command_idx, sums_);
}

/// What the array holds is known a command at a time: when its last product is in, and until the next command's is.
void MacArray::main_ended(const Running& /*running*/) {
  if (sums_.empty()) return;
  const auto [least, greatest] = std::minmax_element(sums_.begin(), sums_.end());
  show(first_sum_, sums_.front());
  show(least_sum_, *least);
  show(greatest_sum_, *greatest);
}

}  // namespace vernier::units
