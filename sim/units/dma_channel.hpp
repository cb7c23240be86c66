// SPDX-License-Identifier: Apache-2.0
// One of the two DMA channels: copies, gathers, scatters, fills, transposes and table fills, one at a time, in order.
//
// Contract: hw/spec/command.hpp, DmaCommand. Bytes move by TLM-2.0 transactions, a run at a time: read at the start of the
// command, written at its end.
// Timing: timing::profile(DmaCommand).
// Not modelled: the order of the bursts inside a command; descriptors that are prefetched (D-014).
#pragma once

#include "sim/units/due_event.hpp"
#include "sim/units/queued_unit.hpp"

#include <tlm_utils/simple_initiator_socket.h>

namespace vernier::units {

class DmaChannel : public QueuedUnit {
 public:
  DmaChannel(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
             const UnitRole& role, DueEvent& bus_error);
  tlm_utils::simple_initiator_socket<DmaChannel> sram_initiator{"sram_initiator"};
  tlm_utils::simple_initiator_socket<DmaChannel> external_initiator{"external_initiator"};

 protected:
  [[nodiscard]] timing::Profile profile(const spec::Command& command) override;
  [[nodiscard]] std::optional<CommandFault> check_state(const spec::Command& command) override;
  void sample(Running& running) override;
  void commit(Running& running) override;

 private:
  void sample_indexed(Running& running, const spec::DmaCommand& command);
  void commit_indexed(Running& running, const spec::DmaCommand& command);
  void transfer(tlm::tlm_command direction, base::MemorySpace space, int64_t offset, std::span<std::byte> bytes);
  tlm::tlm_generic_payload transaction_;
  DueEvent& bus_error_;  // of copies from or to external memory, of both channels
};

}  // namespace vernier::units
