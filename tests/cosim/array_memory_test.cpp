// SPDX-License-Identifier: Apache-2.0
// Array and vector unit with npu_agu and an SRAM behind their ports: edges of ideal memories where the SRAM has no limits,
// the same values with banks and ports, no earlier.
#include "hw/config/machine_config.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/cosim/agu_bench.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/built_widths.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// A slice that does not begin at tap 0 looks for its begin, which takes longer than its issue [decision 0020].
constexpr int64_t kMostLateCycles = 49 - spec::kIssueCycles;

int64_t ideal_cycles(const spec::MacCommand& command, const spec::Datapath& datapath) {
  return timing::mac_edges(std::span(&command, 1), datapath).front().results.back();
}

int64_t stalls_of_memory(const timing::Profile& profile) {
  int64_t cycles = 0;
  for (const timing::Phase* phase : {&profile.main, &profile.drain}) {
    for (const timing::Stall stall : {timing::Stall::PortContention, timing::Stall::BankConflict}) {
      cycles += phase->stall_cycles[static_cast<size_t>(stall)];
    }
  }
  return cycles;
}

}  // namespace

TEST_CASE("with addresses of npu_agu and an SRAM without limits the array has the edges of ideal memories") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    ArrayBench bench(lanes, false);
    Random random(static_cast<uint64_t>(lanes));
    for (int i = 0; i < 150; ++i) {
      Work command = draw_array_command(bench.datapath(), random);
      INFO(lanes << " lanes, command " << i);
      const int64_t ideal = ideal_cycles(command.mac(), bench.datapath());
      const int64_t cycles = bench.run(std::move(command));
      CHECK(cycles == ideal);
      REQUIRE(bench.mismatch() == "");
    }
    CHECK(bench.beats() > 10000);
  }
}

TEST_CASE("a slice of a reduction has the values of ideal memories, late by no more than the search for its begin") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu", {8, 16})) {  // of 32 taps or more hardly any is drawn
    ArrayBench bench(lanes, false, &make_own_agu, false);
    Random random(static_cast<uint64_t>(lanes) + 20);
    const auto draw = [&](spec::MacMode mode) {
      while (true) {
        std::vector<Work> slices = works_of(draw_array_slices(bench.datapath(), random));
        if (slices.size() > 1 && slices.front().mac().mode == mode) return slices;
      }
    };
    for (const spec::MacMode mode : {spec::MacMode::Conv, spec::MacMode::Depthwise}) {
      int64_t latest = 0;
      for (int i = 0; i < 20; ++i) {
        for (Work& slice : draw(mode)) {
          const spec::MacCommand command = slice.mac();
          const int64_t cycles = bench.run(std::move(slice));
          INFO(lanes << " lanes, mode " << static_cast<int>(mode) << ", reduction " << i << " from "
                     << command.reduction_begin);
          REQUIRE(bench.mismatch() == "");
          if (!command.last) continue;
          const int64_t late = cycles - ideal_cycles(command, bench.datapath());
          CHECK(late >= 0);
          CHECK(late <= kMostLateCycles);
          latest = std::max(latest, late);
        }
      }
      // Where a division costs nothing any more, decision 0020 lists too much.
      if (mode == spec::MacMode::Depthwise) CHECK(latest > 0);
    }
  }
}

TEST_CASE("with banks and ports the array gives the same values, no earlier") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    ArrayBench bench(lanes, true);
    Random random(static_cast<uint64_t>(lanes) + 7);
    int64_t later = 0;
    for (int i = 0; i < 100; ++i) {
      Work command = draw_array_command(bench.datapath(), random);
      INFO(lanes << " lanes, command " << i);
      const int64_t ideal = ideal_cycles(command.mac(), bench.datapath());
      const int64_t cycles = bench.run(std::move(command));
      CHECK(cycles >= ideal);
      later += cycles > ideal ? 1 : 0;
      REQUIRE(bench.mismatch() == "");
    }
    CHECK(later > 10);
  }
}

