// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/in_flight.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace vernier::timing {
namespace {

constexpr Capacities kCapacities{{4, 2, 1, 1, 16, 16}, true};

Phase phase_of(int64_t cycles, Resource resource, int64_t demand) {
  Phase phase;
  phase.cycles = phase.busy_cycles = cycles;
  phase.demand[static_cast<size_t>(resource)] = demand;
  return phase;
}

int64_t slowed_by(const Ended& ended, Resource resource) { return ended.slowed_cycles[static_cast<size_t>(resource)]; }
int64_t slowed(const Ended& ended) {
  return std::accumulate(ended.slowed_cycles.begin(), ended.slowed_cycles.end(), int64_t{0});
}

TEST_CASE(
    "demands that sum to 1.5 of a port: the first in the order of service is not slowed, the other ends when the rule "
    "says") {
  const bool dma_first = GENERATE(false, true);
  InFlight in_flight(kCapacities);
  // 3 words a cycle each, of 4. The DMA gets 1 word of its 3 for 100 cycles, a third of its work; 66.67 cycles are left.
  const Phase phase = phase_of(100, Resource::SramRead, 300);
  int32_t mac = 0, dma = 0;
  if (dma_first) dma = in_flight.start(phase, Priority::Dma, 0);
  mac = in_flight.start(phase, Priority::MacMain, 0);
  if (!dma_first) dma = in_flight.start(phase, Priority::Dma, 0);
  CHECK(in_flight.next_change() == 100);
  CHECK(in_flight.advance(99).empty());
  const std::vector<Ended> first = in_flight.advance(100);
  REQUIRE(first.size() == 1);
  CHECK(first[0].id == mac);
  CHECK(slowed(first[0]) == 0);
  CHECK(in_flight.next_change() == 167);
  CHECK(in_flight.advance(166).empty());
  const std::vector<Ended> second = in_flight.advance(167);
  REQUIRE(second.size() == 1);
  CHECK(second[0].id == dma);
  CHECK(second[0].end == 167);
  CHECK(slowed_by(second[0], Resource::SramRead) == 67);
  CHECK(in_flight.empty());
  CHECK_FALSE(in_flight.next_change());
}

TEST_CASE("1.5 of a port, the second starts late: only the overlap is slowed") {
  InFlight in_flight(kCapacities);
  const int32_t dma = in_flight.start(phase_of(100, Resource::SramWrite, 150), Priority::Dma, 0);
  CHECK(in_flight.advance(50).empty());
  const int32_t vector = in_flight.start(phase_of(40, Resource::SramWrite, 60), Priority::VectorUnit, 50);
  // 50 cycles done; then 40 at 0.5 / 1.5; then 36.67 alone.
  const std::vector<Ended> ended = in_flight.advance(1000);
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].id == vector);
  CHECK(ended[0].end == 90);
  CHECK(ended[1].id == dma);
  CHECK(ended[1].end == 127);
  CHECK(slowed_by(ended[1], Resource::SramWrite) == 27);
}

TEST_CASE("at 0.9 of a port, and at exactly all of it, nobody is slowed") {
  const auto [a, b] = GENERATE(std::pair<int64_t, int64_t>{180, 180}, std::pair<int64_t, int64_t>{133, 267});
  InFlight in_flight(kCapacities);
  in_flight.start(phase_of(100, Resource::SramRead, a), Priority::VectorUnit, 0);
  in_flight.start(phase_of(100, Resource::SramRead, b), Priority::Dma, 0);
  CHECK(in_flight.advance(99).empty());
  const std::vector<Ended> ended = in_flight.advance(100);
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].id < ended[1].id);  // equal ends: by age
  CHECK(slowed(ended[0]) + slowed(ended[1]) == 0);
}

