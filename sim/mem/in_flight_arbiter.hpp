// SPDX-License-Identifier: Apache-2.0
// Who gets how much of what is shared: the rule of hw/timing/in_flight.hpp at work in simulated time; and the machine's one
// calendar: when something ends, and when a unit wants to look again whether it may start.
//
// Contract: a unit starts a phase and is called back in the cycle in which it ends; it asks to be woken in a cycle and is.
// All ends of a cycle are delivered before any unit is woken in it, so that ends come before starts. Timing: one pending
// SystemC event in all, the earliest end or wake; its process runs once for each such cycle (a delta more for what the host
// asks).
#pragma once

#include "hw/timing/in_flight.hpp"
#include "sim/kit/module.hpp"

#include <array>
#include <vector>

namespace vernier::mem {

class PhaseClient {
 public:
  virtual void phase_ended(const timing::Ended& ended) = 0;
  virtual void woken() = 0;

 protected:
  ~PhaseClient() = default;
};

class PhaseIf : public virtual sc_core::sc_interface {
 public:
  /// Starts a phase of at least one cycle now; returns its id.
  virtual int32_t start_phase(const timing::Phase& phase, timing::Priority priority, PhaseClient& client) = 0;
  /// Calls woken() once in that cycle, now or later. Asked twice before that, the client is woken in the earlier cycle only.
  virtual void wake_at(int64_t cycle, PhaseClient& client) = 0;
};

/// For who shares the memories without being a unit of the NPU.
class SharedMemoriesIf : public virtual sc_core::sc_interface {
 public:
  /// The control CPU makes an access, which begins now. It is served before all phases: it takes no longer than it says, and
  /// phases may become longer. Does nothing while no stream runs.
  virtual void take(const timing::Phase& access) = 0;
};

class InFlightArbiter : public kit::Module, public PhaseIf, public SharedMemoriesIf {
 public:
  InFlightArbiter(const sc_core::sc_module_name& name, kit::JobClock& clock, const timing::Capacities& capacities);

  void reset() override;
  int32_t start_phase(const timing::Phase& phase, timing::Priority priority, PhaseClient& client) override;
  void wake_at(int64_t cycle, PhaseClient& client) override;
  void take(const timing::Phase& access) override;

 private:
  SC_HAS_PROCESS(InFlightArbiter);
  struct Wake {
    int64_t cycle;
    PhaseClient* client;
  };
  void calendar_method();
  void deliver_ends();
  void wake_clients();
  void schedule_next();

  void add(const timing::Phase& phase, int32_t phase_id, PhaseClient* client);

  /// A phase in flight: whose it is, and what it asks for in all.
  struct Client {
    int32_t phase_id;
    PhaseClient* client;  // null: nobody's who wants to know its end
    std::array<int64_t, timing::kNumResources> demand;
  };
  void show_moved(const Client& client, const timing::Ended& ended);

  timing::Capacities capacities_;
  std::array<kit::SignalId, timing::kNumResources> flows_{};
  timing::InFlight in_flight_;
  std::vector<Client> clients_;  // few are in flight at a time
  std::vector<Wake> wakes_;      // at most one a client, in the order of asking
  sc_core::sc_event next_event_{"next_event"};
  bool is_delivering_ = false;
};

}  // namespace vernier::mem
