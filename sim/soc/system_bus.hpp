// SPDX-License-Identifier: Apache-2.0
// The bus of the control CPU: finds what an address means, passes the access on, and says what it takes.
//
// Contract: TLM-2.0 b_transport with addresses of spec::kMemoryMap and spec::kCpuWindows, all that lies outside the CPU's
// own memories: the NPU's registers, the system registers, SRAM, external memory. The access is made in the cycle of the
// call; its cycles beyond the instruction's are added to the delay. An address that means nothing gives an address error
// after the cycles of a system register. Timing: spec::kCpuAccessCycles, estimated [decision 0027]; of external memory the
// configuration's latency and the beats of the access come on top. From the call on an access takes a word of the SRAM's
// ports, or its beats of the external memory, before all units of the NPU (decision 0005). Not modelled: it waits for nobody
// (D-032).
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"
#include "sim/mem/in_flight_arbiter.hpp"
#include "sim/units/due_event.hpp"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace vernier::soc {

class SystemBus : public kit::Module {
 public:
  SystemBus(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config);
  tlm_utils::simple_target_socket<SystemBus> cpu_target{"cpu_target"};
  sc_core::sc_port<mem::SharedMemoriesIf> memories_port{"memories_port"};
  tlm_utils::simple_initiator_socket<SystemBus> npu_initiator{"npu_initiator"}, sram_initiator{"sram_initiator"},
      external_initiator{"external_initiator"}, mailbox_initiator{"mailbox_initiator"},
      interrupts_initiator{"interrupts_initiator"}, console_initiator{"console_initiator"},
      timer_initiator{"timer_initiator"}, watchdog_initiator{"watchdog_initiator"}, pmu_initiator{"pmu_initiator"},
      shared_initiator{"shared_initiator"};

  void reset() override { error_.reset(); }
  /// A fault: of the accesses from now on, the one of that number from 0 gets an error response and is not made.
  void fail(int64_t number) { error_.arm(now(), number); }
  void fail_no_more() { error_.reset(); }
  [[nodiscard]] bool has_failed() const { return error_.injected().has_value(); }

 private:
  using Initiator = tlm_utils::simple_initiator_socket<SystemBus>;
  /// What an address means; `socket` is null where it means nothing.
  struct Target {
    Initiator* socket = nullptr;
    spec::CpuPlace place = spec::CpuPlace::SystemRegister;
    uint64_t offset_bytes = 0;
  };
  [[nodiscard]] Target target_of(uint64_t address);
  [[nodiscard]] int64_t cycles_of(spec::CpuPlace place, bool is_read, int64_t num_bytes) const;
  [[nodiscard]] int64_t beats_of(int64_t num_bytes) const;
  void share(spec::CpuPlace place, bool is_read, int64_t num_bytes);
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  config::MachineConfig config_;
  units::DueEvent error_;
};

}  // namespace vernier::soc
