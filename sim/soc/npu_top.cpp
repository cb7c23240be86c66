// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/npu_top.hpp"

#include "hw/spec/registers.hpp"

namespace vernier::soc {

NpuTop::NpuTop(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
               units::DatapathIf& datapath)
    : kit::Module(name, clock),
      sram("sram", clock, config.sram_bytes),
      external("external", clock, spec::kMaxExternalBytes),
      arbiter("arbiter", clock, timing::capacities_of(config)),
      token_bank("token_bank", clock),
      command_log("command_log", clock),
      hazard_checker("hazard_checker", clock, config.datapath),
      rescale_unit("rescale_unit", clock),
      table_unit("table_unit", clock),
      dma("dma", clock, config),
      mac_array("mac_array", clock, config, datapath),
      vector_unit("vector_unit", clock, config, datapath),
      command_processor("command_processor", clock, config),
      fault_injector("fault_injector", clock),
      register_file("register_file", clock) {
  bind_memories();
  bind_queue(dma.channel0);
  bind_queue(dma.channel1);
  bind_queue(mac_array);
  bind_queue(vector_unit);
  mac_array.rescale_port(rescale_unit);
  vector_unit.rescale_port(rescale_unit);

  command_processor.phase_port(arbiter);
  fault_injector.phase_port(arbiter);
  command_processor.log_port(command_log);
  command_processor.dma0_port(dma.channel0);
  command_processor.dma1_port(dma.channel1);
  command_processor.mac_port(mac_array);
  command_processor.vector_port(vector_unit);
  hazard_checker.log_port(command_log);
  command_log.status_port(register_file);

  register_file.start_port(command_processor);
  register_file.reset_port(*this);
  register_file.irq_o(irq);
  host_initiator.bind(register_file.registers_target);
}

void NpuTop::bind_memories() {
  for (units::DmaChannel* channel : {&dma.channel0, &dma.channel1}) {
    channel->sram_initiator.bind(sram.access_target);
    channel->external_initiator.bind(external.access_target);
  }
  mac_array.sram_port(sram);
  vector_unit.sram_port(sram);
  hazard_checker.sram_port(sram);
  hazard_checker.external_port(external);
  command_processor.sram_port(sram);
  command_processor.external_port(external);
}

void NpuTop::bind_queue(units::QueuedUnit& unit) {
  unit.phase_port(arbiter);
  unit.token_port(token_bank);
  unit.hazard_port(hazard_checker);
  unit.log_port(command_log);
  unit.table_port(table_unit);
}

void NpuTop::reset() {
  sram.reset();
  external.reset();
  reset_units();
  command_log.reset();
  register_file.reset();
}

void NpuTop::reset_units() {
  arbiter.reset();
  token_bank.reset();
  hazard_checker.reset();
  rescale_unit.reset();
  table_unit.reset();
  dma.reset();
  mac_array.reset();
  vector_unit.reset();
  command_processor.reset();
  fault_injector.reset();
}

}  // namespace vernier::soc
