// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/in_flight.hpp"

#include "hw/base/division.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::timing {

namespace {

constexpr size_t index_of(Resource resource) { return static_cast<size_t>(resource); }

/// The capacity that a resource draws on: its own, or that of ExternalRead for both directions.
size_t pool_of(size_t resource, const Capacities& capacities) {
  const bool is_shared = capacities.external_shared && resource == index_of(Resource::ExternalWrite);
  return is_shared ? index_of(Resource::ExternalRead) : resource;
}

/// The denominator of what a resource draws on.
int64_t denominator_of(size_t resource, const Capacities& capacities) {
  return capacities.per_cycle[pool_of(resource, capacities)].denominator();
}

/// What a phase asks per cycle that needs `demand` in `cycles`. Rounded down: demands that fit exactly slow nobody.
int64_t asked_per_cycle(int64_t demand, int64_t cycles, int64_t denominator) {
  if (denominator == 1) return demand * kOne / cycles;  // nearly always, and several times faster
  return static_cast<int64_t>(static_cast<base::Wide>(demand) * denominator * kOne / cycles);
}

/// What a phase that wants so much takes at that rate, rounded up.
int64_t taken(int64_t wanted, int64_t rate) {
  return static_cast<int64_t>((static_cast<base::Wide>(wanted) * rate + kOne - 1) / kOne);
}

/// Adds what a phase asks per cycle to the pools that it draws on.
void add_asked(std::array<int64_t, kNumResources>& wanted, const Asking& asking, const Capacities& capacities) {
  for (size_t r = 0; r < wanted.size(); ++r) wanted[pool_of(r, capacities)] += asking.per_cycle[r];
}

/// Whole cycles that sum to ceil(sum of parts), the parts with the largest fractions rounded up.
std::array<int64_t, kNumResources> whole_cycles(const std::array<int64_t, kNumResources>& parts) {
  const int64_t sum = std::accumulate(parts.begin(), parts.end(), int64_t{0});
  if (sum == 0) return {};  // nearly always
  const int64_t total = base::ceil_div(sum, kOne);
  std::array<int64_t, kNumResources> whole{};
  std::array<size_t, kNumResources> order{};
  int64_t given = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    whole[i] = parts[i] / kOne;
    given += whole[i];
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return parts[a] % kOne > parts[b] % kOne; });
  for (size_t i = 0; given < total; ++i, ++given) ++whole[order[i]];
  return whole;
}

}  // namespace

std::vector<Served> serve(const std::vector<Asking>& asking, const Capacities& capacities) {
  std::vector<size_t> order(asking.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return asking[a].priority < asking[b].priority; });

  std::array<int64_t, kNumResources> left{};
  for (size_t r = 0; r < left.size(); ++r) left[r] = capacities.per_cycle[r].numerator() * kOne;

  std::vector<Served> served(asking.size());
  for (const size_t who : order) {
    std::array<int64_t, kNumResources> wanted{};
    add_asked(wanted, asking[who], capacities);
    Served& result = served[who];
    for (size_t r = 0; r < wanted.size(); ++r) {
      if (wanted[r] <= left[r]) continue;  // also: nothing wanted
      const auto rate = static_cast<int64_t>(static_cast<base::Wide>(left[r]) * kOne / wanted[r]);
      if (rate >= result.rate) continue;
      result.rate = rate;
      // Where both directions share a pool, the name is that of the direction that the phase uses.
      const bool is_write_only =
          pool_of(index_of(Resource::ExternalWrite), capacities) == r && asking[who].per_cycle[r] == 0;
      result.limited_by = is_write_only ? Resource::ExternalWrite : static_cast<Resource>(r);
    }
    // Rounded up, so that the sum of what is taken never exceeds the capacity; never more than is left, since the rate is
    // rounded down.
    for (size_t r = 0; r < wanted.size(); ++r) left[r] -= taken(wanted[r], result.rate);
  }
  return served;
}

