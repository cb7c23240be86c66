// SPDX-License-Identifier: Apache-2.0
#include "sim/units/vector_unit.hpp"

namespace vernier::units {

namespace {
const spec::VectorCommand& vector_of(const spec::Command& command) { return std::get<spec::VectorCommand>(command.body); }
}  // namespace

VectorUnit::VectorUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
                       DatapathIf& datapath)
    : SramUnit(name, clock, config, spec::Queue::VectorUnit, timing::Priority::VectorUnit, timing::Priority::VectorUnit),
      datapath_(datapath),
      profiles_(this->config()) {}

timing::Profile VectorUnit::profile(const spec::Command& command) { return profiles_.profile(vector_of(command)); }

std::optional<CommandFault> VectorUnit::check_state(const spec::Command& command) {
  for (const spec::VectorStep& step : vector_of(command).steps) {
    if (step.op != spec::VectorOp::Table) continue;
    if (auto fault = check_table(step.slot, step.type)) return fault;
  }
  return std::nullopt;
}

void VectorUnit::sample(Running& running) {
  if (!running.has_values) return;
  datapath_.run_vector(vector_of(running.issued.command),
                       {running.issued.command_idx, sram_port->storage().bytes(), table_port->tables()}, running.writes);
}

}  // namespace vernier::units
