// SPDX-License-Identifier: Apache-2.0
// The book of all commands of a job: times, layers, traffic; it knows when the job is done, and stops the machine at a
// fault.
//
// Contract: the command processor and the units report each command as it is fetched, dispatched, started and retired. The
// job is done when END has been reached and every dispatched command has retired. Done or fault, it halts the clock of the
// job and tells the status registers. Timing: none of its own.
#pragma once

#include "sim/kit/module.hpp"
#include "sim/units/attribution.hpp"
#include "sim/units/unit_if.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::units {

/// The status registers as the machine sees them.
class StatusIf : public virtual sc_core::sc_interface {
 public:
  virtual void set_done() = 0;
  virtual void set_fault(spec::FaultCode code, int64_t stream_offset_bytes, std::optional<base::Address> access) = 0;
  virtual void count_command() = 0;
};

/// What a job brings along.
struct JobSetup {
  std::span<const int32_t> command_layers;
  int32_t first_command_idx = 0;  // what the first command of the stream is called, where it is one of several streams
  std::vector<std::string> layer_names;
  bool has_values = true;
  int64_t watchdog_cycles = 0;
  std::function<void(int32_t command_idx, int64_t cycle)> on_retired;  // may be empty
};

struct MachineFault {
  spec::FaultCode code = spec::FaultCode::None;
  std::string detail;
  int32_t command_idx = 0;
  int64_t stream_offset_bytes = 0;
  std::optional<base::Address> access{};  // as CommandFault has it
};

class CommandLog : public kit::Module, public CommandLogIf {
 public:
  CommandLog(const sc_core::sc_module_name& name, kit::JobClock& clock);
  sc_core::sc_port<StatusIf> status_port{"status_port"};

  void reset() override;
  /// After reset(), before the job begins.
  void set_up(JobSetup setup);

  void fetched(int32_t command_idx, const timing::Traffic& fetch) override;
  void dispatched(int32_t command_idx) override;
  void end_reached(int32_t command_idx) override;
  void started(int32_t command_idx, const CommandStart& start) override;
  void phase_ended(int32_t command_idx, bool is_drain, PhaseRecord phase, std::span<const Share> shares) override;
  void retired(int32_t command_idx) override;
  void fault(const CommandFault& fault, const IssuedCommand& command) override;
  void timed_out() override;
  [[nodiscard]] std::string describe(int32_t command_idx) const override;
  [[nodiscard]] bool has_values() const override { return setup_.has_values; }
  [[nodiscard]] int64_t watchdog_cycles() const override { return setup_.watchdog_cycles; }

  /// What belongs to which layer, up to now; END belongs to the layer of the last command at work from here on.
  Attribution attribute();
  /// A command that has been fetched.
  [[nodiscard]] const CommandRecord& record_of(int32_t command_idx) const { return records_.commands[command_idx]; }
  /// All records, which are then gone from here.
  CommandRecords take_records() { return std::move(records_); }
  [[nodiscard]] const timing::Traffic& traffic() const { return traffic_; }
  [[nodiscard]] const std::optional<MachineFault>& machine_fault() const { return fault_; }
  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] bool is_timed_out() const { return is_timed_out_; }
  [[nodiscard]] int64_t num_retired() const { return num_retired_; }
  [[nodiscard]] int64_t last_end_cycle() const { return last_end_cycle_; }

 private:
  void finish_if_done();
  /// -1 when it belongs to none: it lies past the end of what the package knows.
  [[nodiscard]] int32_t layer_of(int32_t command_idx) const;
  JobSetup setup_;
  [[nodiscard]] CommandRecord& record(int32_t command_idx) { return records_.commands[command_idx]; }
  /// Those above zero.
  Shares add_shares(std::span<const Share> shares);
  CommandRecords records_;
  timing::Traffic traffic_;
  std::optional<MachineFault> fault_;
  int64_t num_dispatched_ = 0, num_retired_ = 0;
  int64_t last_end_cycle_ = 0;
  bool has_end_ = false, is_done_ = false, is_timed_out_ = false;
};

}  // namespace vernier::units
