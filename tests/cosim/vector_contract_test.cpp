// SPDX-License-Identifier: Apache-2.0
// What npu_vector_unit promises besides its values: whatever its registers start from, after resets at any time, and with
// registers that stand still where nothing happens.
#include "hw/spec/vector_schedule.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/cosim/register_changes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

using namespace vernier;
using namespace vernier::cosim;

namespace {

const spec::Datapath kContractDatapath{8, 4, 2};
const spec::RtlBlock& vector_unit() { return *spec::rtl_block_of_unit("vector"); }

/// A program with a step in every slot, a reduction and a division, of all lanes and of fewer.
Work busy_job(int64_t lanes) {
  Work job(spec::VectorCommand{});
  job.vector().lanes = lanes;
  job.vector().counts = {1, 1, 1, 1, 9};
  job.vector().streams = {
      {.base = 0, .strides_bytes = {0, 0, 0, 0, lanes}},
      {.base = 1024, .type = base::ElementType::Int32, .lane_stride_bytes = 4, .strides_bytes = {0, 0, 0, 0, 4 * lanes}}};
  job.vector().steps = {
      {.op = spec::VectorOp::Load},
      {.op = spec::VectorOp::Table, .dst = 1, .type = base::ElementType::Int32},
      {.op = spec::VectorOp::Rescale, .dst = 2, .a = 1, .b_is_immediate = true, .shift = 31, .imm0 = 1 << 30},
      {.op = spec::VectorOp::Add, .dst = 3, .a = 2, .b = 0},
      {.op = spec::VectorOp::IntDiv, .dst = 4, .a = 3, .b_is_immediate = true, .imm0 = 7},
      {.op = spec::VectorOp::ReduceMax, .dst = 5, .a = 4},
      {.op = spec::VectorOp::Store, .a = 5, .stream = 1}};
  REQUIRE(spec::schedule(job.vector(), kContractDatapath));
  for (int i = 0; i < 4096; ++i) job.bytes.push_back(static_cast<std::byte>(i * 11 + i / 256));
  REQUIRE(is_legal(job.vector(), kContractDatapath));
  return job;
}

/// Both slots, in formats of int8 with results of 32 bits.
kernels::TableMemory tables() {
  kernels::TableMemory memory;
  for (kernels::TableSlot& slot : memory) {
    slot.type = base::ElementType::Int32;
    for (size_t i = 0; i < slot.bytes.size(); ++i) slot.bytes[i] = static_cast<std::byte>(i * 3);
  }
  return memory;
}

}  // namespace

TEST_CASE("vector unit: registers start from anything: assertions on, four seeds, the same results") {
  if (!has_rtl()) return;
  for (int seed = 1; seed <= 4; ++seed) {
    ClockedBlock block(make_rtl_block("npu_vector_unit", 8, RtlVariant::Check, {.reset_seed = seed}), vector_unit(), 8);
    VectorLockStep lock_step(block, kContractDatapath, {.seed = 31});
    const LockStepResult result = lock_step.run(8000);
    check_equal(result);
    CHECK(result.vectors == 8000);
  }
}

TEST_CASE("vector unit: a reset in any cycle of a command, with or without an edge, leaves nothing of it") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_vector_unit", 8, RtlVariant::Check, {.reset_seed = 3}), vector_unit(), 8);
  VectorLockStep lock_step(block, kContractDatapath, {.seed = 8, .tables = tables()});
  for (int64_t cycles = 1; cycles < 130; ++cycles) {
    lock_step.run_sequence({.works = {busy_job(8)}, .reset_after_cycles = cycles});
    lock_step.run_sequence({{busy_job(5), busy_job(8)}, ArrayPace::Ideal});
  }
  check_equal(lock_step.result());
  CHECK(lock_step.result().vectors >= 129 * 18);
  // One that survives a reset is seen.
  bool was_valid = false;
  ClockedBlock flawed(std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", 8),
                                                   [&was_valid](FlawedUnit& unit) {
                                                     auto* valid = static_cast<uint8_t*>(unit.pin("st_valid_o").data);
                                                     if (unit.is_high("rst_ni")) was_valid = *valid != 0;
                                                     if (was_valid) *valid = 1;
                                                   }),
                      vector_unit(), 8);
  VectorLockStep survivor(flawed, kContractDatapath, {.seed = 8, .tables = tables()});
  for (int64_t cycles = 60; cycles < 120; ++cycles)
    survivor.run_sequence({.works = {busy_job(8)}, .reset_after_cycles = cycles});
  CHECK(survivor.result().mismatches > 0);
}

