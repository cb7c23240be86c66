// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/in_flight_arbiter.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <string_view>

namespace vernier::mem {

namespace {
struct FlowName {
  std::string_view name, unit;
};
// By timing::Resource.
constexpr std::array<FlowName, timing::kNumResources> kFlows{{{"sram_read", "words"},
                                                              {"sram_write", "words"},
                                                              {"rescale_lanes", "vectors"},
                                                              {"table_lanes", "vectors"},
                                                              {"external_read", "bytes"},
                                                              {"external_write", "bytes"}}};
}  // namespace

InFlightArbiter::InFlightArbiter(const sc_core::sc_module_name& name, kit::JobClock& clock,
                                 const timing::Capacities& capacities)
    : kit::Module(name, clock), capacities_(capacities), in_flight_(capacities) {
  SC_METHOD(calendar_method);
  sensitive << next_event_;
  dont_initialize();
  for (size_t i = 0; i < kFlows.size(); ++i) {
    flows_[i] = signals().declare(
        {this->name(), std::string(kFlows[i].name), kit::SignalKind::Flow, {}, std::string(kFlows[i].unit)});
  }
}

void InFlightArbiter::reset() {
  next_event_.cancel();
  in_flight_ = timing::InFlight(capacities_);
  clients_.clear();
  wakes_.clear();
  is_delivering_ = false;
}

int32_t InFlightArbiter::start_phase(const timing::Phase& phase, timing::Priority priority, PhaseClient& client) {
  const int32_t id = in_flight_.start(phase, priority, now());
  add(phase, id, &client);
  return id;
}

void InFlightArbiter::take(const timing::Phase& access) {
  if (!clock().is_running()) return;
  add(access, in_flight_.start(access, timing::Priority::ControlCpu, now()), nullptr);
}

void InFlightArbiter::add(const timing::Phase& phase, int32_t phase_id, PhaseClient* client) {
  clients_.push_back({phase_id, client, phase.demand});
  if (!is_delivering_) schedule_next();
}

void InFlightArbiter::wake_at(int64_t cycle, PhaseClient& client) {
  VERNIER_CHECK(cycle >= now(), "a unit wants to be woken at {}, it is {}", cycle, now());
  const auto entry = std::find_if(wakes_.begin(), wakes_.end(), [&](const Wake& wake) { return wake.client == &client; });
  if (entry == wakes_.end()) {
    wakes_.push_back({cycle, &client});
  } else {
    entry->cycle = std::min(entry->cycle, cycle);
  }
  if (!is_delivering_) schedule_next();
}

void InFlightArbiter::calendar_method() {
  guarded([this] {
    is_delivering_ = true;
    deliver_ends();
    wake_clients();
    is_delivering_ = false;
    schedule_next();
  });
}

void InFlightArbiter::deliver_ends() {
  for (const timing::Ended& ended : in_flight_.advance(now())) {
    const auto entry =
        std::find_if(clients_.begin(), clients_.end(), [&](const Client& c) { return c.phase_id == ended.id; });
    VERNIER_CHECK(entry != clients_.end(), "phase {} ends and belongs to nobody", ended.id);
    const Client client = *entry;
    clients_.erase(entry);
    show_moved(client, ended);
    if (client.client != nullptr) client.client->phase_ended(ended);
  }
}

void InFlightArbiter::show_moved(const Client& client, const timing::Ended& ended) {
  for (size_t i = 0; i < flows_.size(); ++i) signals().move(flows_[i], ended.start, ended.end, client.demand[i]);
}

void InFlightArbiter::wake_clients() {
  const auto is_due = [this](const Wake& wake) { return wake.cycle <= now(); };
  // Who is woken may wake others in this cycle.
  for (auto due = std::find_if(wakes_.begin(), wakes_.end(), is_due); due != wakes_.end();
       due = std::find_if(wakes_.begin(), wakes_.end(), is_due)) {
    PhaseClient* client = due->client;
    wakes_.erase(due);
    client->woken();
  }
}

void InFlightArbiter::schedule_next() {
  std::optional<int64_t> next = in_flight_.next_change();
  for (const Wake& wake : wakes_) next = std::min(next.value_or(wake.cycle), wake.cycle);
  next_event_.cancel();
  if (next) next_event_.notify(kit::to_time(std::max<int64_t>(*next - now(), 0)));
}

}  // namespace vernier::mem
