// SPDX-License-Identifier: Apache-2.0
// Who gets how much of what is shared: the rule of hw/timing/in_flight.hpp at work in simulated time.
//
// Contract: a unit starts a phase and is called back in the cycle in which it ends. All ends of a cycle are delivered before
// any unit starts something in it (units start a delta cycle later). Timing: one pending SystemC event, the earliest end;
// starts and ends move it.
#pragma once

#include "hw/timing/in_flight.hpp"
#include "sim/kit/module.hpp"

#include <utility>
#include <vector>

namespace vernier::mem {

class PhaseClient {
 public:
  virtual void phase_ended(const timing::Ended& ended) = 0;

 protected:
  ~PhaseClient() = default;
};

class PhaseIf : public virtual sc_core::sc_interface {
 public:
  /// Starts a phase of at least one cycle now; returns its id.
  virtual int32_t start_phase(const timing::Phase& phase, timing::Priority priority, PhaseClient& client) = 0;
};

class InFlightArbiter : public kit::Module, public PhaseIf {
 public:
  InFlightArbiter(const sc_core::sc_module_name& name, kit::JobClock& clock, const timing::Capacities& capacities);

  void reset() override;
  int32_t start_phase(const timing::Phase& phase, timing::Priority priority, PhaseClient& client) override;

 private:
  SC_HAS_PROCESS(InFlightArbiter);
  void end_method();
  void schedule_next_end();

  timing::Capacities capacities_;
  timing::InFlight in_flight_;
  std::vector<std::pair<int32_t, PhaseClient*>> clients_;  // by phase id; few are in flight at a time
  sc_core::sc_event next_end_event_{"next_end_event"};
  bool is_delivering_ = false;
};

}  // namespace vernier::mem
