// SPDX-License-Identifier: Apache-2.0
// The command processor: fetches the stream, decodes, checks, and issues to one queue a unit.
//
// Contract: commands are dispatched in stream order. A command whose queue is full holds up those behind it. A command that
// does not decode or is not well-formed stops the machine with its code and address. END stops the fetching. Timing:
// timing::fetch_phase for each command, in the in-flight arbiter; a dispatched command may start kIssueCycles later. Not
// modelled: fetching ahead while a queue is full (D-015).
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/package/command_codec.hpp"
#include "sim/kit/state_tracker.hpp"
#include "sim/mem/in_flight_arbiter.hpp"
#include "sim/mem/memory.hpp"
#include "sim/units/unit_if.hpp"

namespace vernier::units {

/// Where a stream lies.
struct StreamLocation {
  base::Address address;
  int64_t size_bytes = 0;
};

class StartIf : public virtual sc_core::sc_interface {
 public:
  virtual void start_stream(const StreamLocation& stream) = 0;
};

class CommandProcessor : public kit::Module, public StartIf, public mem::PhaseClient, public WaitReportIf {
 public:
  CommandProcessor(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config);
  sc_core::sc_port<mem::MemoryIf> sram_port{"sram_port"};
  sc_core::sc_port<mem::MemoryIf> external_port{"external_port"};
  sc_core::sc_port<mem::PhaseIf> phase_port{"phase_port"};
  sc_core::sc_port<CommandLogIf> log_port{"log_port"};
  sc_core::sc_port<DispatchIf> dma0_port{"dma0_port"}, dma1_port{"dma1_port"}, mac_port{"mac_port"},
      vector_port{"vector_port"};

  void reset() override;
  void start_stream(const StreamLocation& stream) override;
  void phase_ended(const timing::Ended& ended) override;
  void woken() override;
  [[nodiscard]] std::string wait_report() const override;
  [[nodiscard]] kit::StateTracker& tracker() { return tracker_; }

 private:
  enum class State : uint8_t { Stopped, Fetching, Dispatching };
  void fetch_next();
  void dispatch_current();
  [[nodiscard]] std::span<const std::byte> rest_of_stream();
  [[nodiscard]] std::optional<int64_t> find_parity_error(int64_t num_bytes);
  [[nodiscard]] DispatchIf& queue_port(spec::Queue queue);
  [[nodiscard]] IssuedCommand current_command() const;

  config::MachineConfig config_;
  kit::StateTracker tracker_;
  kit::SignalId command_;
  StreamLocation stream_;
  State state_ = State::Stopped;
  int64_t offset_bytes_ = 0;
  int32_t command_idx_ = 0;
  package::Decoded current_;
  timing::Phase fetch_;
  std::optional<int64_t> wrong_parity_;  // byte of the current command, in the memory of the stream
};

}  // namespace vernier::units
