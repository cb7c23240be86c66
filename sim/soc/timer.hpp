// SPDX-License-Identifier: Apache-2.0
// The timer of hw/spec/control_system.hpp: a counter of cycles, and a time at which the CPU's timer interrupt rises.
//
// Contract: TLM-2.0 b_transport, one aligned 32-bit register per transaction; anything else gives an error response. TIME
// counts the cycles since the release of the CPU. timer_o is high while TIME is COMPARE or later, as a number without a
// sign; a write of COMPARE decides anew. Timing: the line rises in the cycle COMPARE: low in the cycle before it, high for
// an instruction that begins in it. What an access takes is the bus's. TIME cannot be written, and the two halves of a
// register are read and written one by one: firmware reads TIME_HIGH, TIME_LOW and TIME_HIGH again, and writes all ones to
// COMPARE_HIGH before it writes COMPARE_LOW. A COMPARE more than 2^40 cycles ahead never interrupts.
#pragma once

#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

namespace vernier::soc {

class Timer : public kit::Module {
 public:
  Timer(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<Timer> registers_target{"registers_target"};
  sc_core::sc_out<bool> timer_o{"timer_o"};

  void reset() override;
  /// No event is left; the line stays as it is until reset().
  void stop() { due_event_.cancel(); }

 private:
  SC_HAS_PROCESS(Timer);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t read(size_t index) const;
  void write(size_t index, uint32_t value);
  [[nodiscard]] uint64_t time() const { return static_cast<uint64_t>(now()); }
  void due_method();

  uint64_t compare_ = 0;
  sc_core::sc_event due_event_{"due_event"};
};

}  // namespace vernier::soc
