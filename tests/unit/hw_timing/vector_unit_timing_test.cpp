// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>

namespace vernier::timing {
namespace {

using base::ElementType;
using spec::VectorOp;
using spec::VectorPhase;

constexpr int64_t kSlot = spec::kVectorSlotCycles;
constexpr int64_t kRescaleStep = spec::kVectorSlotCycles - 1 + spec::kRescalePipelineCycles;
constexpr int64_t kTableStep = spec::kVectorSlotCycles - 1 + spec::kTablePipelineCycles;

spec::VectorStep step(VectorOp op, int64_t dst, int64_t a = 0, int64_t b = 0, VectorPhase phase = VectorPhase::Body) {
  spec::VectorStep result;
  result.op = op;
  result.dst = dst;
  result.a = a;
  result.b = b;
  result.phase = phase;
  result.b_is_immediate = op == VectorOp::Rescale;
  return result;
}
spec::VectorStep on_stream(VectorOp op, int64_t stream, int64_t reg, VectorPhase phase = VectorPhase::Body) {
  spec::VectorStep result = step(op, reg, reg, 0, phase);
  result.stream = stream;
  return result;
}
spec::VectorStream stream(int64_t base, ElementType type, std::array<int64_t, spec::kNumVectorLoops> strides) {
  return {base, type, false, base::stored_bytes(type), strides};
}

TEST_CASE("add of two streams into a third: three rescales set the pace") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t vectors = 125 * 64 / config.datapath.lanes;
    spec::VectorCommand command;
    command.counts = {1, 1, 1, 5, 25};
    command.lanes = 64;
    for (int64_t i = 0; i < 3; ++i) command.streams.push_back(stream(i * 8192, ElementType::Int8, {0, 0, 0, 25 * 64, 64}));
    command.steps = {on_stream(VectorOp::Load, 0, 0), on_stream(VectorOp::Load, 1, 1), step(VectorOp::Rescale, 2, 0),
                     step(VectorOp::Rescale, 3, 1),   step(VectorOp::Add, 4, 2, 3),    step(VectorOp::Rescale, 5, 4),
                     on_stream(VectorOp::Store, 2, 5)};
    const Phase phase = profile(command, config).main;
    const int64_t fill = spec::kSramReadLatencyCycles + kSlot + kRescaleStep + kSlot + kRescaleStep + kSlot;
    CHECK(phase.busy_cycles == 3 * vectors);
    CHECK(phase.cycles == 3 * vectors + fill);
    CHECK(phase.datapath_cycles == phase.cycles);
    CHECK(demand_of(phase, Resource::SramRead) == 2 * vectors);
    CHECK(demand_of(phase, Resource::SramWrite) == vectors);
    CHECK(demand_of(phase, Resource::RescaleLanes) == 3 * vectors);
    CHECK(demand_of(phase, Resource::TableLanes) == 0);
    // One byte further, each vector touches two words; still within the ports, and within three cycles.
    for (spec::VectorStream& each : command.streams) each.base += 1;
    const Phase unaligned = profile(command, config).main;
    CHECK(demand_of(unaligned, Resource::SramRead) == 4 * vectors);
    CHECK(demand_of(unaligned, Resource::SramWrite) == 2 * vectors);
    CHECK(unaligned.cycles == phase.cycles);
  }
}

TEST_CASE("a table step takes table lanes, int32 takes a cycle to load and two to store") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;
  command.counts = {1, 1, 1, 1, 40};
  command.lanes = 16;
  command.streams = {stream(0, ElementType::Int32, {0, 0, 0, 0, 64}), stream(8192, ElementType::Int32, {0, 0, 0, 0, 64})};
  command.steps = {on_stream(VectorOp::Load, 0, 0), step(VectorOp::Table, 1, 0), on_stream(VectorOp::Store, 1, 1)};
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 40);
  CHECK(stall_of(phase, Stall::PortContention) == 40);
  CHECK(phase.cycles == 80 + spec::kSramReadLatencyCycles + 2 * kSlot + kTableStep);
  CHECK(demand_of(phase, Resource::TableLanes) == 40);
  CHECK(demand_of(phase, Resource::SramRead) == 160);
  CHECK(demand_of(phase, Resource::SramWrite) == 160);
}

