// SPDX-License-Identifier: Apache-2.0
// A queue with its unit behind it: the sequence that every command goes through, whatever the unit computes.
//
// Contract: commands start in the order in which they were dispatched, not before their issue latency, their tokens and the
// unit allow it. At the start operands are checked and sampled; at the end results are committed and tokens given. Commands
// end in order. A main phase occupies the unit; a drain phase follows it and may overlap the main phase of the next command;
// drains do not overlap each other, and the next main phase waits until the drain before it has begun. Timing: phases from
// hw/timing, stretched by the in-flight arbiter, which also wakes the queue when its head may be due. Not modelled: the
// values of a command that takes more cycles than the watchdog allows between two ends: the watchdog fires, at the latest
// when the command ends (D-023).
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/kit/module.hpp"
#include "sim/kit/state_tracker.hpp"
#include "sim/mem/in_flight_arbiter.hpp"
#include "sim/units/queue_use.hpp"
#include "sim/units/unit_if.hpp"

#include <deque>
#include <memory>

namespace vernier::units {

/// A command in flight.
struct Running {
  enum class Stage : uint8_t { Main, AwaitDrain, Drain };
  IssuedCommand issued;
  timing::Profile profile;
  Stage stage = Stage::Main;
  int32_t phase_id = -1;
  int64_t phase_start_cycle = 0;
  bool can_end = true;             // before the watchdog fires
  bool has_values = false;         // operands were sampled
  kernels::WriteSet writes;        // what will be committed to SRAM
  std::vector<std::byte> sampled;  // what a copy carries
};

/// Which tracks of which tracker this queue fills in, and with what priority its phases are served.
struct UnitRole {
  spec::Queue queue;
  timing::Priority main_priority, drain_priority;
  kit::StateTracker* tracker;
  size_t main_track, drain_track;
};

class QueuedUnit : public kit::Module, public DispatchIf, public TokenListener, public mem::PhaseClient {
 public:
  sc_core::sc_port<mem::PhaseIf> phase_port{"phase_port"};
  sc_core::sc_port<TokenIf> token_port{"token_port"};
  sc_core::sc_port<HazardIf> hazard_port{"hazard_port"};
  sc_core::sc_port<CommandLogIf> log_port{"log_port"};
  sc_core::sc_port<LanesIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> rescale_port{"rescale_port"};
  sc_core::sc_port<TableIf> table_port{"table_port"};

  void reset() override;
  [[nodiscard]] bool has_room() const override;
  [[nodiscard]] int64_t num_waiting() const override;
  void dispatch(IssuedCommand command) override;
  void wake_when_room(mem::PhaseClient& client) override;
  void token_given() override { wake(); }
  void phase_ended(const timing::Ended& ended) override;
  void woken() override;
  [[nodiscard]] std::string wait_report() const override;
  [[nodiscard]] spec::Queue queue() const { return role_.queue; }
  /// From the start of the job up to now.
  [[nodiscard]] QueueUse queue_use() { return meter_.use(now()); }

 protected:
  QueuedUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
             const UnitRole& role);
  void end_of_elaboration() override;
  [[nodiscard]] const config::MachineConfig& config() const { return config_; }

  [[nodiscard]] virtual timing::Profile profile(const spec::Command& command) = 0;
  /// State of the unit that the command needs: tables filled, accumulators kept. Called at the start, before sample().
  [[nodiscard]] virtual std::optional<CommandFault> check_state(const spec::Command& command) = 0;
  /// The command starts: with running.has_values, computes what it will write; state that the next command's start sees.
  virtual void sample(Running& running) = 0;
  /// The main phase of a command has ended.
  virtual void main_ended(const Running& /*running*/) {}
  /// The command ends: with running.has_values, writes it to the memories; state that belongs to the end.
  virtual void commit(Running& running) = 0;

 private:
  /// A command entered or left the queue.
  void queue_changed();
  /// woken() in this cycle, when all its ends are known.
  void wake() { phase_port->wake_at(now(), *this); }
  [[nodiscard]] bool is_main_free() const;
  /// True when the head may start now; otherwise the state is entered and the wake-up arranged.
  bool is_head_ready();
  void wait_for(timing::Stall stall, int64_t until_cycle);
  /// Closes the wait that the head is in.
  void close_wait();
  void start_head();
  void begin_phase(Running& running, const timing::Phase& phase, bool is_drain);
  void end_phase(const Running& running, const timing::Phase& phase, bool is_drain, const timing::Ended& ended);
  void start_drains();
  void retire_front();
  void raise(const CommandFault& fault, const IssuedCommand& command);

  config::MachineConfig config_;
  UnitRole role_;
  kit::SignalId queue_depth_, command_, drain_command_;
  std::deque<IssuedCommand> queue_;
  QueueMeter meter_;
  std::optional<timing::Stall> wait_;  // the one that the head is in
  int64_t wait_start_cycle_ = 0;
  std::vector<Share> waits_;                      // of the head, before that one
  std::deque<std::unique_ptr<Running>> running_;  // oldest first
  std::vector<std::unique_ptr<Running>> spare_;   // their buffers are used again
  mem::PhaseClient* wants_room_ = nullptr;
};

}  // namespace vernier::units
