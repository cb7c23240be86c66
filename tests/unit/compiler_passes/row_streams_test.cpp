// SPDX-License-Identifier: Apache-2.0
// Several rows of a reduction at a time: the same values in fewer cycles.
#include "compiler/cost/row_streams.hpp"

#include "hw/package/command_codec.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/kernels/kernels.hpp"
#include "tests/support/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::cost {
namespace {

using base::ElementType;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;

constexpr int64_t kResults = 8192;
const config::MachineConfig kMachine = config::preset_config("v256", "test");

/// Sum of the differences from a constant of all rows, row by row; also of the differences from the row's own number.
VectorCommand sum_of_rows(int64_t rows, int64_t lanes, bool has_row_number) {
  VectorCommand command;
  command.counts = {1, rows, 1, 1, 1};
  command.kept_loops = 2;
  command.lanes = lanes;
  command.lanes_reduced = true;
  command.streams = {{0, ElementType::Int8, false, 1, {0, lanes}},
                     {kResults, ElementType::Int32, false, 0, {0, 4}},
                     {4096, ElementType::Int8, false, 0, {0, has_row_number ? 1 : 0}}};
  command.steps = {{.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true},
                   {.op = VectorOp::Load, .phase = VectorPhase::Init, .dst = 1, .stream = 2},
                   {.op = VectorOp::Load, .dst = 2},
                   {.op = VectorOp::Sub, .dst = 2, .a = 2, .b = 1},
                   {.op = VectorOp::Add, .dst = 0, .a = 0, .b = 2},
                   {.op = VectorOp::ReduceAdd, .phase = VectorPhase::Final, .dst = 0, .a = 0},
                   {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 0, .stream = 1}};
  REQUIRE(spec::schedule(command, kMachine.datapath));
  return command;
}

std::vector<std::byte> results_of(const VectorCommand& command, const std::vector<std::byte>& sram) {
  kernels::WriteSet writes;
  kernels::run_vector(command, kMachine.datapath, sram, {}, writes);
  std::vector<std::byte> after = sram;
  for (const auto& run : writes.runs()) {
    const auto bytes = writes.bytes_of(run);
    std::copy(bytes.begin(), bytes.end(), after.begin() + static_cast<std::ptrdiff_t>(run.address.offset));
  }
  return after;
}

RowStreams best_row_streams_of(const VectorCommand& command) {
  timing::KnownProfiles profiles(kMachine);
  return with_best_row_streams(command, kMachine, profiles);
}

int64_t cycles_of(const VectorCommand& command) { return timing::profile(command, kMachine).main.cycles; }

TEST_CASE("rows at a time have the values of rows one by one, whatever their number") {
  tests::Random random(11);
  std::vector<std::byte> sram(16384);
  for (std::byte& each : sram) each = static_cast<std::byte>(random.within(0, 255));
  for (int i = 0; i < 60; ++i) {
    const VectorCommand command = sum_of_rows(1 + i, random.within(1, 60), random.chance(50));
    const RowStreams best = best_row_streams_of(command);
    CAPTURE(i);
    CHECK(package::check({{spec::Queue::VectorUnit, 0, 0}, best.command}, kMachine.datapath).detail.empty());
    CHECK(best.origin.size() == best.command.streams.size());
    CHECK(results_of(best.command, sram) == results_of(command, sram));
    CHECK(cycles_of(best.command) <= cycles_of(command));
    CHECK((best.origin.size() > command.streams.size() || i == 0));
  }
}

TEST_CASE("what rows have in common is there once") {
  const RowStreams shared = best_row_streams_of(sum_of_rows(12, 16, false));
  // Two rows: two streams of elements, two of results, one of the number that all rows share.
  CHECK(shared.origin == std::vector<size_t>{0, 0, 1, 1, 2});
  CHECK(shared.command.counts[1] == 6);
  CHECK(shared.command.streams[1].base - shared.command.streams[0].base == 6 * 16);
  CHECK(std::count_if(shared.command.steps.begin(), shared.command.steps.end(), [](const spec::VectorStep& step) {
          return step.phase == VectorPhase::Init && spec::is_load(step.op);
        }) == 1);
  const RowStreams own = best_row_streams_of(sum_of_rows(12, 16, true));
  CHECK(own.origin == std::vector<size_t>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("a program without positions, and one that stores to one place, stay as they are") {
  VectorCommand command = sum_of_rows(8, 16, false);
  command.streams[1].strides_bytes = {};
  CHECK(best_row_streams_of(command).command == command);
  command.steps = {{.op = VectorOp::Load, .dst = 0}, {.op = VectorOp::Store, .a = 0, .stream = 1}};
  REQUIRE(spec::schedule(command, kMachine.datapath));
  CHECK(best_row_streams_of(command).command == command);
}

}  // namespace
}  // namespace vernier::cost
