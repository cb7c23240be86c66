// SPDX-License-Identifier: Apache-2.0
// Reset, values of registers before it, handshakes and idle cycles of npu_mac_array and npu_datapath; and whether the
// harness sees what goes wrong there, by an array in C++. Where the program has no RTL, tests of it say so and check
// nothing.
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/replay/array_replay.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/cosim/array_seeds.hpp"
#include "tests/cosim/idle_registers.hpp"

#include <catch2/catch.hpp>
#include <fmt/ranges.h>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;

namespace {

std::array<spec::RtlBlock, 2> arrays() { return {mac_array(), datapath()}; }

std::unique_ptr<RtlBlock> checked_datapath(const RtlOptions& options) {
  return make_rtl_block("npu_datapath", 8, RtlVariant::Check, options);
}

/// A slice: its accumulators are kept.
Work half_of_a_reduction() {
  Work begin = pointwise(kN8, 24, 8);
  begin.mac().last = false;
  begin.mac().reduction_end = 8;
  return begin;
}

LockStepResult on_model(ArrayFlaw flaw, const std::function<void(ArrayLockStep&)>& run) {
  ClockedBlock block(make_array_model(8, flaw), datapath(), 8);
  ArrayLockStep lock_step(block, kN8, {.seed = 3});
  run(lock_step);
  return lock_step.result();
}

std::string texts_of(const LockStepResult& result) {
  CHECK(result.mismatches > 0);
  std::string texts;
  for (const Mismatch& mismatch : result.first_mismatches) texts += mismatch.print() + "\n";
  return texts;
}

}  // namespace

TEST_CASE("array: the harness sees valids that wait for ready, rows that move, and what a reset leaves") {
  const auto hold = [](ArrayLockStep& lock_step) { lock_step.run_sequence({{pointwise(kN8, 24, 16)}, ArrayPace::Held}); };
  const auto drop = [](ArrayLockStep& lock_step) {
    for (int64_t cycles = 1; cycles < 70; cycles += 3) {
      lock_step.run_sequence({.works = {pointwise(kN8, 24, 8)}, .reset_after_cycles = cycles});
      lock_step.run_sequence({{pointwise(kN8, 16, 8)}, ArrayPace::Ideal});
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
  CHECK_THAT(texts_of(on_model(ArrayFlaw::NoHold, hold)),
             Contains("npu_datapath, cycle ") && Contains("_o moves before it is taken"));
  const auto hold_long = [](ArrayLockStep& lock_step) {
    lock_step.run_sequence({.works = {pointwise(kN8, 24, 16)}, .pace = ArrayPace::Held, .hold_cycles = 100});
  };
  CHECK_THAT(texts_of(on_model(ArrayFlaw::FollowsReady, hold_long)),
             Contains("out_row_o follows out_ready_i inside a cycle"));
  CHECK_THAT(
      texts_of(on_model(ArrayFlaw::SurvivesReset, drop)),
      Contains("out_valid_o: a row of results that nobody asked for") || Contains("out_valid_o is 1 while rst_ni is low"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::KeepsBank, drop)), Contains("out_bank_o: expected 0, actual 1"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::ResetsByClock, drop)), Contains("while rst_ni is low, before an edge"));
}

TEST_CASE("array: the harness sees names of states that are wrong, and data that are taken without their valid") {
  const auto run = [](ArrayLockStep& lock_step) { lock_step.run_sequence({{pointwise(kN8, 24, 8)}, ArrayPace::Ideal}); };
  check_equal(on_model(ArrayFlaw::None, run));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::WrongState, run)), Contains("stall_o: expected weight_load, actual busy"));
  CHECK_THAT(texts_of(on_model(ArrayFlaw::TakesGarbage, run)), Contains("out_value_o lane 0"));
}

TEST_CASE("array: of RTL whose edges may differ, a wrong state is a mismatch where no edge differs") {
  const auto relaxed = [](ArrayFlaw flaw) {
    ClockedBlock block(make_array_model(8, flaw), datapath(), 8);
    ArrayLockStep lock_step(block, kN8, {.seed = 3, .is_strict = false, .keeps_fault = true});
    lock_step.run_sequence({{pointwise(kN8, 24, 8)}, ArrayPace::Ideal});
    const LockStepResult result = lock_step.take_result();
    const std::optional<CommandFault> fault = lock_step.take_fault();
    CHECK(fault.has_value() == (result.mismatches > 0));
    if (fault) CHECK(fault->mismatch == result.first_mismatches.front());
    return result;
  };
  check_equal(relaxed(ArrayFlaw::None));
  const LockStepResult wrong = relaxed(ArrayFlaw::WrongState);
  CHECK_THAT(texts_of(wrong), Contains("stall_o: expected weight_load, actual busy"));
  CHECK(wrong.cycle_mismatches == wrong.mismatches);
  const LockStepResult late = relaxed(ArrayFlaw::Late);
  CHECK(late.mismatches == 0);
  CHECK(late.cycle_mismatches > 0);
}

