// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/vector_programs.hpp"

#include <catch2/catch.hpp>

namespace vernier::timing {
namespace {

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
    schedule(command, config);
    const Phase phase = profile(command, config).main;
    // The second load a cycle after the first, the third rescale a cycle late, since its slot is taken.
    const int64_t length = kSlot + kRescaleStep + kSlot + kRescaleStep + kSlot + 2;
    CHECK(phase.busy_cycles == 3 * vectors);
    CHECK(phase.cycles == 3 * (vectors - 1) + length + spec::kSramReadLatencyCycles);
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
  schedule(command, config);
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 40);
  CHECK(stall_of(phase, Stall::PortContention) == 40);
  CHECK(phase.cycles == 40 - 1 + 40 + spec::kSramReadLatencyCycles + 2 * kSlot + kTableStep);
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
  schedule(command, config);
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 80);
  CHECK(phase.cycles ==
        2 * 39 + spec::kSramReadLatencyCycles + 2 * kSlot + 1 + kRescaleStep);  // its second half comes later
  CHECK(phase.datapath_cycles == phase.cycles);
  CHECK(demand_of(phase, Resource::SramRead) == 40 * 8);
  command.streams[0].lane_stride_bytes = 0;
  CHECK(profile(command, config).main.cycles == phase.cycles);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 40);
  command.steps = {on_stream(VectorOp::Load, 1, 0), on_stream(VectorOp::Store, 0, 0)};
  command.streams[0].lane_stride_bytes = 8;
  schedule(command, config);
  const Phase stored = profile(command, config).main;
  CHECK(stored.busy_cycles == 80);
  CHECK(stored.cycles == 2 * 39 + 80 + spec::kSramReadLatencyCycles + 2 * kSlot + 1);
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
    command.steps = {kMoveInit, on_stream(VectorOp::Load, 0, 0), step(VectorOp::Maximum, 1, 1, 0),
                     step(VectorOp::ReduceMax, 1, 1, 0, VectorPhase::Final),
                     on_stream(VectorOp::Store, 1, 1, VectorPhase::Final)};
    schedule(command, config);
    const Phase phase = profile(command, config).main;
    CHECK(phase.busy_cycles == 6 * (1 + vectors + levels));
    const int64_t length = kSlot + kSlot + (kSlot - 1 + levels) + kSlot;  // one row after the other
    CHECK(phase.cycles == 6 * (vectors - 1 + length) + spec::kSramReadLatencyCycles);
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
  command.steps = {kMoveInit, on_stream(VectorOp::Load, 0, 0), step(VectorOp::Add, 1, 1, 0),
                   step(VectorOp::Rescale, 2, 1, 0, VectorPhase::Final),
                   on_stream(VectorOp::Store, 1, 2, VectorPhase::Final)};
  schedule(command, config);
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 4 * (1 + 125));
  CHECK(demand_of(phase, Resource::SramRead) == 4 * 125);
  CHECK(demand_of(phase, Resource::SramWrite) == 4);
  CHECK(demand_of(phase, Resource::RescaleLanes) == 4);
}

TEST_CASE("each vector of each position that a pool keeps is a kept position of its own, one after the other") {
  const config::MachineConfig config = machine("v256");
  const auto pool_of = [&](int64_t lanes) {
    spec::VectorCommand command;
    command.counts = {6, 1, 1, 2, 2};  // six positions, two by two taps
    command.kept_loops = 3;
    command.lanes = lanes;
    command.streams = {stream(0, ElementType::Int8, {64, 0, 0, 4096, 1024}),
                       stream(16384, ElementType::Int8, {64, 0, 0, 0, 0})};
    command.steps = {kMoveInit, on_stream(VectorOp::Load, 0, 0), step(VectorOp::Maximum, 1, 1, 0),
                     on_stream(VectorOp::Store, 1, 1, VectorPhase::Final)};
    schedule(command, config);
    return profile(command, config).main;
  };
  // 64 lanes are four vectors of 16.
  constexpr int64_t kPosition = 4 - 1 + 3 * kSlot;
  CHECK(pool_of(16).cycles == 6 * kPosition + spec::kSramReadLatencyCycles);
  CHECK(pool_of(64).cycles == 6 * 4 * kPosition + spec::kSramReadLatencyCycles);
  CHECK(pool_of(64).busy_cycles == 4 * pool_of(16).busy_cycles);
}

