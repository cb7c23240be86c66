// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/unit_timing.hpp"

#include "hw/spec/latency.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

namespace vernier::timing {
namespace {

Profile profile_of(int64_t main_cycles, int64_t drain_cycles) {
  Profile profile;
  profile.main.cycles = main_cycles;
  profile.drain.cycles = drain_cycles;
  return profile;
}

TEST_CASE("a unit is free when its main phase is over, not a cycle before") {
  UnitTiming unit;
  CHECK(unit.earliest_start(7) == 7);
  CHECK(unit.reserve(profile_of(100, 0), 7) == 107);
  CHECK(unit.earliest_start(106) == 107);
  CHECK(unit.earliest_start(107) == 107);
  CHECK(unit.earliest_start(108) == 108);
  CHECK_THROWS_AS(unit.reserve(profile_of(1, 0), 106), base::InternalError);
  CHECK(unit.reserve(profile_of(1, 0), 107) == 108);
}

TEST_CASE("a drain overlaps the next main, not the next drain") {
  UnitTiming unit;
  CHECK(unit.reserve(profile_of(100, 60), 0) == 160);
  CHECK(unit.earliest_start(0) == 100);  // the other accumulator bank
  // Main 100..110, its drain waits for the first drain until 160, and holds its bank until then.
  CHECK(unit.reserve(profile_of(10, 60), 100) == 220);
  CHECK(unit.earliest_start(0) == 160);
  // A main that ends after the drain before it waits for nothing.
  CHECK(unit.reserve(profile_of(61, 5), 160) == 226);
  CHECK(unit.earliest_start(0) == 221);
}

TEST_CASE("capacities are those of the machine") {
  const Capacities v256 = capacities_of(machine("v256"));
  CHECK(v256.per_cycle == std::array<base::Ratio, kNumResources>{4, 2, 1, 1, 16, 16});
  CHECK(v256.external_shared);
  const Capacities port8 = capacities_of(machine("v256-port8"));
  CHECK(port8.per_cycle[4] == 8);
  CHECK_FALSE(port8.external_shared);
  CHECK(capacities_of(machine("v256-sram48")).per_cycle[0] == 2);
}

TEST_CASE("a fetched command takes a word a cycle, then its decoding") {
  const config::MachineConfig config = machine("v256");
  const Phase sram = fetch_phase(128, base::MemorySpace::Sram, config);
  CHECK(sram.cycles == 128 / 16 + spec::kDecodeCycles);
  CHECK(demand_of(sram, Resource::SramRead) == 8);
  config::MachineConfig slow = config;
  slow.external.bytes_per_cycle = 4;
  const Phase external = fetch_phase(128, base::MemorySpace::External, slow);
  CHECK(external.cycles == 128 / 4);
  CHECK(demand_of(external, Resource::ExternalRead) == 128);
  CHECK(demand_of(external, Resource::SramRead) == 0);
  CHECK(external.cycles == external.busy_cycles + sum_of_stalls(external));
}

TEST_CASE("traffic is words and bursts in bytes, of both phases") {
  Profile profile;
  profile.main.demand = {10, 20, 1, 1, 64, 128};
  profile.drain.demand = {1, 2, 0, 0, 0, 0};
  const Traffic traffic = traffic_of(profile, machine("v1024"));
  CHECK(traffic.sram_read_bytes == 11 * 32);
  CHECK(traffic.sram_write_bytes == 22 * 32);
  CHECK(traffic.external_read_bytes == 64);
  CHECK(traffic.external_write_bytes == 128);
}

}  // namespace
}  // namespace vernier::timing
