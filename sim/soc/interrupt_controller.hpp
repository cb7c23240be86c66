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
  /// A fault: the line counts as low from when it next rises, or from now where it is high, until it has fallen.
  void lose(spec::InterruptSource source);
  /// A fault: the line counts as high until CLAIM names it.
  void pretend(spec::InterruptSource source);
  /// A line that is to be lost is not, and one that counts as high does no more.
  void end_faults();
  [[nodiscard]] bool has_lost() const { return has_lost_; }
  [[nodiscard]] bool has_pretended() const { return has_pretended_; }

 private:
  SC_HAS_PROCESS(InterruptController);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t lines() const;
  [[nodiscard]] uint32_t pending() const { return (lines() & ~lost_) | pretended_; }
  [[nodiscard]] uint32_t read(size_t index);
  uint32_t claim();
  void write(size_t index, uint32_t value);
  void external_method();

  uint32_t enable_ = 0;
  uint32_t to_lose_ = 0, lost_ = 0, pretended_ = 0;  // bits of faults
  bool has_lost_ = false, has_pretended_ = false;
  sc_core::sc_event enable_event_{"enable_event"};
};

}  // namespace vernier::soc