TEST_CASE("int48 takes two cycles to load and four to store, from a broadcast, two all the same") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;
  command.counts = {1, 1, 1, 1, 40};
  command.lanes = 16;
  command.streams = {stream(0, ElementType::Int48, {0, 0, 0, 0, 128}), stream(8192, ElementType::Int16, {0, 0, 0, 0, 32})};
  command.steps = {on_stream(VectorOp::Load, 0, 0), step(VectorOp::Rescale, 1, 0), on_stream(VectorOp::Store, 1, 1)};
  command.steps[1].scale32 = false;
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 80);
  CHECK(phase.cycles == 80 + spec::kSramReadLatencyCycles + 2 * kSlot + kRescaleStep);
  CHECK(phase.datapath_cycles == phase.cycles);
  CHECK(demand_of(phase, Resource::SramRead) == 40 * 8);
  command.streams[0].lane_stride_bytes = 0;
  CHECK(profile(command, config).main.cycles == phase.cycles);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 40);
  command.steps = {on_stream(VectorOp::Load, 1, 0), on_stream(VectorOp::Store, 0, 0)};
  command.streams[0].lane_stride_bytes = 8;
  const Phase stored = profile(command, config).main;
  CHECK(stored.busy_cycles == 80);
  CHECK(stored.cycles == 160 + spec::kSramReadLatencyCycles + 2 * kSlot);
  CHECK(stall_of(stored, Stall::PortContention) == 80);
}

TEST_CASE("maximum over 40 lanes of six rows, as softmax has it") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes;
    const int64_t vectors = (40 + n - 1) / n;
    const int64_t levels = n == 8 ? 3 : n == 16 ? 4 : 5;
    spec::VectorCommand command;
    command.counts = {1, 1, 1, 1, 6};
    command.lanes = 40;
    command.lanes_reduced = true;
    command.streams = {stream(0, ElementType::Int8, {0, 0, 0, 0, 64}), stream(4096, ElementType::Int32, {0, 0, 0, 0, 4})};
    command.steps = {step(VectorOp::Move, 1, 0, 0, VectorPhase::Init), on_stream(VectorOp::Load, 0, 0),
                     step(VectorOp::Maximum, 1, 1, 0), step(VectorOp::ReduceMax, 1, 1, 0, VectorPhase::Final),
                     on_stream(VectorOp::Store, 1, 1, VectorPhase::Final)};
    command.steps[0].b_is_immediate = true;
    const Phase phase = profile(command, config).main;
    CHECK(phase.busy_cycles == 6 * (1 + vectors + levels));
    const int64_t fill = spec::kSramReadLatencyCycles + kSlot + kSlot + (kSlot - 1 + levels) + kSlot;
    CHECK(phase.cycles == phase.busy_cycles + 6 * kSlot + fill);
    CHECK(demand_of(phase, Resource::SramRead) == 6 * vectors);
    CHECK(demand_of(phase, Resource::SramWrite) == 6);
  }
}

TEST_CASE("a pool: one reduced body a tap, the final steps once a position") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;  // 64 channels, global average over 25 x 5
  command.counts = {1, 1, 1, 25, 5};
  command.kept_loops = 3;
  command.lanes = 64;
  command.streams = {stream(0, ElementType::Int8, {0, 0, 0, 5 * 64, 64}), stream(16384, ElementType::Int8, {})};
  command.steps = {step(VectorOp::Move, 1, 0, 0, VectorPhase::Init), on_stream(VectorOp::Load, 0, 0),
                   step(VectorOp::Add, 1, 1, 0), step(VectorOp::Rescale, 2, 1, 0, VectorPhase::Final),
                   on_stream(VectorOp::Store, 1, 2, VectorPhase::Final)};
  command.steps[0].b_is_immediate = true;
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 4 * (1 + 125 + 1));
  CHECK(demand_of(phase, Resource::SramRead) == 4 * 125);
  CHECK(demand_of(phase, Resource::SramWrite) == 4);
  CHECK(demand_of(phase, Resource::RescaleLanes) == 4);
}

