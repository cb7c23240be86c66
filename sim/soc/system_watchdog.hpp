// SPDX-License-Identifier: Apache-2.0
// The watchdog of the system, of hw/spec/control_system.hpp: it ends what neither the firmware nor the NPU's own watchdog
// ends, and tells a machine that is stuck from one that is slow.
//
// Contract: TLM-2.0 b_transport, one aligned 32-bit register per transaction; anything else gives an error response. It is
// stuck when for STUCK_CYCLES neither a command of the NPU has ended nor FEED was written, and slow when FEED was not
// written for SLOW_CYCLES, whatever ended meanwhile; where both limits are met at once it is stuck. A limit of 0 is off; a
// new limit holds for what has been counted already. What fires it is told to the host, which ends the run.
//
// Timing: it fires at the end of the cycle in which a limit is reached: what ends a command or feeds it in that very cycle
// is in time. The module makes no event: who runs the simulation asks for due_cycle(). So a machine that waits for ever has
// no event left, and is found at once. Left out: a reset then, and an interrupt ahead of it.
#pragma once

#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <functional>
#include <optional>
#include <utility>

namespace vernier::soc {

/// What the NPU has done since the CPU's release, in cycles of the system's clock.
struct NpuProgress {
  int64_t num_commands = 0;    // that have ended
  int64_t last_end_cycle = 0;  // of the last of them; 0: none
};

class SystemWatchdog : public kit::Module {
 public:
  SystemWatchdog(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<SystemWatchdog> registers_target{"registers_target"};

  void reset() override;
  /// Where progress is looked up; without it there is none.
  void on_progress(std::function<NpuProgress()> progress) { progress_ = std::move(progress); }

  /// Called when due_cycle() may have become another one, by a register.
  void on_change(std::function<void()> callback) { on_change_ = std::move(callback); }

  /// At the end of this cycle it fires unless something happens first; it may lie in the past. Nothing: it is off.
  [[nodiscard]] std::optional<int64_t> due_cycle() const;
  /// A limit has been reached.
  void fire();

  [[nodiscard]] spec::WatchdogState state() const { return state_; }
  /// Since FEED was written.
  [[nodiscard]] int64_t num_commands() const;
  [[nodiscard]] int64_t limit_cycles(spec::WatchdogState why) const {
    return why == spec::WatchdogState::Stuck ? stuck_cycles_ : slow_cycles_;
  }

 private:
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t read(size_t index) const;
  void write(size_t index, uint32_t value);
  [[nodiscard]] NpuProgress progress() const { return progress_ ? progress_() : NpuProgress{}; }
  [[nodiscard]] std::optional<int64_t> stuck_cycle() const;
  [[nodiscard]] std::optional<int64_t> slow_cycle() const;

  std::function<NpuProgress()> progress_;
  std::function<void()> on_change_;
  uint32_t stuck_cycles_ = 0, slow_cycles_ = 0;
  int64_t fed_cycle_ = 0, fed_commands_ = 0;
  spec::WatchdogState state_ = spec::WatchdogState::Quiet;
};

}  // namespace vernier::soc