TEST_CASE("vector unit: an output that follows an input of the same cycle is seen") {
  if (!has_rtl()) return;
  ClockedBlock block(std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", 8),
                                                  [](FlawedUnit& unit) {
                                                    const uint8_t ready = unit.is_high("st_ready_i") ? 1 : 0;
                                                    *static_cast<uint8_t*>(unit.pin("look_slot_o").data) =
                                                        ready;  // both have the same
                                                  }),
                     vector_unit(), 8);
  VectorLockStep lock_step(block, kContractDatapath, {.seed = 8, .tables = tables()});
  lock_step.run_sequence({{busy_job(8), busy_job(8)}, ArrayPace::Ideal});
  CHECK(std::ranges::any_of(lock_step.result().first_mismatches, [](const Mismatch& mismatch) {
    return mismatch.print().ends_with("look_slot_o follows st_ready_i inside a cycle");
  }));
}

TEST_CASE("vector unit: a beat of a store that does not come is missing, and its command is in both sums of cycles") {
  if (!has_rtl()) return;
  const auto run = [](const FlawedUnit::Flaw& flaw, ArrayPace pace) {
    ClockedBlock block(std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", 8), flaw), vector_unit(), 8);
    VectorLockStep lock_step(block, kContractDatapath,
                             {.seed = 8, .is_strict = false, .tables = tables()});  // nothing else says it
    lock_step.run_sequence({{busy_job(8)}, pace});
    const LockStepResult result = lock_step.result();
    CHECK(result.mismatches > 0);
    CHECK(std::ranges::any_of(result.first_mismatches, [](const Mismatch& mismatch) {
      return mismatch.print().ends_with("st_valid_o: the beat is missing");
    }));
    return result;
  };
  const auto never = [](FlawedUnit& unit) { *static_cast<uint8_t*>(unit.pin("st_valid_o").data) = 0; };
  const LockStepResult lost = run(never, ArrayPace::Ideal);
  CHECK(lost.model_cycles > 0);
  CHECK(lost.rtl_cycles > 0);
  CHECK(lost.rtl_cycles <= lost.model_cycles);
  run(
      [](FlawedUnit& unit) {
        if (!unit.is_high("st_ready_i")) *static_cast<uint8_t*>(unit.pin("st_valid_o").data) = 0;
      },
      ArrayPace::Held);
}

TEST_CASE("vector unit: no register changes where nothing happens, whatever the pins do") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_vector_unit", 8), vector_unit(), 8);
  RegisterChanges registers(block, 4);
  VectorLockStep lock_step(block, kContractDatapath, {.seed = 8, .tables = tables()});
  constexpr std::array<std::string_view, 4> kValids{"cmd_valid_i", "ld_valid_i", "scale_valid_i", "look_valid_i"};
  for (const int64_t lanes : {8, 5}) {
    const int64_t from = block.cycle();
    lock_step.run_sequence({.works = {busy_job(lanes)}});
    registers.add("a command", from);
    registers.scramble("idle after it", kValids, true);
  }
  // In the middle of a command: without en_i, and while its lanes are with somebody else.
  lock_step.run_sequence({.works = {busy_job(8)}, .most_results = 3});
  lock_step.begin({.works = {busy_job(8)}});
  for (int64_t i = 0; i < 20; ++i) {
    for (const std::string_view input : {"en_i", "scale_ready_i", "look_ready_i", "st_ready_i"}) block.port(input).set(1);
    lock_step.offer(true);
    block.settle();
    lock_step.settled();
    lock_step.see();
    block.edge();
    lock_step.clocked();
  }
  registers.scramble("en_i low in a command", {}, false);
  constexpr std::array<std::string_view, 2> kReadies{"scale_ready_i", "look_ready_i"};
  registers.scramble("until all stands", kReadies, true);
  registers.scramble("while it waits for lanes", kReadies, true);
  for (const auto& [name, changes] : registers.finish()) {
    INFO(name);
    if (name == "a command") CHECK(changes > 500);
    if (name != "a command" && name != "until all stands") CHECK(changes == 0);
  }
}
