// SPDX-License-Identifier: Apache-2.0
#include "sim/units/vector_unit.hpp"

#include <fmt/format.h>

namespace vernier::units {

namespace {
const spec::VectorCommand& vector_of(const spec::Command& command) { return std::get<spec::VectorCommand>(command.body); }
}  // namespace

VectorUnit::VectorUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config)
    : QueuedUnit(name, clock, config,
                 {spec::Queue::VectorUnit, timing::Priority::VectorUnit, timing::Priority::VectorUnit, &tracker_, 0, 1}),
      tracker_(kStallNames, 2, kit::Merge::FirstActive) {}

void VectorUnit::reset() {
  QueuedUnit::reset();
  tracker_.reset();
}

timing::Profile VectorUnit::profile(const spec::Command& command) const {
  return timing::profile(vector_of(command), config());
}

std::optional<CommandFault> VectorUnit::check_state(const spec::Command& command) const {
  for (const spec::VectorStep& step : vector_of(command).steps) {
    if (step.op != spec::VectorOp::Table) continue;
    const auto& type = table_port->tables()[static_cast<size_t>(step.slot)].type;
    if (type == step.type) continue;
    return CommandFault{spec::FaultCode::TableSlotEmpty,
                        fmt::format("table slot {} holds {}, {} is needed", step.slot,
                                    type ? base::to_string(*type) : "nothing", base::to_string(step.type))};
  }
  return std::nullopt;
}

void VectorUnit::sample(Running& running) {
  if (!running.has_values) return;
  kernels::run_vector(vector_of(running.issued.command), config().datapath, sram_port->storage().bytes(),
                      table_port->tables(), running.writes);
}

void VectorUnit::commit(Running& running) {
  for (const auto& run : running.writes.runs()) {
    sram_port->write(static_cast<int64_t>(run.address.offset), running.writes.bytes_of(run));
  }
}

}  // namespace vernier::units
