// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/control_system.hpp"

namespace vernier::soc {

ControlSystem::ControlSystem(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
                             NpuTop& npu)
    : kit::Module(name, clock),
      firmware("firmware", clock, spec::cpu_window(spec::CpuWindowId::Firmware).size_bytes),
      ram("ram", clock, spec::cpu_window(spec::CpuWindowId::Ram).size_bytes),
      shared("shared", clock, spec::cpu_window(spec::CpuWindowId::Shared).size_bytes),
      cpu("cpu", clock),
      bus("bus", clock, config),
      mailbox("mailbox", clock),
      interrupts("interrupts", clock),
      console("console", clock),
      timer("timer", clock),
      watchdog("watchdog", clock),
      faults("faults", clock, {cpu, ram, shared, bus, mailbox, interrupts, npu.register_file}) {
  const bool has_parity = config.sram_protection == spec::SramProtection::Parity;
  ram.protect(has_parity);
  shared.protect(has_parity);
  cpu.bus_initiator.bind(bus.cpu_target);
  cpu.firmware_port(firmware);
  cpu.ram_port(ram);
  cpu.external_i(external);
  cpu.timer_i(timer_due);

  bus.memories_port(npu.arbiter);
  bus.npu_initiator.bind(npu.register_file.registers_target);
  bus.sram_initiator.bind(npu.sram.access_target);
  bus.external_initiator.bind(npu.external.access_target);
  bus.mailbox_initiator.bind(mailbox.registers_target);
  bus.interrupts_initiator.bind(interrupts.registers_target);
  bus.console_initiator.bind(console.registers_target);
  bus.timer_initiator.bind(timer.registers_target);
  bus.watchdog_initiator.bind(watchdog.registers_target);
  bus.pmu_initiator.bind(npu.pmu.registers_target);
  bus.shared_initiator.bind(shared.access_target);
  npu.pmu.cpu_port(cpu);

  mailbox.cpu_doorbell_o(cpu_doorbell);
  interrupts.npu_i(npu.irq);
  interrupts.cpu_doorbell_i(cpu_doorbell);
  interrupts.pmu_i(npu.pmu_irq);
  interrupts.external_o(external);
  timer.timer_o(timer_due);

  mailbox_initiator.bind(mailbox.registers_target);
  firmware_initiator.bind(firmware.access_target);
  ram_initiator.bind(ram.access_target);
}

void ControlSystem::reset() {
  firmware.reset();
  ram.reset();
  shared.reset();
  mailbox.reset();
  interrupts.reset();
  console.reset();
  timer.reset();
  watchdog.reset();
  bus.reset();
  faults.reset();
  cpu.reset();
}

}  // namespace vernier::soc