TEST_CASE("a starved phase waits, and says for what") {
  InFlight in_flight(kCapacities);
  const int32_t mac = in_flight.start(phase_of(100, Resource::RescaleLanes, 100), Priority::MacDrain, 0);
  const int32_t vector = in_flight.start(phase_of(10, Resource::RescaleLanes, 10), Priority::VectorUnit, 0);
  CHECK(in_flight.next_change() == 100);
  const std::vector<Ended> ended = in_flight.advance(110);
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].id == mac);
  CHECK(ended[1].id == vector);
  CHECK(ended[1].end == 110);
  CHECK(slowed_by(ended[1], Resource::RescaleLanes) == 100);
}

TEST_CASE("a phase alone that asks for more than there is runs at capacity / asking") {
  InFlight in_flight(kCapacities);
  in_flight.start(phase_of(100, Resource::SramRead, 800), Priority::Dma, 5);
  CHECK(in_flight.next_change() == 205);
}

TEST_CASE("half duplex: reads and writes share one capacity") {
  for (const bool is_shared : {true, false}) {
    Capacities capacities = kCapacities;
    capacities.external_shared = is_shared;
    InFlight in_flight(capacities);
    in_flight.start(phase_of(10, Resource::ExternalRead, 160), Priority::Dma, 0);
    in_flight.start(phase_of(10, Resource::ExternalWrite, 160), Priority::Dma, 0);
    const std::vector<Ended> ended = in_flight.advance(20);
    REQUIRE(ended.size() == 2);
    CHECK(ended[0].end == 10);
    CHECK(ended[1].end == (is_shared ? 20 : 10));
    CHECK(slowed_by(ended[1], Resource::ExternalWrite) == (is_shared ? 10 : 0));
  }
}

TEST_CASE("a capacity that is a ratio: two that need all of it take turns, to the cycle") {
  const base::Ratio bandwidth = GENERATE(base::Ratio(1, 125), base::Ratio(1, 65536), base::Ratio(16, 3), base::Ratio(8),
                                         base::Ratio(1'000'000'007, 99'999'999'977));
  const int64_t bytes = 4096, alone = base::ceil_div(bytes, bandwidth);
  for (const bool is_shared : {true, false}) {
    CAPTURE(base::to_string(bandwidth), is_shared);
    Capacities capacities = kCapacities;
    capacities.external_shared = is_shared;
    capacities.per_cycle[4] = capacities.per_cycle[5] = bandwidth;
    InFlight in_flight(capacities);
    in_flight.start(phase_of(alone, Resource::ExternalRead, bytes), Priority::Dma, 0);
    in_flight.start(phase_of(alone, Resource::ExternalWrite, bytes), Priority::Dma, 0);
    const std::vector<Ended> first = in_flight.advance(alone);
    REQUIRE(first.size() == (is_shared ? 1 : 2));
    CHECK(slowed(first[0]) == 0);
    if (!is_shared) continue;
    // Rounding leaves the second less than a ten-thousandth of the first's time; a cycle where nothing is rounded.
    const int64_t end = in_flight.next_change().value();
    CHECK(end <= 2 * alone);
    CHECK(end >= 2 * alone - 1 - alone / 10'000);
  }
}

TEST_CASE("a capacity that is a ratio: demands that fit slow nobody, and a thousandth more does") {
  Capacities capacities = kCapacities;
  capacities.per_cycle[4] = {1, 125};
  for (const int64_t surplus : {0, 1}) {
    InFlight in_flight(capacities);
    // 3 of 8 bytes in 1,000 cycles, and 5.
    in_flight.start(phase_of(1'000'000, Resource::ExternalRead, 3000 + 8 * surplus), Priority::Dma, 0);
    in_flight.start(phase_of(1'000'000, Resource::ExternalRead, 5000), Priority::Dma, 0);
    CHECK(in_flight.advance(1'000'000).size() == (surplus == 0 ? 2 : 1));
  }
}

TEST_CASE("in its lead a phase asks for reads alone, and behind it for the rest") {
  InFlight in_flight(kCapacities);
  // 100 cycles, of which 60 are lead: 4 of 4 words read all the time, then 80 / 40 = 2 of 2 words written.
  Phase phase = phase_of(100, Resource::SramRead, 400);
  phase.demand[static_cast<size_t>(Resource::SramWrite)] = 80;
  phase.lead_cycles = 60;
  in_flight.start(phase, Priority::MacMain, 0);
  CHECK(in_flight.next_change() == 100);  // alone, nobody notices the end of its lead
  const int32_t writes = in_flight.start(phase_of(60, Resource::SramWrite, 120), Priority::VectorUnit, 0);
  CHECK(in_flight.next_change() == 60);
  const int32_t reads = in_flight.start(phase_of(10, Resource::SramRead, 10), Priority::Dma, 0);
  const int32_t more = in_flight.start(phase_of(10, Resource::SramWrite, 20), Priority::Dma, 0);
  const std::vector<Ended> ended = in_flight.advance(1000);
  REQUIRE(ended.size() == 4);
  CHECK(ended[0].id == writes);
  CHECK(ended[0].end == 60);
  CHECK(slowed(ended[0]) == 0);
  CHECK(ended[1].end == 100);
  CHECK(slowed(ended[1]) == 0);
  CHECK(ended[2].id == reads);
  CHECK(slowed_by(ended[2], Resource::SramRead) == 100);
  CHECK(ended[3].id == more);
  CHECK(slowed_by(ended[3], Resource::SramWrite) == 100);
}

TEST_CASE("a slowed lead ends later") {
  InFlight in_flight(kCapacities);
  Phase phase = phase_of(100, Resource::SramRead, 200);
  phase.demand[static_cast<size_t>(Resource::RescaleLanes)] = 50;
  phase.lead_cycles = 50;
  in_flight.start(phase_of(40, Resource::SramRead, 120), Priority::MacDrain, 0);  // leaves 1 word of 2 for 40 cycles
  in_flight.start(phase, Priority::MacMain, 0);
  const int32_t lanes = in_flight.start(phase_of(80, Resource::RescaleLanes, 80), Priority::VectorUnit, 0);
  // The lead's 50 cycles end at 70; from there its lanes are all taken for 50 cycles.
  CHECK(in_flight.advance(70).size() == 1);
  CHECK(in_flight.next_change() == 120);
  const std::vector<Ended> ended = in_flight.advance(130);
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].end == 120);
  CHECK(ended[1].id == lanes);
  CHECK(ended[1].end == 130);
}