TEST_CASE("a pool of accumulating loads takes two positions of its innermost loop a cycle") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;  // 64 channels in planes of 16, rows of 5 words
  command.counts = {1, 1, 4, 25, 5};
  command.kept_loops = 3;
  command.lanes = 16;
  command.streams = {stream(0, ElementType::Int8, {0, 0, 25 * 80, 80, 16}), stream(16384, ElementType::Int8, {0, 0, 16})};
  const std::vector<spec::VectorStep> steps{kMoveInit, on_stream(VectorOp::LoadAdd, 0, 1),
                                            step(VectorOp::Rescale, 2, 1, 0, VectorPhase::Final),
                                            on_stream(VectorOp::Store, 1, 2, VectorPhase::Final)};
  command.steps = steps;
  schedule(command, config);
  const Phase phase = profile(command, config).main;
  CHECK(phase.busy_cycles == 4 * (1 + 25 * 3));  // two pairs and a single one a row
  CHECK(phase.cycles == 4 * (25 * 3 - 1 + 2 * kSlot + kRescaleStep + kSlot) + spec::kSramReadLatencyCycles);
  CHECK(demand_of(phase, Resource::SramRead) == 4 * 125);
  CHECK(stall_of(phase, Stall::BankConflict) == 0);

  command.counts = {1, 1, 4, 1, 125};
  command.streams[0].strides_bytes = {0, 0, 25 * 80, 0, 16};
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 63));
  command.counts[4] = 124;
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 62));
  command.streams[0].strides_bytes[4] = 128;  // both words of a pair in one bank
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) == 4 * 62);
  command.streams[0].strides_bytes[4] = 64;
  command.streams[0].type = ElementType::Int32;  // a pair is 8 words, 4 a cycle
  command.streams[0].lane_stride_bytes = 4;
  CHECK(stall_of(profile(command, config).main, Stall::PortContention) == 4 * 62);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 4 * 124 * 4);

  // Any other step in the body, and there are no pairs.
  command.streams[0] = stream(0, ElementType::Int8, {0, 0, 25 * 80, 0, 16});
  command.steps = steps;
  command.steps.insert(command.steps.begin() + 2, step(VectorOp::Table, 3, 1));
  schedule(command, config);
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 124));
  // So it is with an ALU step, which then shares its slot with the accumulation.
  command.steps = steps;
  command.steps.insert(command.steps.begin() + 2, step(VectorOp::Add, 3, 1, 1));
  schedule(command, config);
  CHECK(profile(command, config).main.busy_cycles == 4 * (1 + 2 * 124));
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
      command.steps = {kMoveInit, on_stream(VectorOp::LoadMaximum, 0, 1)};
      schedule(command, config);
      const Phase phase = profile(command, config).main;
      CHECK(demand_of(phase, Resource::SramRead) == 6 * ((lanes + n - 1) / n));
      return phase.busy_cycles - 6;  // without those of Init
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
  command.streams = {stream(0, ElementType::Int8, {})};
  command.steps = {on_stream(VectorOp::Load, 0, 2), step(VectorOp::IntDiv, 1, 2, 2)};
  schedule(command, config);
  CHECK(profile(command, config).main.busy_cycles == 10 * spec::kIntDivCycles);
}

TEST_CASE("lanes apart: a word each, and lanes in one bank follow each other") {
  const config::MachineConfig config = machine("v256");
  spec::VectorCommand command;
  command.counts = {1, 1, 1, 1, 10};
  command.lanes = 16;
  command.streams = {stream(0, ElementType::Int8, {0, 0, 0, 0, 1})};
  command.steps = {on_stream(VectorOp::Load, 0, 0)};
  schedule(command, config);
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

}  // namespace
}  // namespace vernier::timing
