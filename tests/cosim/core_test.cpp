// SPDX-License-Identifier: Apache-2.0
// The array and the vector unit at once, with the lanes that they share: values, edges, and who waits for whom.
#include "hw/config/machine_config.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/mac_edges.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/cosim/lockstep/core_lock_step.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;

namespace {

spec::Datapath datapath_of(int lanes) { return {lanes, 4, 2}; }

ClockedBlock core_of(int lanes) {
  return ClockedBlock(make_rtl_block("npu_core", lanes), *spec::rtl_block_of_unit("core"), lanes);
}

/// Adds two streams of int8 and rescales the sum: as many cycles of the rescale lanes as vectors, one after the other.
Work rescaling_job(int lanes, int64_t vectors) {
  Work job(spec::VectorCommand{});
  const int64_t elements = vectors * lanes;
  job.vector().lanes = elements;
  job.vector().streams = {{.base = 0}, {.base = elements}};
  job.vector().steps = {
      {.op = spec::VectorOp::Load},
      {.op = spec::VectorOp::Rescale, .b_is_immediate = true, .type = base::ElementType::Int8, .shift = 31, .imm0 = 1 << 30},
      {.op = spec::VectorOp::Store, .stream = 1}};
  REQUIRE(spec::schedule(job.vector(), datapath_of(lanes)));
  for (int64_t i = 0; i < 2 * elements; ++i) job.bytes.push_back(static_cast<std::byte>(i * 5 + i / 256));
  REQUIRE(is_legal(job, datapath_of(lanes)));
  return job;
}

}  // namespace

TEST_CASE("core: array and vector unit at once are equal in every value and edge") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_core", {8, 16})) {
    ClockedBlock block = core_of(lanes);
    CoreLockStep lock_step(block, datapath_of(lanes), {.seed = 23});
    const int64_t rows = lanes == 8 ? 20'000 : 3'000;
    const LockStepResult result = lock_step.run(rows);
    check_equal(result);
    CHECK(result.vectors > rows + rows / 10);
    CHECK(lock_step.vector_waits() > 100);
    CHECK(lock_step.array_lane_cycles()[0] > rows / 4);
    CHECK(lock_step.array_lane_cycles()[1] > 100);
  }
}

TEST_CASE("core: the vector unit is later by the cycles of the lanes that the array takes, the array by none") {
  if (!has_rtl()) return;
  constexpr int64_t kVectors = 400;
  struct Beside {
    Work command;
    int64_t scales_a_row, look_ups_a_row;
  };
  const spec::Datapath datapath = datapath_of(8);
  for (const Beside& beside :
       {Beside{pointwise(datapath, 16, 24), 1, 0}, Beside{with_residual(datapath, 16, 24, false), 4, 0},
        Beside{with_residual(datapath, 16, 24, true), 4, 1}}) {
    ClockedBlock block = core_of(8);
    CoreLockStep lock_step(block, datapath, {.seed = 3});
    const Work job = rescaling_job(8, kVectors);
    config::MachineConfig config = config::preset_config("v64", "test");
    const int64_t alone = timing::profile(job.vector(), config).main.datapath_cycles;
    lock_step.run_sequences({beside.command}, {job});
    check_equal(lock_step.result());
    const auto rows =
        static_cast<int64_t>(timing::mac_edges(std::vector{beside.command.mac()}, datapath).front().results.size());
    CHECK(rows > 20);
    CHECK(lock_step.array_lane_cycles()[0] == rows * beside.scales_a_row);
    CHECK(lock_step.array_lane_cycles()[1] == rows * beside.look_ups_a_row);
    // It wants the rescale lanes in every cycle but its first and last few: it waits for nearly all that the array takes.
    CHECK(lock_step.vector_waits() == rows * beside.scales_a_row);
    CHECK(lock_step.vector_cycles() == 1 + alone + lock_step.vector_waits());
  }
}

TEST_CASE("core: lanes that are taken for no reason, or given away too late, are seen") {
  if (!has_rtl()) return;
  // The harness sees a wait that the array is no reason for.
  ClockedBlock waiting(
      std::make_unique<FlawedUnit>(make_rtl_block("npu_core", 8),
                                   [](FlawedUnit& unit) { *static_cast<uint8_t*>(unit.pin("lanes_array_o").data) = 0; }),
      *spec::rtl_block_of_unit("core"), 8);
  CoreLockStep lock_step(waiting, datapath_of(8), {.seed = 23});
  const LockStepResult result = lock_step.run(2000);
  CHECK(result.mismatches > 0);
  CHECK(result.cycle_mismatches > 0);
  // A unit that moves in a cycle in which it says that it waits is early.
  ClockedBlock hurrying(
      std::make_unique<FlawedUnit>(make_rtl_block("npu_core", 8),
                                   [](FlawedUnit& unit) { *static_cast<uint8_t*>(unit.pin("lanes_wait_o").data) = 0; }),
      *spec::rtl_block_of_unit("core"), 8);
  CoreLockStep late(hurrying, datapath_of(8), {.seed = 23});
  CHECK(late.run(2000).cycle_mismatches > 0);
}

TEST_CASE("core: a vector unit that stops is seen between the array's resets") {
  if (!has_rtl()) return;
  const auto run = [](const FlawedUnit::Flaw& flaw) {
    ClockedBlock block(std::make_unique<FlawedUnit>(make_rtl_block("npu_core", 8), flaw), *spec::rtl_block_of_unit("core"),
                       8);
    return CoreLockStep(block, datapath_of(8), {.seed = 23}).run(3000);
  };
  for (const std::string_view port : {"ld_ready_o", "st_valid_o", "vec_cmd_ready_o"}) {
    INFO(port);
    const LockStepResult result = run([port](FlawedUnit& unit) { *static_cast<uint8_t*>(unit.pin(port).data) = 0; });
    CHECK(result.mismatches > 0);
  }
}

TEST_CASE("vector unit: with lanes that others have for most of the time it waits, and loses nothing") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_vector_unit", 8), *spec::rtl_block_of_unit("vector"), 8);
  const Work job = rescaling_job(8, 200);
  int64_t waits = 0;
  for (const int64_t percent : {0, 30, 95}) {
    VectorLockStep lock_step(block, datapath_of(8), {.seed = 9});
    lock_step.run_sequence({.works = {job, job}, .shared_percent = percent});
    CHECK(lock_step.result().mismatches == 0);
    CHECK(lock_step.result().vectors == 400);
    CHECK((lock_step.waits() > waits) == (percent > 0));
    waits = lock_step.waits();
  }
  CHECK(waits > 2000);
  // One that moves in a cycle in which it has to wait is seen, also where cycles may differ.
  ClockedBlock moving(std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", 8),
                                                   [](FlawedUnit& unit) {
                                                     *static_cast<uint8_t*>(unit.pin("scale_ready_i").data) = 1;
                                                     *static_cast<uint8_t*>(unit.pin("scale_en_o").data) = 1;
                                                   }),
                      *spec::rtl_block_of_unit("vector"), 8);
  VectorLockStep lock_step(moving, datapath_of(8), {.seed = 9, .is_strict = false});
  lock_step.run_sequence({.works = {job}, .shared_percent = 50});
  REQUIRE(lock_step.result().mismatches > 0);
  CHECK_THAT(lock_step.result().first_text(), Catch::Contains("moves while scale_ready_i"));
}