TEST_CASE("each vector of each position that a pool keeps hands over to the final steps once") {
  const config::MachineConfig config = machine("v256");
  const auto pool_of = [&](int64_t lanes) {
    spec::VectorCommand command;
    command.counts = {6, 1, 1, 2, 2};  // six positions, two by two taps
    command.kept_loops = 3;
    command.lanes = lanes;
    command.streams = {stream(0, ElementType::Int8, {64, 0, 0, 4096, 1024}),
                       stream(16384, ElementType::Int8, {64, 0, 0, 0, 0})};
    command.steps = {on_stream(VectorOp::Load, 0, 0), step(VectorOp::Maximum, 1, 1, 0),
                     on_stream(VectorOp::Store, 1, 1, VectorPhase::Final)};
    return profile(command, config).main;
  };
  const auto fill_of = [](const Phase& phase) { return phase.stall_cycles[static_cast<size_t>(Stall::PipelineFill)]; };
  // 64 lanes are four vectors of 16.
  CHECK(fill_of(pool_of(64)) - fill_of(pool_of(16)) == 6 * (4 - 1) * spec::kVectorSlotCycles);
  CHECK(pool_of(64).busy_cycles == 4 * pool_of(16).busy_cycles);
}

TEST_CASE("a pool of accumulating loads takes two positions of its innermost loop a cycle") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;  // 64 channels in planes of 16, rows of 5 words
  command.counts = {1, 1, 4, 25, 5};
  command.kept_loops = 3;
  command.lanes = 16;
  command.streams = {stream(0, ElementType::Int8, {0, 0, 25 * 80, 80, 16}), stream(16384, ElementType::Int8, {0, 0, 16})};
  command.steps = {step(VectorOp::Move, 1, 0, 0, VectorPhase::Init), on_stream(VectorOp::LoadAdd, 0, 1),
                   step(VectorOp::Rescale, 2, 1, 0, VectorPhase::Final),
                   on_stream(VectorOp::Store, 1, 2, VectorPhase::Final)};
  command.steps[0].b_is_immediate = true;
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 4 * (1 + 25 * 3 + 1));  // two pairs and a single one a row
  CHECK(phase.cycles ==
        phase.busy_cycles + 4 * kSlot + spec::kSramReadLatencyCycles + kSlot + 2 * kSlot + kRescaleStep + kSlot);
  CHECK(demand_of(phase, Resource::SramRead) == 4 * 125);
  CHECK(stall_of(phase, Stall::BankConflict) == 0);

  command.counts = {1, 1, 4, 1, 125};
  command.streams[0].strides_bytes = {0, 0, 25 * 80, 0, 16};
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 63 + 1));
  command.counts[4] = 124;
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 62 + 1));
  command.streams[0].strides_bytes[4] = 128;  // both words of a pair in one bank
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) == 4 * 62);
  command.streams[0].strides_bytes[4] = 64;
  command.streams[0].type = ElementType::Int32;  // a pair is 8 words, 4 a cycle
  command.streams[0].lane_stride_bytes = 4;
  CHECK(stall_of(profile(command, config).main, Stall::PortContention) == 4 * 62);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 4 * 124 * 4);

  // Any other step in the body, and there are no pairs.
  command.streams[0] = stream(0, ElementType::Int8, {0, 0, 25 * 80, 0, 16});
  command.steps.insert(command.steps.begin() + 2, step(VectorOp::Table, 3, 1));
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 124 + 1));
  // So it is with an ALU step, which then shares its slot with the accumulation.
  command.steps[2] = step(VectorOp::Add, 3, 3, 1);
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 2 * 124 + 1));
}

TEST_CASE("accumulating loads over the lanes take two vectors a cycle") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes;
    const auto busy = [&](int64_t lanes) {
      spec::VectorCommand command;
      command.counts = {1, 1, 1, 1, 6};
      command.lanes = lanes;
      command.lanes_reduced = true;
      command.streams = {stream(0, ElementType::Int8, {0, 0, 0, 0, 1024})};
      command.steps = {on_stream(VectorOp::LoadMaximum, 0, 1)};
      const Phase phase = profile(command, config).main;
      CHECK(demand_of(phase, Resource::SramRead) == 6 * ((lanes + n - 1) / n));
      return phase.busy_cycles;
    };
    CHECK(busy(n - 1) == 6);
    CHECK(busy(2 * n) == 6);
    CHECK(busy(2 * n + 1) == 6 * 2);
    CHECK(busy(3 * n) == 6 * 2);
    CHECK(busy(3 * n + 1) == 6 * 2);  // a full vector with the one that is not
    CHECK(busy(4 * n) == 6 * 2);
    CHECK(busy(4 * n + 1) == 6 * 3);
  }
}

