// SPDX-License-Identifier: Apache-2.0
// Reset, values of registers before it, handshakes and idle cycles of npu_mac_array and npu_datapath; and whether the
// harness sees what goes wrong there, by an array in C++. Where the program has no RTL, tests of it say so and check
// nothing.
#include "sim/cosim/array_lock_step.hpp"
#include "sim/cosim/cosim.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/cosim/idle_registers.hpp"

#include <catch2/catch.hpp>
#include <fmt/ranges.h>

#include <map>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;

namespace {

std::span<const spec::RtlBlock> arrays() { return std::span(spec::kRtlBlocks).last(2); }

/// A slice: its accumulators are kept.
ArrayCommand half_of_a_reduction() {
  ArrayCommand begin = pointwise(kN8, 24, 8);
  begin.command.last = false;
  begin.command.reduction_end = 8;
  return begin;
}

/// Fills both banks in all rows and lanes and every cell of the weight tile with the largest numbers that there are.
ArrayCommand poison() {
  ArrayCommand array = pointwise(kN8, 16, 16);
  spec::MacCommand& m = array.command;
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = 8;
  m.input.row_pitch_bytes = 8 * 16;
  m.output.row_pitch_bytes = 8 * 16;
  m.row_tile_rows = 64;
  m.input_zero_point = 127;
  m.weight_zero_point = 127;
  m.weight_base = 4096;
  std::fill_n(array.sram.begin(), m.parameter_base, std::byte{0x80});
  return array;
}

/// A depthwise command of the largest elements, whose windows keep them.
ArrayCommand poison_of_windows() {
  ArrayCommand array = pointwise(kN8, 8, 8);
  spec::MacCommand& m = array.command;
  m.mode = spec::MacMode::Depthwise;
  m.kernel_rows = m.kernel_columns = 2;
  m.reduction_end = 4;
  m.in_rows = m.in_columns = 4;
  m.input.pixel_pitch_bytes = m.input.block_pitch_bytes = 8;
  m.input.row_pitch_bytes = 32;
  std::fill_n(array.sram.begin(), m.weight_base, std::byte{0x80});
  return array;
}

LockStepResult on_model(ArrayFlaw flaw, const std::function<void(ArrayLockStep&)>& run) {
  ClockedBlock block(make_array_model(8, flaw), datapath(), 8);
  ArrayLockStep lock_step(block, kN8, 3);
  run(lock_step);
  return lock_step.result();
}

std::string texts_of(const LockStepResult& result) {
  CHECK(result.mismatches > 0);
  return fmt::format("{}", fmt::join(result.first_mismatches, "\n"));
}

}  // namespace

TEST_CASE("array: the harness sees valids that wait for ready, rows that move, and what a reset leaves") {
  const auto hold = [](ArrayLockStep& lock_step) { lock_step.run_sequence({pointwise(kN8, 24, 16)}, ArrayPace::Held); };
  const auto drop = [](ArrayLockStep& lock_step) {
    for (int64_t cycles = 1; cycles < 70; cycles += 3) {
      lock_step.drop_sequence({pointwise(kN8, 24, 8)}, ArrayPace::Ideal, cycles);
      lock_step.run_sequence({pointwise(kN8, 16, 8)}, ArrayPace::Ideal);
    }
  };
  const LockStepResult held = on_model(ArrayFlaw::None, hold), dropped = on_model(ArrayFlaw::None, drop);
  check_equal(held);
  CHECK(held.vectors == 18);
  check_equal(dropped);
  CHECK(dropped.commands >= 23);

  const LockStepResult waits = on_model(ArrayFlaw::WaitsForReady, hold);
  CHECK_THAT(texts_of(waits), Contains("out_valid_o follows out_ready_i inside a cycle"));
  int64_t num_missing = 0;
  for (const LockStepResult::Group& group : waits.groups) num_missing += group.mismatches;
  CHECK(num_missing == 18);
  CHECK_THAT(texts_of(on_model(ArrayFlaw::NoHold, hold)), Contains("out_* moves before it is taken"));
  const auto hold_long = [&](ArrayLockStep& lock_step) {
    lock_step.hold_results(100);
    hold(lock_step);
  };
  CHECK_THAT(texts_of(on_model(ArrayFlaw::FollowsReady, hold_long)),
             Contains("out_row_o follows out_ready_i inside a cycle"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::SurvivesReset, drop)),
             Contains("a row of results that nobody asked for") || Contains("out_valid_o is 1 while rst_ni is low"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::KeepsBank, drop)), Contains("out_bank_o: expected 0, actual 1"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::ResetsByClock, drop)), Contains("while rst_ni is low, before an edge"));
}

