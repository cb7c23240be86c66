// SPDX-License-Identifier: Apache-2.0
// What a command waits for, to the cycle: every set of givers, in every order in which they end. A wait is for the DMA while
// a token of a DMA queue is missing, or came last and is on its way; for a token else.
#include "hw/spec/latency.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <map>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr std::array<Queue, 4> kWaitQueues{Queue::Dma0, Queue::Dma1, Queue::MacArray, Queue::VectorUnit};
constexpr std::array<const char*, 4> kUnits{"dma", "dma", "mac_array", "vector_unit"};
constexpr int64_t kWaitWeights = 0x80000, kWaitParameters = 0x81000;

bool is_dma(size_t queue) { return queue < 2; }

/// A command of the queue that takes longer the larger `size` is, in memory of its own.
spec::Command command_of(size_t queue, int64_t size, int64_t place, const config::MachineConfig& config) {
  const int64_t from = place * 0x8000, to = from + 0x4000;
  switch (kWaitQueues[queue]) {
    case Queue::MacArray:
      return {{Queue::MacArray, 0, 0}, pointwise(config, 1, 40 * size, from, kWaitWeights, kWaitParameters, to)};
    case Queue::VectorUnit: return vector_add(from, to, 600 * size, 1);
    default: return dma_copy(kWaitQueues[queue], sram(from), sram(to), 1200 * size);
  }
}

struct Case {
  size_t taker = 0;
  std::vector<size_t> givers;
  std::array<int64_t, 4> sizes{};  // of the givers' commands, by queue
};

/// The givers' commands, then the one that takes a token of each, the last before END.
JobResult run_case(const Case& one) {
  StreamAssembler stream(v256());
  const config::MachineConfig& config = stream.package().config;
  stream.ramp(sram(kWaitWeights), 256).data(sram(kWaitParameters), channel_parameters(16, 0, 1 << 30, 40));
  uint8_t wait = 0;
  for (const size_t giver : one.givers) {
    const auto place = static_cast<int64_t>(giver);
    stream.ramp(sram(place * 0x8000), 0x4000);
    stream.add(command_of(giver, one.sizes[giver], place, config), 0, tokens({kWaitQueues[one.taker]}));
    wait = static_cast<uint8_t>(wait | spec::queue_bit(kWaitQueues[giver]));
  }
  stream.ramp(sram(8 * 0x8000), 0x4000).add(command_of(one.taker, 1, 8, config), wait).end();
  return run(stream);
}

using Waits = std::map<std::string, int64_t>;

/// By the rule, cycle by cycle, from the ends of the givers. `is_seen`: whether the unit's counts show the cycle.
template <typename Seen>
Waits expected_waits(const JobResult& result, const Case& one, Seen is_seen) {
  const units::CommandRecord& taker = result.commands[one.givers.size()];
  int64_t from = taker.dispatch_cycle;
  for (size_t i = 0; i < one.givers.size(); ++i) {  // behind the command before it in its own queue
    if (one.givers[i] == one.taker) from = std::max(from, result.commands[i].main.end_cycle);
  }
  Waits waits;
  for (int64_t cycle = from; cycle < taker.start_cycle; ++cycle) {
    if (!is_seen(cycle)) continue;
    if (cycle < taker.dispatch_cycle + spec::kIssueCycles) {
      ++waits["command_issue"];
      continue;
    }
    bool is_missing = false, is_dma_missing = false, is_dma_last = false;
    int64_t last = -1;
    for (size_t i = 0; i < one.givers.size(); ++i) {
      const int64_t end = result.commands[i].end_cycle;
      const bool missing = end > cycle;
      is_missing |= missing;
      is_dma_missing |= missing && is_dma(one.givers[i]);
      if (end > last) is_dma_last = false;
      if (end >= last) is_dma_last |= is_dma(one.givers[i]);
      last = std::max(last, end);
    }
    ++waits[(is_missing ? is_dma_missing : is_dma_last) ? "dma" : "waiting_for_token"];
  }
  return waits;
}

Waits waits_of(const JobResult& result, size_t command) {
  Waits waits;
  const units::Shares& range = result.commands[command].waits;
  for (size_t i = range.first; i < size_t{range.first} + range.count; ++i) {
    waits[std::string(timing::kStallNames[result.shares[i].bucket.stall_idx()])] += result.shares[i].cycles;
  }
  return waits;
}

