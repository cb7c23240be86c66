// SPDX-License-Identifier: Apache-2.0
// The registers of hw/spec/registers.hpp: how a host or the control CPU starts a job and learns how it ended.
//
// Contract: TLM-2.0 b_transport from any number of initiators, one aligned 32-bit register a transaction; anything else
// gives an error response. Writing CONTROL bit 0 starts the stream, unless one runs; bit 1 resets all units. The interrupt
// line is high while IRQ_STATUS & IRQ_ENABLE is not 0. Timing: none here; what an access takes is the bus's
// (sim/soc/system_bus.hpp).
#pragma once

#include "hw/spec/registers.hpp"
#include "sim/kit/module.hpp"
#include "sim/units/command_log.hpp"
#include "sim/units/command_processor.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <functional>
#include <string_view>

namespace vernier::soc {

class ResetIf : public virtual sc_core::sc_interface {
 public:
  virtual void reset_units() = 0;
};

class RegisterFile : public kit::Module, public units::StatusIf {
 public:
  RegisterFile(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<RegisterFile> registers_target{"registers_target"};
  sc_core::sc_out<bool> irq_o{"irq_o"};
  sc_core::sc_port<units::StartIf> start_port{"start_port"};
  sc_core::sc_port<ResetIf> reset_port{"reset_port"};

  void reset() override;
  void set_done() override;
  void set_fault(spec::FaultCode code, int64_t stream_offset_bytes) override;
  void set_watchdog();
  void count_command() override;

  /// Called each time before a stream starts; empty: nothing is.
  void on_start(std::function<void()> callback) { on_start_ = std::move(callback); }

 private:
  SC_HAS_PROCESS(RegisterFile);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t read(size_t index) const;
  void write(size_t index, uint32_t value);
  void write_control(uint32_t value);
  [[nodiscard]] uint32_t& value_of(std::string_view name);
  void raise_interrupt(uint32_t bits);
  void interrupt_method();

  std::array<uint32_t, spec::kRegisters.size()> values_{};
  std::function<void()> on_start_;
  sc_core::sc_event interrupt_event_{"interrupt_event"};
};

}  // namespace vernier::soc