TEST_CASE("a lead longer than its phase, or one that leaves no time for the rest, is an internal error") {
  InFlight in_flight(kCapacities);
  Phase phase = phase_of(10, Resource::SramWrite, 1);
  phase.lead_cycles = 11;
  CHECK_THROWS_AS(in_flight.start(phase, Priority::MacMain, 0), base::InternalError);
  phase.lead_cycles = 10;
  CHECK_THROWS_AS(in_flight.start(phase, Priority::MacMain, 0), base::InternalError);
}

TEST_CASE("a phase of no cycles ends when it starts") {
  InFlight in_flight(kCapacities);
  in_flight.start(Phase{}, Priority::CommandFetch, 42);
  const std::vector<Ended> ended = in_flight.advance(42);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].end == 42);
}

TEST_CASE("time runs forwards, and ended phases are collected before others start") {
  InFlight in_flight(kCapacities);
  in_flight.start(phase_of(10, Resource::SramRead, 1), Priority::Dma, 0);
  CHECK_THROWS_AS(in_flight.start(Phase{}, Priority::Dma, 11), base::InternalError);
  in_flight.start(phase_of(10, Resource::SramRead, 40), Priority::Dma, 10);  // the first one has ended: it takes nothing
  CHECK(in_flight.advance(20).size() == 2);
  CHECK_THROWS_AS(in_flight.advance(19), base::InternalError);
}

Asking random_asking(std::mt19937& random) {
  Asking asking;
  asking.priority = static_cast<Priority>(random() % 6);
  for (size_t r = 0; r < kNumResources; ++r) {
    if (random() % 2 == 0) asking.per_cycle[r] = static_cast<int64_t>(random() % static_cast<uint64_t>(5 * kOne));
  }
  return asking;
}

