// SPDX-License-Identifier: Apache-2.0
// Flips a bit of a memory in a given cycle, before any command that starts in it reads.
//
// Contract: begin() once a job; nothing happens in a job without it. Timing: none, the machine does not notice.
#pragma once

#include "sim/mem/in_flight_arbiter.hpp"
#include "sim/mem/memory.hpp"
#include "sim/units/injection.hpp"

namespace vernier::units {

class FaultInjector : public kit::Module, public mem::PhaseClient {
 public:
  FaultInjector(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {}
  sc_core::sc_port<mem::PhaseIf> phase_port{"phase_port"};

  void reset() override;
  /// Flips the bit of the byte whose index is counted from `base` of `memory`.
  void begin(mem::MemoryIf& memory, int64_t base, const Injection& injection);
  /// What happened; nothing when the job ended before.
  [[nodiscard]] const std::optional<InjectedFault>& injected() const { return injected_; }

  void phase_ended(const timing::Ended&) override {}
  void woken() override;

 private:
  mem::MemoryIf* memory_ = nullptr;
  int64_t base_ = 0;
  InjectedFault fault_;
  std::optional<InjectedFault> injected_;
};

}  // namespace vernier::units
