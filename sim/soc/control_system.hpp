// SPDX-License-Identifier: Apache-2.0
// The modules around the control CPU and the wires between them and the NPU; nothing else.
#pragma once

#include "sim/soc/console.hpp"
#include "sim/soc/control_cpu.hpp"
#include "sim/soc/interrupt_controller.hpp"
#include "sim/soc/mailbox.hpp"
#include "sim/soc/npu_top.hpp"
#include "sim/soc/system_bus.hpp"
#include "sim/soc/system_faults.hpp"
#include "sim/soc/system_watchdog.hpp"
#include "sim/soc/timer.hpp"

namespace vernier::soc {

class ControlSystem : public kit::Module {
 public:
  /// `clock` is the system's own: it runs while the CPU is released, the NPU's runs from a job's start to its end.
  ControlSystem(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config, NpuTop& npu);

  mem::Memory firmware, ram, shared;
  ControlCpu cpu;
  SystemBus bus;
  Mailbox mailbox;
  InterruptController interrupts;
  Console console;
  Timer timer;
  SystemWatchdog watchdog;
  SystemFaults faults;
  sc_core::sc_signal<bool> cpu_doorbell{"cpu_doorbell"};  // driven by the mailbox's one process
  sc_core::sc_signal<bool> external{"external"};          // driven by the interrupt controller's one process
  sc_core::sc_signal<bool> timer_due{"timer_due"};        // driven by the timer's one process
  /// The host's side.
  tlm_utils::simple_initiator_socket<ControlSystem> mailbox_initiator{"mailbox_initiator"},
      firmware_initiator{"firmware_initiator"}, ram_initiator{"ram_initiator"};

  void reset() override;
};

}  // namespace vernier::soc
