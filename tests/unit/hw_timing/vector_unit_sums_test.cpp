// SPDX-License-Identifier: Apache-2.0
// The sums over the vectors of a command against a walk over every vector, every word and every cycle.
#include "tests/support/random_vector_program.hpp"
#include "tests/support/vector_replay.hpp"
#include "tests/unit/hw_timing/vector_programs.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>

namespace vernier::timing {
namespace {

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The cost of one access, word by word.
struct Access {
  int64_t words, cycles;
};
Access count_access(int64_t address, int64_t lane_stride, int64_t element_bytes, int64_t lanes, int64_t n, int64_t width) {
  std::map<int64_t, int64_t> words;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t byte = 0; byte < element_bytes; ++byte) words[(address + lane * lane_stride + byte) / n] = 1;
  }
  int64_t cycles = 0, in_cycle = 0, worst = 0;
  std::map<int64_t, int64_t> banks;
  for (const auto& [word, unused] : words) {
    worst = std::max(worst, ++banks[word % spec::kNumSramBanks]);
    if (++in_cycle < width) continue;
    cycles += worst;
    in_cycle = worst = 0;
    banks.clear();
  }
  return {static_cast<int64_t>(words.size()), cycles + worst};
}

TEST_CASE("random programs: the folded sums equal a walk over every vector") {
  const uint32_t seed = 1234;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 300; ++i) {
    const config::MachineConfig config = machine(i % 3 == 0 ? "v64" : i % 3 == 1 ? "v256" : "v1024");
    const int64_t n = config.datapath.lanes;
    spec::VectorCommand command;
    command.counts = {1, 1, 1 + static_cast<int64_t>(random() % 3), 1 + static_cast<int64_t>(random() % 5),
                      1 + static_cast<int64_t>(random() % 40)};
    command.lanes = 1 + static_cast<int64_t>(random() % 100);
    for (int s = 0; s < 3; ++s) {
      const ElementType type = std::array{ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32,
                                          ElementType::Int48}[random() % 5];
      spec::VectorStream each = stream(static_cast<int64_t>(10000 + random() % 300), type, {});
      each.lane_stride_bytes *= static_cast<int64_t>(std::array{0, 1, 1, 1, 5, 32}[random() % 6]);
      for (size_t l = 2; l < 5; ++l) each.strides_bytes[l] = static_cast<int64_t>(random() % 200);
      command.streams.push_back(each);
    }
    command.steps = {on_stream(VectorOp::Load, 0, 0), on_stream(VectorOp::Load, 1, 1), step(VectorOp::Add, 2, 0, 1),
                     on_stream(VectorOp::Store, 2, 2)};
    schedule(command, config);
    // In eighths of a cycle: a word of 4 a cycle takes 2, one of 2 a cycle 4. Words that meet in a bank come one by one.
    int64_t vectors = 0, ported = 0, conflicted = 0, read_words = 0, write_words = 0;
    for (int64_t a = 0; a < command.counts[2]; ++a) {
      for (int64_t b = 0; b < command.counts[3]; ++b) {
        for (int64_t c = 0; c < command.counts[4]; ++c) {
          for (int64_t lane = 0; lane < command.lanes; lane += n) {
            std::array<Access, 3> access{};
            for (size_t s = 0; s < 3; ++s) {
              const spec::VectorStream& each = command.streams[s];
              access[s] = count_access(each.base + a * each.strides_bytes[2] + b * each.strides_bytes[3] +
                                           c * each.strides_bytes[4] + lane * each.lane_stride_bytes,
                                       each.lane_stride_bytes, base::stored_bytes(each.type),
                                       std::min(n, command.lanes - lane), n, s < 2 ? 4 : 2);
            }
            read_words += access[0].words + access[1].words;
            write_words += access[2].words;
            std::array<int64_t, 3> of_port{}, of_banks{};
            for (size_t s = 0; s < 3; ++s) {
              const int64_t width = s < 2 ? 4 : 2, least = command.streams[s].type == ElementType::Int48 ? 16 : 8;
              of_port[s] = std::max(least, access[s].words * 8 / width);
              const bool meets = access[s].cycles > up(access[s].words, width);
              of_banks[s] = std::max(of_port[s], meets ? 8 * access[s].cycles : 0);
            }
            const int64_t interval = 8 * command.interval, port = std::max({interval, of_port[0] + of_port[1], of_port[2]});
            ported += port - interval;
            conflicted += std::max({interval, of_banks[0] + of_banks[1], of_banks[2]}) - port;
            ++vectors;
          }
        }
      }
    }
    const Phase phase = profile(command, config).main;
    CHECK(demand_of(phase, Resource::SramRead) == read_words);
    CHECK(demand_of(phase, Resource::SramWrite) == write_words);
    const int64_t length = spec::length_of(command, config.datapath);
    CHECK(phase.cycles ==
          (vectors - 1) * command.interval + up(ported, 8) + up(conflicted, 8) + length + spec::kSramReadLatencyCycles);
    CHECK(phase.cycles == phase.busy_cycles + sum_of_stalls(phase));
  }
}