TEST_CASE("array: the harness sees names of states that are wrong, and data that are taken without their valid") {
  const auto run = [](ArrayLockStep& lock_step) { lock_step.run_sequence({pointwise(kN8, 24, 8)}, ArrayPace::Ideal); };
  check_equal(on_model(ArrayFlaw::None, run));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::WrongState, run)), Contains("stall_o: expected weight_load, actual busy"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::TakesGarbage, run)), Contains("out_value_o lane 0"));
}

TEST_CASE("array: a reset in any cycle of a command, and the next ones are as the first") {
  if (!has_rtl()) return;
  const std::vector<std::vector<ArrayCommand>> dropped{{pointwise(kN8, 24, 8), pointwise(kN8, 8, 8)},
                                                       {half_of_a_reduction()},
                                                       {with_residual(kN8, 8, 16, false)},
                                                       {with_residual(kN8, 8, 8, true)},
                                                       {poison_of_windows()}};
  for (const spec::RtlBlock& unit : arrays()) {
    ClockedBlock block(make_rtl_block(unit.name, 8), unit, 8);
    ArrayLockStep lock_step(block, kN8, 1);
    for (const std::vector<ArrayCommand>& sequence : dropped) {
      for (int64_t cycles = 1; cycles <= 100; ++cycles) {
        INFO(unit.name << ", reset after " << cycles << " cycles");
        lock_step.drop_sequence(sequence, cycles % 5 == 4 ? ArrayPace::Stalls : ArrayPace::Ideal, cycles);
        lock_step.run_sequence({pointwise(kN8, 8, 16)}, ArrayPace::Ideal);
        if (lock_step.result().mismatches > 0) cycles = 100;
      }
    }
    check_equal(lock_step.result());
    CHECK(lock_step.result().vectors >= 5 * 100 * 18);
  }
}

TEST_CASE("array: registers and memories start from anything, five seeds, the same results") {
  if (!has_rtl()) return;
  for (int seed = 1; seed <= 5; ++seed) {
    auto block = make_rtl_block("npu_datapath", 8, RtlVariant::Check, {.reset_seed = seed});
    check_equal(run_cosim({"datapath", "v64", 8, 2000, 11}, std::move(block)).result);
  }
}

TEST_CASE("array: tiles, windows and accumulators full of a command before, five seeds, the same results") {
  if (!has_rtl()) return;
  std::vector<std::map<int64_t, uint64_t>> results;
  for (int seed = 1; seed <= 5; ++seed) {
    ClockedBlock block(make_rtl_block("npu_datapath", 8, RtlVariant::Check, {.reset_seed = seed}), datapath(), 8);
    ArrayLockStep lock_step(block, kN8, 7);
    Random random(13);
    for (int i = 0; i < 24; ++i) {
      const ArrayCommand full = i % 2 == 0 ? poison() : poison_of_windows();
      // After a whole command, or after a reset in its middle; seed 1 has no such command.
      if (seed > 1 && i % 4 < 2) lock_step.run_sequence({full}, ArrayPace::Ideal);
      if (seed > 1 && i % 4 >= 2) lock_step.drop_sequence({full}, ArrayPace::Ideal, 30 * i);
      auto& written = results.emplace_back();
      lock_step.on_result([&](int64_t address, uint64_t bits) { written[address] = bits; });
      lock_step.run_sequence(draw_array_sequence(kN8, random), ArrayPace::Ideal);
      lock_step.on_result(nullptr);
      if (seed > 1) CHECK(results.back() == results[static_cast<size_t>(i)]);
    }
    check_equal(lock_step.result());
  }
}

TEST_CASE("array: a checker with registers of its own sees a beat that no command has") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_datapath", 8, RtlVariant::Check), datapath(), 8);
  block.reset();
  block.edge();
  block.port("prm_valid_i").set(1);
  block.settle();
  CHECK(block.port("prm_ready_o").get() == 1);
  CHECK_THROWS_WITH(block.edge(), Contains("assertion of the RTL failed") && Contains("npu_array_checker"));
}

TEST_CASE("array: a valid comes and stays although ready is low for ever") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : arrays()) {
    for (const ArrayCommand& array : {pointwise(kN8, 24, 8), with_residual(kN8, 8, 8, true)}) {
      ClockedBlock block(make_rtl_block(unit.name, 8), unit, 8);
      ArrayLockStep lock_step(block, kN8, 1);
      lock_step.hold_results(9000);  // no handshake for 10,000 cycles is a hang
      lock_step.run_sequence({array}, ArrayPace::Held, 2);
      CHECK(lock_step.result().vectors == 2);
      CHECK(block.cycle() > 2 * 9000);
      CHECK(lock_step.result().mismatches == 0);
      for (const std::string& text : lock_step.result().first_mismatches) CHECK(text.empty());
    }
  }
}

TEST_CASE("array: no register changes in an idle cycle, whatever the operands' pins do") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : arrays()) {
    ClockedBlock block(make_rtl_block(unit.name, 8, RtlVariant::Plain), unit, 8);
    CHECK(idle_register_changes(block) == "");
  }
}
