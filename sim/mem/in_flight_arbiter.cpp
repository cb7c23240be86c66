// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/in_flight_arbiter.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::mem {

InFlightArbiter::InFlightArbiter(const sc_core::sc_module_name& name, kit::JobClock& clock,
                                 const timing::Capacities& capacities)
    : kit::Module(name, clock), capacities_(capacities), in_flight_(capacities) {
  SC_METHOD(end_method);
  sensitive << next_end_event_;
  dont_initialize();
}

void InFlightArbiter::reset() {
  next_end_event_.cancel();
  in_flight_ = timing::InFlight(capacities_);
  clients_.clear();
  is_delivering_ = false;
}

int32_t InFlightArbiter::start_phase(const timing::Phase& phase, timing::Priority priority, PhaseClient& client) {
  const int32_t id = in_flight_.start(phase, priority, now());
  clients_.emplace_back(id, &client);
  if (!is_delivering_) schedule_next_end();
  return id;
}

void InFlightArbiter::end_method() {
  guarded([this] {
    is_delivering_ = true;
    for (const timing::Ended& ended : in_flight_.advance(now())) {
      const auto entry = std::find_if(clients_.begin(), clients_.end(), [&](const auto& c) { return c.first == ended.id; });
      VERNIER_CHECK(entry != clients_.end(), "phase {} ends and belongs to nobody", ended.id);
      PhaseClient* client = entry->second;
      clients_.erase(entry);
      client->phase_ended(ended);
    }
    is_delivering_ = false;
    schedule_next_end();
  });
}

void InFlightArbiter::schedule_next_end() {
  next_end_event_.cancel();
  if (const auto end = in_flight_.next_end()) next_end_event_.notify(kit::to_time(std::max<int64_t>(*end - now(), 0)));
}

}  // namespace vernier::mem