// hw/timing plays the streams of a command against the banks (bank_play.hpp); here RTL and the SRAM of the test bench do.
// The commands are short, and drawn so that their words meet often. Commands with padding are left out, of which the model
// has too many cycles (D-007). Small depthwise tiles wait for the read port less than the model says.
TEST_CASE("what banks and ports cost random commands of the array is what the model says") {
  if (!has_rtl()) return;
  constexpr int kNumCommands = 600;
  for (const auto* preset : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = config::preset_config(preset, "preset");
    if (built_widths("npu_agu", {config.datapath.lanes}).empty()) continue;
    ArrayBench bench(config.datapath.lanes, true);
    Random random(static_cast<uint64_t>(config.datapath.lanes) + 31);
    struct Sums {
      int64_t num_commands = 0, cycles = 0, difference = 0, cost = 0;
    };
    Sums conv, depthwise;
    for (int i = 0; i < kNumCommands; ++i) {
      Work command = draw_array_command(bench.datapath(), random);
      const timing::Profile model = timing::profile(command.mac(), config);
      if (model.possible_error.padding_cycles > 0) continue;
      Sums& sums = command.mac().mode == spec::MacMode::Conv ? conv : depthwise;
      const int64_t ideal = ideal_cycles(command.mac(), bench.datapath());
      const int64_t cycles = bench.run(std::move(command));
      REQUIRE(bench.mismatch() == "");
      ++sums.num_commands;
      sums.cycles += cycles;
      sums.cost += cycles - ideal;
      sums.difference += std::abs(cycles - ideal - stalls_of_memory(model));
    }
    INFO(preset << ", convolutions " << conv.num_commands << ": " << conv.cycles << " cycles, " << conv.cost
                << " of them by banks and ports, off by " << conv.difference << "; depthwise " << depthwise.num_commands
                << ": " << depthwise.cycles << ", " << depthwise.cost << ", " << depthwise.difference);
    CHECK(conv.num_commands > 50);
    CHECK(depthwise.num_commands > 50);
    CHECK(conv.cost > conv.cycles / 20);
    CHECK(conv.difference < 3 * conv.cycles / 100);
    CHECK(depthwise.difference < 10 * depthwise.cycles / 100);
  }
}

// A step of N + 1 words takes (N + 1) / 4 cycles, however many there are: the read port packs them. The first words come
// with the latency of the SRAM, and parameters before the weights of their channel tile.
TEST_CASE("a fully connected command takes on banks as long as the model says") {
  if (!has_rtl()) return;
  for (const auto* preset : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = config::preset_config(preset, "preset");
    if (built_widths("npu_agu", {config.datapath.lanes}).empty()) continue;
    ArrayBench bench(config.datapath.lanes, true);
    for (const int64_t channel_tiles : {1, 2, 8}) {
      for (const int64_t steps : {4, 8, 33, 100}) {
        INFO(preset << ", " << steps << " steps, " << channel_tiles << " channel tiles");
        Work command = fully_connected(config.datapath, steps, channel_tiles);
        const timing::Profile model = timing::profile(command.mac(), config);
        const int64_t more = bench.run(std::move(command)) - model.main.cycles - model.drain.cycles;
        CHECK(std::abs(more) <= 1);
        REQUIRE(bench.mismatch() == "");
      }
    }
  }
}

TEST_CASE("with addresses of npu_agu the vector unit has the edges of ideal memories, with banks the same values") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    VectorBench ideal(lanes, false), banked(lanes, true);
    Random random(static_cast<uint64_t>(lanes));
    const kernels::TableMemory tables = draw_vector_tables(random);
    ideal.set_tables(tables);
    banked.set_tables(tables);
    for (int i = 0; i < 100; ++i) {
      const Work job = draw_vector_job(ideal.datapath(), tables, random).work;
      INFO(lanes << " lanes, program " << i);
      const int64_t cycles = ideal.run(job);
      CHECK(cycles == VectorRun(job, ideal.datapath(), tables).cycles);
      CHECK(banked.run(job) >= cycles);
      REQUIRE(ideal.mismatch() == "");
      REQUIRE(banked.mismatch() == "");
    }
  }
}
