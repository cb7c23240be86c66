// SPDX-License-Identifier: Apache-2.0
// The mailbox of hw/spec/control_system.hpp: a doorbell each way, and what host and firmware tell each other in registers.
//
// Contract: TLM-2.0 b_transport from any number of initiators, one aligned 32-bit register a transaction; anything else
// gives an error response. A bit that is written to CPU_DOORBELL_SET is set in CPU_DOORBELL until 1 is written there; the
// same of the host's. cpu_doorbell_o is high while CPU_DOORBELL is not 0. on_host_doorbell() is called whenever a bit of
// HOST_DOORBELL_SET is written, also where it is set already. Timing: none here; an access is the bus's, the line changes in
// its cycle. There is no protection: each side may write the registers of the other one.
#pragma once

#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <functional>
#include <optional>
#include <utility>

namespace vernier::soc {

enum class Doorbell : uint8_t { Cpu, Host };

class Mailbox : public kit::Module {
 public:
  Mailbox(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<Mailbox> registers_target{"registers_target"};
  sc_core::sc_out<bool> cpu_doorbell_o{"cpu_doorbell_o"};

  void reset() override;
  /// A fault: the next bits that are set in this doorbell are lost.
  void lose(Doorbell doorbell) { to_lose_ = doorbell; }
  void lose_no_more() { to_lose_.reset(); }
  [[nodiscard]] bool has_lost() const { return has_lost_; }
  void on_host_doorbell(std::function<void()> callback) { on_host_doorbell_ = std::move(callback); }

 private:
  SC_HAS_PROCESS(Mailbox);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  void write(size_t index, uint32_t value);
  void doorbell_method();

  std::array<uint32_t, spec::kMailboxRegisters.size()> values_{};
  std::function<void()> on_host_doorbell_;
  std::optional<Doorbell> to_lose_;
  bool has_lost_ = false;
  sc_core::sc_event doorbell_event_{"doorbell_event"};
};

}  // namespace vernier::soc