TEST_CASE("a division takes its iterations") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;
  command.counts = {1, 1, 1, 1, 10};
  command.lanes = 16;
  command.steps = {step(VectorOp::IntDiv, 1, 2, 3)};
  CHECK(profile(command, config).main.busy_cycles == 10 * spec::kIntDivCycles);
}

TEST_CASE("lanes apart: a word each, and lanes in one bank follow each other") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;
  command.counts = {1, 1, 1, 1, 10};
  command.lanes = 16;
  command.streams = {stream(0, ElementType::Int8, {0, 0, 0, 0, 1})};
  command.steps = {on_stream(VectorOp::Load, 0, 0)};
  const auto with_lane_stride = [&](int64_t bytes) {
    command.streams[0].lane_stride_bytes = bytes;
    return profile(command, config).main;
  };
  const Phase broadcast = with_lane_stride(0);
  CHECK(demand_of(broadcast, Resource::SramRead) == 10);
  const Phase next_bank = with_lane_stride(16);  // 16 words, 4 a cycle, no conflict
  CHECK(demand_of(next_bank, Resource::SramRead) == 160);
  CHECK(stall_of(next_bank, Stall::PortContention) == 10 * 3);
  CHECK(stall_of(next_bank, Stall::BankConflict) == 0);
  const Phase same_bank = with_lane_stride(128);  // 16 words of one bank: one a cycle
  CHECK(stall_of(same_bank, Stall::PortContention) == 10 * 3);
  CHECK(stall_of(same_bank, Stall::BankConflict) == 10 * 12);
  const Phase two_banks = with_lane_stride(64);  // banks 0 4 0 4
  CHECK(stall_of(two_banks, Stall::BankConflict) == 10 * 4);
}

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
    int64_t cycles = 0, read_words = 0, write_words = 0;
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
            for (size_t s = 0; s < 3; ++s) {
              const bool is_int48 = command.streams[s].type == ElementType::Int48;
              access[s].cycles = std::max<int64_t>(access[s].cycles, is_int48 ? 2 : 1);
            }
            cycles += std::max(access[0].cycles + access[1].cycles, access[2].cycles);
          }
        }
      }
    }
    const Phase phase = profile(command, config).main;
    CHECK(demand_of(phase, Resource::SramRead) == read_words);
    CHECK(demand_of(phase, Resource::SramWrite) == write_words);
    CHECK(phase.cycles == cycles + spec::kSramReadLatencyCycles + 3 * kSlot);
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
    command.steps = {on_stream(in_pairs ? VectorOp::LoadMaximum : VectorOp::Load, 0, 0)};
    const Phase whole = profile(command, config).main;
    // Alone each has a fill of its own, and nothing else that the whole has not.
    const int64_t at_once = in_pairs ? 2 : 1;
    int64_t fill = 0, cycles = 0, words = 0;
    const auto& n = command.counts;
    for (int64_t at = 0; at < n[0] * n[1] * n[2] * n[3]; ++at) {
      for (int64_t inner = 0; inner < n[4]; inner += at_once) {
        spec::VectorCommand one = command;
        one.counts = {1, 1, 1, 1, std::min(at_once, n[4] - inner)};
        const std::array<int64_t, 5> index{at / (n[1] * n[2] * n[3]), at / (n[2] * n[3]) % n[1], at / n[3] % n[2], at % n[3],
                                           inner};
        for (size_t l = 0; l < 5; ++l) one.streams[0].base += index[l] * command.streams[0].strides_bytes[l];
        const Phase alone = profile(one, config).main;
        fill = stall_of(alone, Stall::PipelineFill);
        cycles += alone.cycles - fill;
        words += demand_of(alone, Resource::SramRead);
      }
    }
    CAPTURE(i, in_pairs);
    CHECK(whole.cycles == cycles + fill);
    CHECK(demand_of(whole, Resource::SramRead) == words);
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
  const int64_t vectors = command.counts[0] * command.counts[1] * command.counts[2] * command.counts[3] * command.counts[4];
  CHECK(profile(command, machine("v256")).main.busy_cycles == vectors);
}

}  // namespace
}  // namespace vernier::timing