TEST_CASE("array: a mismatch says what the RTL has in the accumulator") {
  ClockedBlock zeros(make_array_model(8, ArrayFlaw::Zeros), datapath(), 8);
  ArrayLockStep lock_step(zeros, kN8, {.seed = 3, .keeps_fault = true});
  lock_step.run_sequence({{pointwise(kN8, 24, 8)}, ArrayPace::Ideal});
  const std::optional<CommandFault> fault = lock_step.take_fault();
  REQUIRE(fault);
  REQUIRE(lock_step.result().first_place);
  CHECK(lock_step.result().first_place->lane == fault->place->lane);
  ClockedBlock again(make_array_model(8, ArrayFlaw::Zeros), datapath(), 8);
  CHECK_THAT(rtl_accumulator_text(*fault, kN8, again),
             Catch::Matchers::StartsWith("; on the RTL the accumulator is 0: bias "));
  ClockedBlock right(make_array_model(8, ArrayFlaw::None), datapath(), 8);
  CHECK_THAT(rtl_accumulator_text(*fault, kN8, right),
             Catch::Matchers::StartsWith("; the RTL's accumulator is ") && Catch::Matchers::EndsWith(" too"));
}

TEST_CASE("array: a command whose row is lost is in both sums of cycles") {
  const LockStepResult lost = on_model(ArrayFlaw::NoResult, [](ArrayLockStep& lock_step) {
    lock_step.run_sequence({{pointwise(kN8, 24, 8)}, ArrayPace::Ideal});
  });
  CHECK_THAT(texts_of(lost), Contains("out_valid_o: the row is missing"));
  CHECK(lost.model_cycles > 0);
  CHECK(lost.rtl_cycles > 0);
}

TEST_CASE("array: a reset in any cycle of a command, and the next ones are as the first") {
  if (!has_rtl()) return;
  const std::vector<std::vector<Work>> dropped{{pointwise(kN8, 24, 8), pointwise(kN8, 8, 8)},
                                               {half_of_a_reduction()},
                                               {with_residual(kN8, 8, 16, false)},
                                               {with_residual(kN8, 8, 8, true)},
                                               {full_windows(kN8)}};
  for (const spec::RtlBlock& unit : arrays()) {
    ClockedBlock block(make_rtl_block(unit.name, 8), unit, 8);
    ArrayLockStep lock_step(block, kN8, {.seed = 1});
    for (const std::vector<Work>& sequence : dropped) {
      for (int64_t cycles = 1; cycles <= 100; ++cycles) {
        INFO(unit.name << ", reset after " << cycles << " cycles");
        lock_step.run_sequence({.works = sequence,
                                .pace = cycles % 5 == 4 ? ArrayPace::Stalls : ArrayPace::Ideal,
                                .reset_after_cycles = cycles});
        lock_step.run_sequence({{pointwise(kN8, 8, 16)}, ArrayPace::Ideal});
        if (lock_step.result().mismatches > 0) cycles = 100;
      }
    }
    check_equal(lock_step.result());
    CHECK(lock_step.result().vectors >= 5 * 100 * 18);
  }
}

TEST_CASE("array: registers and memories start from anything, five seeds, the same results") {
  if (has_rtl()) check_seeds_of_registers({"datapath", "v64", 8, 2000, 11}, checked_datapath);
}

TEST_CASE("array: tiles, windows and accumulators full of a command before, five seeds, the same results") {
  if (has_rtl()) check_seeds_after_full_commands(kN8, checked_datapath);
}

TEST_CASE("array: a checker with registers of its own sees a beat that no command has") {
  if (has_rtl()) check_that_the_checker_sees(8, checked_datapath);
}

TEST_CASE("array: a valid comes and stays although ready is low for ever") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : arrays()) {
    for (const Work& array : {pointwise(kN8, 24, 8), with_residual(kN8, 8, 8, true)}) {
      ClockedBlock block(make_rtl_block(unit.name, 8), unit, 8);
      ArrayLockStep lock_step(block, kN8, {.seed = 1});
      // No handshake for 10,000 cycles is a hang.
      lock_step.run_sequence({.works = {array}, .pace = ArrayPace::Held, .most_results = 2, .hold_cycles = 9000});
      CHECK(lock_step.result().vectors == 2);
      CHECK(block.cycle() > 2 * 9000);
      CHECK(lock_step.result().mismatches == 0);
      for (const Mismatch& mismatch : lock_step.result().first_mismatches) CHECK(mismatch.print().empty());
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
