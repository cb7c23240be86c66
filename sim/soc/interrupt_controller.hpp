// SPDX-License-Identifier: Apache-2.0
// The interrupt controller of hw/spec/control_system.hpp: several lines become the one external interrupt of the control
// CPU.
//
// Contract: TLM-2.0 b_transport, one aligned 32-bit register a transaction; anything else gives an error response. Lines are
// levels: PENDING shows them as they are, nothing is kept. external_o is high while PENDING & ENABLE is not 0. CLAIM names
// the lowest such bit and changes nothing. Timing: a line passes in its cycle; what an access takes is the bus's. The
// order of the bits is the only priority, and an edge is not kept.
#pragma once

#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

namespace vernier::soc {

class InterruptController : public kit::Module {
 public:
  InterruptController(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<InterruptController> registers_target{"registers_target"};
  sc_core::sc_in<bool> npu_i{"npu_i"}, cpu_doorbell_i{"cpu_doorbell_i"}, pmu_i{"pmu_i"};
  sc_core::sc_out<bool> external_o{"external_o"};

  void reset() override;

 private:
  SC_HAS_PROCESS(InterruptController);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t pending() const;
  [[nodiscard]] uint32_t read(size_t index) const;
  void write(size_t index, uint32_t value);
  void external_method();

  uint32_t enable_ = 0;
  sc_core::sc_event enable_event_{"enable_event"};
};

}  // namespace vernier::soc
