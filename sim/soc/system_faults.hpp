// SPDX-License-Identifier: Apache-2.0
// Puts a fault into the control system on purpose: a bit of a register or of a memory, an access, an interrupt, a doorbell.
//
// Contract: begin() while the CPU runs; nothing happens without it. Which faults there are: sim/units/injection.hpp. Timing:
// a bit changes in its cycle, before an instruction that begins in it; the others come with the first such event from that
// cycle on.
#pragma once

#include "sim/kit/module.hpp"
#include "sim/mem/memory.hpp"
#include "sim/soc/control_cpu.hpp"
#include "sim/soc/interrupt_controller.hpp"
#include "sim/soc/mailbox.hpp"
#include "sim/soc/register_file.hpp"
#include "sim/soc/system_bus.hpp"
#include "sim/units/injection.hpp"

#include <optional>

namespace vernier::soc {

class SystemFaults : public kit::Module {
 public:
  /// What it reaches.
  struct Targets {
    ControlCpu& cpu;
    mem::Memory& ram;
    mem::Memory& shared;
    SystemBus& bus;
    Mailbox& mailbox;
    InterruptController& interrupts;
    RegisterFile& registers;
  };
  SystemFaults(const sc_core::sc_module_name& name, kit::JobClock& clock, const Targets& targets);

  void reset() override;
  /// A fault of a site for which is_of_control_system() holds, whose index and bit are in range. In the past: now.
  void begin(const units::Injection& injection);
  /// What has not happened yet does not happen any more; what has goes on.
  void end();
  /// What happened; nothing where there was no such event yet.
  [[nodiscard]] std::optional<units::InjectedFault> injected() const;

 private:
  SC_HAS_PROCESS(SystemFaults);
  void due_method();

  Targets targets_;
  std::optional<units::Injection> injection_;
  bool is_bit_flipped_ = false;
  sc_core::sc_event due_event_{"due_event"};
};

}  // namespace vernier::soc
