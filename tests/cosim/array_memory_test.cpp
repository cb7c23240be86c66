// SPDX-License-Identifier: Apache-2.0
// The array with npu_agu and an SRAM behind its ports: edges of ideal memories where the SRAM has no limits, values with
// banks and ports, and the cycles that those cost.
#include "sim/cosim/array_memory.hpp"

#include "sim/cosim/array_lock_step.hpp"
#include "tests/cosim/array_checks.hpp"

#include <catch2/catch.hpp>

#include <span>

using namespace vernier;
using namespace vernier::cosim;

namespace {

struct Bench {
  Bench(int lanes, bool has_limits)
      : datapath{lanes, 4, 2},
        block(make_rtl_block("npu_datapath", lanes), *spec::rtl_block_of_unit("datapath"), lanes),
        lock_step(block, datapath, 1),
        memory(block, datapath, has_limits) {
    lock_step.use_memory(memory);
  }
  /// Cycles to the last result in memory.
  int64_t run(ArrayCommand command) {
    memory.prepare(command.command);
    lock_step.run_sequence({std::move(command)}, ArrayPace::Memory);
    while (!memory.is_written()) lock_step.idle(1);
    for (const std::string& what : memory.findings().first_mismatches) UNSCOPED_INFO(what);
    REQUIRE(memory.findings().mismatches == 0);
    for (const std::string& what : lock_step.result().first_mismatches) UNSCOPED_INFO(what);
    REQUIRE(lock_step.result().mismatches == 0);
    return memory.cycles();
  }
  spec::Datapath datapath;
  ClockedBlock block;
  ArrayLockStep lock_step;
  ArrayMemory memory;
};

}  // namespace

TEST_CASE("with addresses of npu_agu and an SRAM without limits the array has the edges of ideal memories") {
  if (!has_rtl()) return;
  for (const int lanes : {8, 16, 32}) {
    Bench bench(lanes, false);
    Random random(static_cast<uint64_t>(lanes));
    for (int i = 0; i < 150; ++i) {
      ArrayCommand command = draw_array_command(bench.datapath, random);
      if (command.command.mode != spec::MacMode::Conv) continue;
      INFO(lanes << " lanes, command " << i);
      const spec::MacCommand m = command.command;
      const int64_t last_edge = timing::mac_edges(std::span(&m, 1), bench.datapath).front().results.back();
      CHECK(bench.run(std::move(command)) == last_edge);
    }
    CHECK(bench.lock_step.result().cycle_mismatches == 0);
    CHECK(bench.memory.findings().beats > 10000);
  }
}

TEST_CASE("with banks and ports the array gives the same values, no earlier") {
  if (!has_rtl()) return;
  for (const int lanes : {8, 16, 32}) {
    Bench bench(lanes, true);
    Random random(static_cast<uint64_t>(lanes) + 7);
    for (int i = 0; i < 100; ++i) {
      ArrayCommand command = draw_array_command(bench.datapath, random);
      if (command.command.mode != spec::MacMode::Conv) continue;
      INFO(lanes << " lanes, command " << i);
      const spec::MacCommand m = command.command;
      const int64_t last_edge = timing::mac_edges(std::span(&m, 1), bench.datapath).front().results.back();
      CHECK(bench.run(std::move(command)) >= last_edge);
    }
  }
}