void check_case(const Case& one) {
  const JobResult result = run_case(one);
  require_done(result);
  const size_t taker = one.givers.size();
  int64_t last = 0, last_giver = -1;
  for (size_t i = 0; i < taker; ++i) {
    if (result.commands[i].end_cycle <= last) continue;
    last = result.commands[i].end_cycle;
    last_giver = static_cast<int64_t>(i);
  }
  CHECK(result.commands[taker].start_cycle ==
        std::max(last + spec::kTokenCycles, result.commands[taker].dispatch_cycle + spec::kIssueCycles));
  CHECK(result.commands[taker].last_giver_idx == last_giver);  // givers are in the order of their queues
  CHECK(result.commands[taker].token_cycle == last + spec::kTokenCycles);
  CHECK(waits_of(result, taker) == expected_waits(result, one, [](int64_t) { return true; }));

  if (is_dma(one.taker)) return;  // two channels are one unit
  const auto is_draining = [&](int64_t cycle) {
    return std::any_of(result.commands.begin(), result.commands.end(), [&](const units::CommandRecord& command) {
      return command.queue == kWaitQueues[one.taker] && command.drain.start_cycle <= cycle &&
             cycle < command.drain.end_cycle;
    });
  };
  Waits of_unit = expected_waits(result, one, [&](int64_t cycle) { return !is_draining(cycle); });
  for (size_t i = 0; i < taker; ++i) {
    if (one.givers[i] != one.taker) continue;
    for (const auto& [name, cycles] : waits_of(result, i)) of_unit[name] += cycles;
  }
  for (const char* name : {"command_issue", "waiting_for_token", "dma"}) {
    CHECK(result.units.value(fmt::format("{}/stall_cycles/{}", kUnits[one.taker], name)) == of_unit[name]);
  }
}

}  // namespace

TEST_CASE("Every mix of givers, in every order of their ends") {
  for (size_t taker = 0; taker < kWaitQueues.size(); ++taker) {
    for (size_t mask = 1; mask < 16; ++mask) {
      Case one;
      one.taker = taker;
      for (size_t giver = 0; giver < 4; ++giver) {
        if ((mask >> giver & 1U) != 0) one.givers.push_back(giver);
      }
      std::array<int64_t, 4> sizes{1, 2, 3, 4};
      do {
        one.sizes = sizes;
        INFO("taker " << taker << ", givers " << mask << ", sizes " << sizes[0] << sizes[1] << sizes[2] << sizes[3]);
        check_case(one);
      } while (one.givers.size() > 1 && std::next_permutation(sizes.begin(), sizes.end()));
    }
  }
}

TEST_CASE("A wait for the array and the DMA, by hand") {
  // The copy ends first, then the array: the vector unit waits for the DMA, then for a token, then for the token's way.
  const Case one{3, {0, 2}, {1, 0, 4, 0}};
  const JobResult result = run_case(one);
  require_done(result);
  const units::CommandRecord& copy = result.commands[0];
  const units::CommandRecord& mac = result.commands[1];
  const units::CommandRecord& taker = result.commands[2];
  REQUIRE(taker.dispatch_cycle + spec::kIssueCycles < copy.end_cycle);
  REQUIRE(copy.end_cycle < mac.end_cycle);
  CHECK(waits_of(result, 2) == Waits{{"command_issue", spec::kIssueCycles},
                                     {"dma", copy.end_cycle - taker.dispatch_cycle - spec::kIssueCycles},
                                     {"waiting_for_token", mac.end_cycle + spec::kTokenCycles - copy.end_cycle}});
  CHECK(taker.last_giver_idx == 1);
}

TEST_CASE("Two tokens that end in one cycle: the DMA's counts") {
  Case one{2, {0, 3}, {1, 0, 0, 1}};
  bool is_found = false;  // lengths that end together
  for (int64_t bytes = 32; bytes <= 2048 && !is_found; bytes += 32) {
    StreamAssembler stream(v256());
    stream.ramp(sram(0), 0x4000).ramp(sram(0x18000), 0x4000).ramp(sram(0x40000), 0x4000).ramp(sram(kWaitWeights), 256);
    stream.data(sram(kWaitParameters), channel_parameters(16, 0, 1 << 30, 40));
    stream.add(dma_copy(Queue::Dma0, sram(0), sram(0x4000), bytes), 0, tokens({Queue::MacArray}));
    stream.add(vector_add(0x18000, 0x1C000, 480, 1), 0, tokens({Queue::MacArray}));
    stream.add(command_of(2, 1, 8, stream.package().config), tokens({Queue::Dma0, Queue::VectorUnit})).end();
    const JobResult result = run(stream);
    require_done(result);
    if (result.commands[0].end_cycle != result.commands[1].end_cycle) continue;
    is_found = true;
    CHECK(result.commands[2].last_giver_idx == 0);
    const Waits waits = waits_of(result, 2);
    CHECK(waits == expected_waits(result, one, [](int64_t) { return true; }));
    CHECK(waits.count("waiting_for_token") == 0);
  }
  CHECK(is_found);
}