TEST_CASE("random askings: never more than there is, nobody slowed by who is served later, in order of service") {
  const uint32_t seed = 4711;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int set = 0; set < 2000; ++set) {
    Capacities capacities = kCapacities;
    capacities.external_shared = set % 2 == 0;
    std::vector<Asking> asking(1 + random() % 5);
    for (Asking& one : asking) one = random_asking(random);
    const std::vector<Served> served = serve(asking, capacities);
    std::array<double, kNumResources> taken{};
    for (size_t i = 0; i < asking.size(); ++i) {
      CHECK(served[i].rate >= 0);
      CHECK(served[i].rate <= kOne);
      CHECK(served[i].limited_by.has_value() == (served[i].rate < kOne));
      if (served[i].limited_by) CHECK(asking[i].per_cycle[static_cast<size_t>(*served[i].limited_by)] > 0);
      for (size_t r = 0; r < kNumResources; ++r) {
        const size_t pool = capacities.external_shared && r == 5 ? 4 : r;
        taken[pool] += static_cast<double>(asking[i].per_cycle[r]) * static_cast<double>(served[i].rate) / kOne / kOne;
      }
    }
    for (size_t r = 0; r < kNumResources; ++r) CHECK(taken[r] <= static_cast<double>(capacities.per_cycle[r].numerator()));
    // Without the last in the order of service, the others run as before.
    const auto last = std::max_element(asking.begin(), asking.end(), [](const Asking& a, const Asking& b) {
      return a.priority <= b.priority;  // the youngest of the greatest
    });
    const auto index = static_cast<size_t>(last - asking.begin());
    asking.erase(last);
    const std::vector<Served> without = serve(asking, capacities);
    for (size_t i = 0; i < asking.size(); ++i) CHECK(without[i].rate == served[i < index ? i : i + 1].rate);
  }
}

TEST_CASE("random phases in flight: every cycle is accounted for, and nobody notices who is served later") {
  const uint32_t seed = 815;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int set = 0; set < 300; ++set) {
    struct Start {
      int64_t now;
      Phase phase;
      Priority priority;
    };
    std::vector<Start> starts;
    int64_t now = 0;
    for (int i = 0; i < 8; ++i) {
      Phase phase = phase_of(static_cast<int64_t>(random() % 300), Resource::SramRead, 0);
      for (int64_t& demand : phase.demand) demand = static_cast<int64_t>(random() % 2 * random() % 900);
      starts.push_back({now, phase, static_cast<Priority>(random() % 6)});
      now += static_cast<int64_t>(random() % 100);
    }
    const auto ends_without = [&](size_t skipped) {
      InFlight in_flight(kCapacities);
      std::map<size_t, int64_t> ends;
      std::vector<size_t> index_of_id;
      const auto collect = [&](int64_t until) {
        int64_t before = -1;
        for (const Ended& ended : in_flight.advance(until)) {
          const Start& start = starts[index_of_id[static_cast<size_t>(ended.id)]];
          CHECK(ended.start == start.now);
          CHECK(ended.end - ended.start == start.phase.cycles + slowed(ended));
          CHECK(ended.end >= before);
          before = ended.end;
          ends[index_of_id[static_cast<size_t>(ended.id)]] = ended.end;
        }
      };
      for (size_t i = 0; i < starts.size(); ++i) {
        collect(starts[i].now);
        if (i == skipped) continue;
        index_of_id.push_back(i);
        in_flight.start(starts[i].phase, starts[i].priority, starts[i].now);
      }
      collect(1'000'000'000);
      CHECK(in_flight.empty());
      return ends;
    };
    const auto all = ends_without(starts.size());
    CHECK(all.size() == starts.size());
    CHECK(all == ends_without(starts.size()));  // repeatable
    for (size_t skipped = 0; skipped < starts.size(); ++skipped) {
      // Whoever is served before the one left out does not notice.
      for (const auto& [index, end] : ends_without(skipped)) {
        if (starts[index].priority < starts[skipped].priority) CHECK(end == all.at(index));
      }
    }
  }
}

}  // namespace
}  // namespace vernier::timing