int32_t InFlight::start(const Phase& phase, Priority priority, int64_t now) {
  VERNIER_CHECK(phase.cycles >= 0, "a phase of {} cycles", phase.cycles);
  VERNIER_CHECK(phase.lead_cycles >= 0 && phase.lead_cycles <= phase.cycles, "a lead of {} cycles in a phase of {}",
                phase.lead_cycles, phase.cycles);
  const std::optional<int64_t> next = next_change();
  VERNIER_CHECK(!next || *next >= now, "a phase starts at {}, but one that ended at {} is still in flight", now, *next);
  progress_to(now);
  const int64_t cycles_behind = phase.cycles - phase.lead_cycles;
  Running running{next_id_++, now, {priority, {}}, {priority, {}}, true, phase.cycles * kOne, cycles_behind * kOne, {}, {}};
  for (size_t r = 0; r < phase.demand.size(); ++r) {
    const int64_t denominator = denominator_of(r, capacities_);
    if (is_read(static_cast<Resource>(r))) {
      if (phase.cycles == 0) continue;
      running.in_lead.per_cycle[r] = running.behind_lead.per_cycle[r] =
          asked_per_cycle(phase.demand[r], phase.cycles, denominator);
    } else if (phase.demand[r] > 0 && phase.cycles > 0) {
      VERNIER_CHECK(cycles_behind > 0, "a phase asks for {} of resource {} and is all lead", phase.demand[r], r);
      running.behind_lead.per_cycle[r] = asked_per_cycle(phase.demand[r], cycles_behind, denominator);
      running.is_reader = false;
    }
  }
  phases_.push_back(running);
  recompute();
  return running.id;
}

bool InFlight::does_lead_matter(const Running& running) const {
  return std::any_of(phases_.begin(), phases_.end(),
                     [&](const Running& other) { return other.id != running.id && !other.is_reader; });
}

std::optional<int64_t> InFlight::next_change() const {
  std::optional<int64_t> earliest;
  for (const Running& running : phases_) {
    if (running.remaining > 0 && running.served.rate == 0) continue;  // starved: somebody ends before it runs again
    const bool ends_lead = running.is_in_lead() && !running.is_reader && does_lead_matter(running);
    const int64_t work = running.remaining - (ends_lead ? running.remaining_behind : 0);
    const int64_t change = work <= 0 ? now_ : now_ + base::ceil_div(work, running.served.rate);
    if (!earliest || change < *earliest) earliest = change;
  }
  VERNIER_CHECK(earliest || phases_.empty(), "every phase in flight is starved: a capacity is 0");
  return earliest;
}

std::vector<Ended> InFlight::advance(int64_t now) {
  std::vector<Ended> ended;
  for (std::optional<int64_t> change = next_change(); change && *change <= now; change = next_change()) {
    progress_to(*change);
    for (const Running& running : phases_) {
      if (running.remaining <= 0) ended.push_back({running.id, running.start, now_, whole_cycles(running.slowed)});
    }
    std::erase_if(phases_, [](const Running& running) { return running.remaining <= 0; });
    recompute();
  }
  progress_to(now);
  return ended;
}

void InFlight::progress_to(int64_t now) {
  VERNIER_CHECK(now >= now_, "time runs backwards, from {} to {}", now_, now);
  const int64_t elapsed = now - now_;
  now_ = now;
  if (elapsed == 0) return;
  for (Running& running : phases_) {
    running.remaining -= running.served.rate * elapsed;
    if (running.served.limited_by) {
      running.slowed[index_of(*running.served.limited_by)] += (kOne - running.served.rate) * elapsed;
    }
  }
}

void InFlight::recompute() {
  asking_.clear();
  std::array<int64_t, kNumResources> wanted{};
  for (const Running& running : phases_) {
    const Asking& now = running.is_in_lead() ? running.in_lead : running.behind_lead;
    asking_.push_back(running.remaining > 0 ? now : Asking{});  // what has ended takes nothing
    add_asked(wanted, asking_.back(), capacities_);
  }
  bool fits = true;  // nearly always: demands that fit slow nobody
  for (size_t r = 0; r < wanted.size(); ++r) fits = fits && wanted[r] <= capacities_.per_cycle[r].numerator() * kOne;
  if (fits) {
    for (Running& running : phases_) running.served = {};
    return;
  }
  const std::vector<Served> served = serve(asking_, capacities_);
  for (size_t i = 0; i < phases_.size(); ++i) phases_[i].served = served[i];
}

}  // namespace vernier::timing
