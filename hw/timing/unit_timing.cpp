// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/unit_timing.hpp"

#include "hw/base/address.hpp"
#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/phase_builder.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace vernier::timing {

namespace {

Stall stall_of(Resource resource) {
  switch (resource) {
    case Resource::SramRead:
    case Resource::SramWrite: return Stall::PortContention;
    case Resource::RescaleLanes:
    case Resource::TableLanes: return Stall::RescaleContention;
    default: return Stall::ExternalMemory;
  }
}

}  // namespace

Profile profile(const spec::Command& command, const config::MachineConfig& config) {
  return std::visit(
      [&](const auto& body) -> Profile {
        if constexpr (std::is_same_v<std::decay_t<decltype(body)>, spec::EndCommand>) {
          return {};
        } else {
          return profile(body, config);
        }
      },
      command.body);
}

Capacities capacities_of(const config::MachineConfig& config) {
  Capacities capacities;
  const auto set = [&](Resource resource, base::Ratio per_cycle) {
    capacities.per_cycle[static_cast<size_t>(resource)] = per_cycle;
  };
  const spec::Datapath& datapath = config.datapath;
  set(Resource::SramRead, datapath.sram_read_words);
  set(Resource::SramWrite, datapath.sram_write_words);
  set(Resource::RescaleLanes, datapath.rescale_lanes() / datapath.lanes);
  set(Resource::TableLanes, datapath.table_lanes() / datapath.lanes);
  set(Resource::ExternalRead, config.external.bytes_per_cycle);
  set(Resource::ExternalWrite, config.external.bytes_per_cycle);
  capacities.external_shared = !config.external.is_full_duplex;
  return capacities;
}

void stretch_to_demand(Phase& phase, const config::MachineConfig& config, int64_t first_word_cycle) {
  const Capacities capacities = capacities_of(config);
  for (int r = 0; r < kNumResources; ++r) {
    const auto resource = static_cast<Resource>(r);
    int64_t wanted = demand(phase, resource);
    if (resource == Resource::ExternalRead && capacities.external_shared) wanted += demand(phase, Resource::ExternalWrite);
    const int64_t begin = resource == Resource::SramRead && wanted > 0 ? first_word_cycle : 0;
    const int64_t least = begin + base::ceil_div(wanted, capacities.per_cycle[static_cast<size_t>(r)]);
    if (is_outside(resource) && least > kMostPhaseCycles) {
      throw base::UserError(config.name,
                            "a command that moves {} bytes takes more than {} cycles at {} external bytes per cycle", wanted,
                            kMostPhaseCycles, base::to_string(config.external.bytes_per_cycle));
    }
    if (least > phase.cycles) add_stall(phase, stall_of(resource), least - phase.cycles);
  }
}

void set_lead(Phase& phase, int64_t cycles, const config::MachineConfig& config) {
  const Capacities capacities = capacities_of(config);
  phase.lead_cycles = std::min(cycles, phase.cycles);
  for (int r = 0; r < kNumResources; ++r) {
    const auto resource = static_cast<Resource>(r);
    if (is_read(resource)) continue;
    const int64_t behind = base::ceil_div(demand(phase, resource), capacities.per_cycle[static_cast<size_t>(r)]);
    phase.lead_cycles = std::min(phase.lead_cycles, phase.cycles - behind);
  }
}

Traffic& operator+=(Traffic& sum, const Traffic& traffic) {
  sum.sram_read_bytes += traffic.sram_read_bytes;
  sum.sram_write_bytes += traffic.sram_write_bytes;
  sum.external_read_bytes += traffic.external_read_bytes;
  sum.external_write_bytes += traffic.external_write_bytes;
  return sum;
}

Traffic traffic_of(const Profile& profile, const config::MachineConfig& config) {
  const auto total = [&](Resource resource) {
    return profile.main.demand[static_cast<size_t>(resource)] + profile.drain.demand[static_cast<size_t>(resource)];
  };
  const int64_t word_bytes = config.datapath.word_bytes();
  return {total(Resource::SramRead) * word_bytes, total(Resource::SramWrite) * word_bytes, total(Resource::ExternalRead),
          total(Resource::ExternalWrite)};
}

int64_t UnitTiming::earliest_start(int64_t ready) const { return std::max(ready, main_free_); }

int64_t UnitTiming::reserve(const Profile& profile, int64_t start) {
  VERNIER_CHECK(start >= main_free_, "a command is reserved at {}, the unit is free at {}", start, main_free_);
  const int64_t main_end = start + profile.main.cycles;
  if (profile.drain.cycles == 0) {
    main_free_ = main_end;
    return main_end;
  }
  // Until this drain can begin, its results hold one accumulator bank and the drain before it the other.
  main_free_ = std::max(main_end, drain_free_);
  drain_free_ = main_free_ + profile.drain.cycles;
  return drain_free_;
}

Phase fetch_phase(int64_t command_bytes, base::MemorySpace space, const config::MachineConfig& config) {
  Phase phase;
  const bool is_external = space == base::MemorySpace::External;
  const int64_t words = base::ceil_div(command_bytes, config.datapath.word_bytes());
  phase.busy_cycles = words + spec::kDecodeCycles;  // one word a cycle into the decoder
  phase.cycles = phase.busy_cycles;
  phase.datapath_cycles = phase.busy_cycles;
  // A stream is prefetched, so that its bursts are used whole and their latency is hidden.
  demand(phase, is_external ? Resource::ExternalRead : Resource::SramRead) = is_external ? command_bytes : words;
  stretch_to_demand(phase, config);
  return phase;
}

}  // namespace vernier::timing