TEST_CASE("a phase of one stream takes what its positions take one by one, or two by two") {
  const uint32_t seed = 4321;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  for (int i = 0; i < 100; ++i) {
    const config::MachineConfig config = machine(i % 3 == 0 ? "v64" : i % 3 == 1 ? "v256" : "v1024");
    const bool in_pairs = below(3) > 0;
    spec::VectorCommand command;
    for (int64_t& count : command.counts) count = 1 + below(5);
    command.lanes = 1 + below(2 * config.datapath.lanes);
    command.kept_loops = 3;
    command.streams = {stream(below(4000), below(2) == 0 ? ElementType::Int8 : ElementType::Int32, {})};
    for (int64_t& stride : command.streams[0].strides_bytes) stride = below(600) - 300;
    command.steps = {on_stream(in_pairs ? VectorOp::LoadMaximum : VectorOp::Load, 0, 1)};
    if (in_pairs) command.steps.insert(command.steps.begin(), kMoveInit);
    schedule(command, config);
    const Phase whole = profile(command, config).main;
    const int64_t at_once = in_pairs ? 2 : 1;
    int64_t stalls = 0, words = 0;
    const auto& n = command.counts;
    for (int64_t at = 0; at < n[0] * n[1] * n[2] * n[3]; ++at) {
      for (int64_t inner = 0; inner < n[4]; inner += at_once) {
        spec::VectorCommand one = command;
        one.counts = {1, 1, 1, 1, std::min(at_once, n[4] - inner)};
        const std::array<int64_t, 5> index{at / (n[1] * n[2] * n[3]), at / (n[2] * n[3]) % n[1], at / n[3] % n[2], at % n[3],
                                           inner};
        for (size_t l = 0; l < 5; ++l) one.streams[0].base += index[l] * command.streams[0].strides_bytes[l];
        const Phase alone = profile(one, config).main;
        stalls += alone.cycles - alone.datapath_cycles;
        words += demand_of(alone, Resource::SramRead);
      }
    }
    const int64_t vectors_of_lanes = base::ceil_div(command.lanes, config.datapath.lanes);
    const int64_t length = spec::length_of(command, config.datapath) - 1;
    const int64_t outer = vectors_of_lanes * n[0] * n[1] * n[2];
    const int64_t fills = in_pairs ? outer * length : length;
    CAPTURE(i, in_pairs);
    CHECK(whole.datapath_cycles == outer * n[3] * base::ceil_div(n[4], at_once) + fills + spec::kSramReadLatencyCycles);
    // Each position alone has its words over the port rounded up to a cycle, and those that meet in banks.
    const int64_t positions = n[0] * n[1] * n[2] * n[3] * base::ceil_div(n[4], at_once) * vectors_of_lanes;
    CHECK(whole.cycles - whole.datapath_cycles <= stalls);
    CHECK(whole.cycles - whole.datapath_cycles > stalls - 2 * positions);
    CHECK(demand_of(whole, Resource::SramRead) == words);
  }
}

TEST_CASE("random programs take the cycles that their schedule takes when it is run") {
  tests::Random random(5);
  for (int i = 0; i < 500; ++i) {
    const config::MachineConfig config = machine(i % 3 == 0 ? "v64" : i % 3 == 1 ? "v256" : "v1024");
    spec::VectorCommand command = tests::random_vector_program(random);
    if (!spec::schedule(command, config.datapath)) continue;
    const auto& n = command.counts;
    const int64_t outer = n[0] * n[1] * base::ceil_div(command.lanes, config.datapath.lanes);
    const int64_t inner = n[2] * n[3] * (spec::reduces_in_pairs(command) ? base::ceil_div(n[4], 2) : n[4]);
    const bool has_positions = std::any_of(command.steps.begin(), command.steps.end(),
                                           [](const auto& each) { return each.phase != VectorPhase::Body; });
    tests::VectorReplay replay(command, config.datapath);
    const auto fault = has_positions ? replay.run(outer, inner) : replay.run(1, outer * inner);
    CAPTURE(i);
    CHECK(!fault.has_value());
    CHECK(profile(command, config).main.datapath_cycles == replay.cycles());
  }
}

TEST_CASE("a large window is counted by residues, not position by position") {
  // 4 x 10^14 positions, 128^5 of them different for somebody who looks at each combination of residues: that never ends.
  spec::VectorCommand command;
  command.counts = {1009, 1013, 1019, 1021, 401};
  command.lanes = 16;
  command.kept_loops = 2;
  command.streams = {stream(0, ElementType::Int8, {1, 3, 5, 7, 9})};
  command.steps = {on_stream(VectorOp::Load, 0, 0)};
  schedule(command, machine("v256"));
  const int64_t vectors = command.counts[0] * command.counts[1] * command.counts[2] * command.counts[3] * command.counts[4];
  CHECK(profile(command, machine("v256")).main.busy_cycles == vectors);
}

}  // namespace
}  // namespace vernier::timing
