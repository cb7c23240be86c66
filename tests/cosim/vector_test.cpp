// SPDX-License-Identifier: Apache-2.0
// npu_vector_unit against the kernels, the beats of hw/sequence and the cycles of hw/timing; whether the comparison sees
// what it has to see.
#include "hw/config/machine_config.hpp"
#include "hw/spec/vector_operands.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

spec::Datapath datapath_of(int lanes) { return {lanes, 4, 2}; }

LockStepResult run_flawed(const FlawedUnit::Flaw& flaw, int64_t vectors, uint64_t seed = 5) {
  auto unit = std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", 8), flaw);
  ClockedBlock block(std::move(unit), *spec::rtl_block_of_unit("vector"), 8);
  return VectorLockStep(block, datapath_of(8), {.seed = seed}).run(vectors);
}

/// Words of the SRAM that the elements of one start lie in.
int64_t words_of(const std::set<int64_t>& bytes, int64_t word_bytes) {
  std::set<int64_t> words;
  for (const int64_t byte : bytes) words.insert(byte / word_bytes);
  return static_cast<int64_t>(words.size());
}

/// The words of all starts of loads, or of all starts of stores.
int64_t words_of(sequence::VectorBeats beats, const spec::VectorCommand& command, int64_t word_bytes) {
  int64_t words = 0;
  for (sequence::VectorBeat beat; beats.next(beat);) {
    if (beat.part > 0) continue;  // of the same element
    const auto stream = static_cast<size_t>(command.steps[beat.step].stream);
    std::set<int64_t> bytes;
    for (const sequence::VectorElements& elements : {beat.first, beat.second}) {
      for (int64_t lane = 0; lane < elements.count; ++lane) {
        for (int64_t i = 0; i < base::stored_bytes(command.streams[stream].type); ++i)
          bytes.insert(elements.address + lane * elements.lane_stride_bytes + i);
      }
    }
    words += words_of(bytes, word_bytes);
  }
  return words;
}

}  // namespace

TEST_CASE("random programs of all steps are equal in every element and every edge") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_vector_unit")) {
    ClockedBlock block(make_rtl_block("npu_vector_unit", lanes), *spec::rtl_block_of_unit("vector"), lanes);
    VectorLockStep lock_step(block, datapath_of(lanes), {.seed = 11});
    const int64_t vectors = lanes == 8 ? 60'000 : 20'000;
    const LockStepResult result = lock_step.run(vectors);
    check_equal(result);
    CHECK(result.vectors == vectors);
    CHECK(result.model_cycles > vectors);
    for (const LockStepResult::Group& group : result.groups) CHECK(group.vectors > 100);
    if (lanes != 8) continue;
    // All of them: tests/e2e/cosim_test.py, of a million.
    for (const std::string& bin : lock_step.coverage().missing()) UNSCOPED_INFO(bin);
    CHECK(VectorCoverage().num_legal() == 225);
    CHECK(lock_step.coverage().num_legal() == 225 + 680);
    CHECK(1000 * lock_step.coverage().num_hit() >= 985 * lock_step.coverage().num_legal());
  }
}

TEST_CASE("wrong elements, lanes and edges of the vector unit are seen") {
  if (!has_rtl()) return;
  const LockStepResult zeros = run_flawed(
      [](FlawedUnit& unit) {
        const Pin& data = unit.pin("st_data_o");
        std::memset(data.data, 0, data.bytes);
      },
      1000);
  CHECK(zeros.mismatches > 300);  // many an element is 0
  CHECK(zeros.cycle_mismatches == 0);
  const LockStepResult lanes =
      run_flawed([](FlawedUnit& unit) { *static_cast<uint8_t*>(unit.pin("st_mask_o").data) &= 0xFE; }, 1000);
  CHECK(lanes.mismatches >= 1000);
  int late = 0;
  const LockStepResult edges = run_flawed(
      [&late](FlawedUnit& unit) {  // each beat is there for an evaluation before it shows
        auto* valid = static_cast<uint8_t*>(unit.pin("st_valid_o").data);
        late = *valid != 0 ? late + 1 : 0;
        if (late < 3) *valid = 0;
      },
      200);
  CHECK(edges.cycle_mismatches > 0);
  CHECK_THAT(edges.first_text(), Catch::StartsWith("npu_vector_unit, ") && Catch::Contains("_o"));
  // A beat that does not hold: another mask while it waits for room. A run tells of its first mismatches alone.
  const auto moves = [](FlawedUnit& unit) {
    if (unit.is_high("st_valid_o") && !unit.is_high("st_ready_i")) *static_cast<uint8_t*>(unit.pin("st_mask_o").data) ^= 2;
  };
  const auto is_told = [](const Mismatch& mismatch) {
    const std::string text = mismatch.print();
    return text.starts_with("npu_vector_unit, cycle ") && text.ends_with(": st_mask_o lane 1 moves before it is taken");
  };
  int num_told = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed)
    num_told += std::ranges::any_of(run_flawed(moves, 300, seed).first_mismatches, is_told) ? 1 : 0;
  CHECK(num_told > 0);
}

TEST_CASE("a step counts with its phase and the type of its stream or its own") {
  VectorCoverage coverage;
  spec::VectorCommand command;
  command.streams = {{.type = base::ElementType::Int8, .is_unsigned = true}, {.type = base::ElementType::Int48}};
  command.steps = {{.op = spec::VectorOp::Load, .phase = spec::VectorPhase::Init},
                   {.op = spec::VectorOp::Rescale, .type = base::ElementType::Int16, .is_unsigned = true},
                   {.op = spec::VectorOp::Add, .type = base::ElementType::Int8},
                   {.op = spec::VectorOp::Add},  // of 32 bits, whatever its type says
                   {.op = spec::VectorOp::Store, .phase = spec::VectorPhase::Final, .stream = 1}};
  coverage.count(command);
  CHECK(coverage.num_hit() == 4);
  const std::vector<std::string> missing = coverage.missing();
  CHECK(std::ssize(missing) == coverage.num_legal() - 4);
  for (const char* bin : {"load of uint8, init", "rescale of uint16, body", "add, body", "store of int48, final"})
    CHECK(std::ranges::find(missing, bin) == missing.end());
  for (const char* bin : {"load of int8, init", "load of uint8, body", "add, init", "store of int48, init"})
    CHECK(std::ranges::find(missing, bin) != missing.end());
}

TEST_CASE("directed programs store all bits of each unit's results from each register, and take pairs of each type") {
  const spec::Datapath datapath = datapath_of(8);
  Random random(9);
  std::set<std::pair<spec::VectorSlot, int64_t>> stored;
  std::set<std::pair<base::ElementType, bool>> taken_in_pairs;  // over lanes, or over a loop
  for (int i = 0; i < 3000; ++i) {
    const kernels::TableMemory tables = draw_vector_tables(random);
    const Work job = draw_directed_job(datapath, tables, random).work;
    std::map<int64_t, spec::VectorSlot> made_by;
    for (const spec::VectorStep& step : job.vector().steps) {
      const auto type = [&] { return job.vector().streams[static_cast<size_t>(step.stream)].type; };
      if (spec::is_accumulating_load(step.op)) taken_in_pairs.emplace(type(), job.vector().lanes_reduced);
      if (step.op != spec::VectorOp::Store) {
        made_by[step.dst] = spec::slot_of(step.op);
      } else if (type() == base::ElementType::Int48 && made_by.contains(step.a)) {
        stored.emplace(made_by[step.a], step.a);
      }
    }
  }
  CHECK(stored.size() == 4 * spec::kNumVectorRegisters);
  CHECK(taken_in_pairs.size() == 4 * 2);
}

TEST_CASE("a vector unit that never takes another command is seen") {
  if (!has_rtl()) return;
  bool has_stored = false;
  auto unit = std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", 8), [&has_stored](FlawedUnit& flawed) {
    has_stored |= flawed.is_high("st_valid_o");
    if (has_stored) *static_cast<uint8_t*>(flawed.pin("cmd_ready_o").data) = 0;
  });
  ClockedBlock block(std::move(unit), *spec::rtl_block_of_unit("vector"), 8);
  VectorLockStep lock_step(block, datapath_of(8), {.seed = 5});
  Work job(spec::VectorCommand{});
  job.vector().streams = {{}, {.base = 64}};
  job.vector().steps = {{.op = spec::VectorOp::Load}, {.op = spec::VectorOp::Store, .stream = 1}};
  REQUIRE(spec::schedule(job.vector(), datapath_of(8)));
  job.bytes.resize(128);
  lock_step.run_sequence({{job}, ArrayPace::Ideal});
  REQUIRE(lock_step.result().mismatches == 1);
  CHECK(lock_step.result().cycle_mismatches == 1);
  CHECK_THAT(lock_step.result().first_text(), Catch::Contains("npu_vector_unit, cycle ") &&
                                                  Catch::Contains("cmd_ready_o does not come after the last command"));
}

TEST_CASE("as many vectors as there may be are in flight, of lanes that differ") {
  if (!has_rtl()) return;
  const spec::Datapath datapath = datapath_of(8);
  Work job(spec::VectorCommand{});
  job.vector().counts = {1, 1, 1, 5, 20};
  job.vector().lanes = 13;
  job.vector().streams = {{.base = 0, .strides_bytes = {0, 0, 0, 400, 20}},
                          {.base = 2048, .strides_bytes = {0, 0, 0, 260, 13}}};
  job.vector().steps = {{.op = spec::VectorOp::Load}, {.op = spec::VectorOp::Store, .stream = 1}};
  REQUIRE(spec::schedule(job.vector(), datapath));
  job.vector().interval = 2;
  job.vector().steps[1].offset = 2 * spec::kMaxVectorsInFlight - 1;
  job.vector().steps[0].offset = job.vector().steps[1].offset - 3;
  REQUIRE(is_legal(job, datapath));
  for (int i = 0; i < 4096; ++i) job.bytes.push_back(static_cast<std::byte>(i * 7 + i / 256));
  ClockedBlock block(make_rtl_block("npu_vector_unit", 8), *spec::rtl_block_of_unit("vector"), 8);
  VectorLockStep lock_step(block, datapath);
  lock_step.run_sequence({{job, job}, ArrayPace::Ideal});
  check_equal(lock_step.result());
  CHECK(lock_step.result().vectors == 2 * 2 * 100);
}

TEST_CASE("the beats of a vector command take the words that hw/timing counts") {
  Random random(21);
  for (const int lanes : built_widths("npu_vector_unit")) {
    config::MachineConfig config = config::preset_config("v256", "test");
    config.datapath = datapath_of(lanes);
    const kernels::TableMemory tables = draw_vector_tables(random);
    for (int i = 0; i < 300; ++i) {
      const Work job = draw_vector_job(config.datapath, tables, random).work;
      timing::Phase main = timing::profile(job.vector(), config).main;
      const int64_t word_bytes = config.datapath.word_bytes();
      INFO(i);
      CHECK(words_of(sequence::VectorBeats::of_loads(job.vector(), config.datapath), job.vector(), word_bytes) ==
            main.demand[static_cast<size_t>(timing::Resource::SramRead)]);
      CHECK(words_of(sequence::VectorBeats::of_stores(job.vector(), config.datapath), job.vector(), word_bytes) ==
            main.demand[static_cast<size_t>(timing::Resource::SramWrite)]);
    }
  }
}

TEST_CASE("what takes elements of the first stream counts with their class and type, and is drawn until all did") {
  const spec::Datapath datapath = datapath_of(8);
  Random random(5);
  const kernels::TableMemory tables = draw_vector_tables(random);
  VectorCoverage coverage;
  coverage.count_operands();
  const int64_t num_phases = VectorCoverage().num_legal(), num_operands = coverage.num_legal() - num_phases;
  const auto is_missing = [&](std::string_view bin) { return std::ranges::count(coverage.missing(), bin) > 0; };
  CHECK(is_missing("maximum, extreme operands of int16"));
  CHECK_FALSE(is_missing("maximum, extreme operands of int48"));
  const DrawnWork drawn =
      draw_operands_of(spec::VectorOp::Maximum, base::ElementType::Int16, OperandClass::Extreme, datapath, tables, random);
  coverage.count_drawn(drawn);
  CHECK_FALSE(is_missing("maximum, extreme operands of int16"));
  CHECK_FALSE(is_missing("load, extreme operands of int16"));
  CHECK(is_missing("store, extreme operands of int16"));  // it stores the maximum
  const Work& job = drawn.work;
  for (int64_t i = 0; i < job.vector().lanes; ++i) {
    const auto high = std::to_integer<uint8_t>(job.bytes[static_cast<size_t>(2 * i + 1)]);
    CHECK((high == 0x80 || high == 0x7f || (job.vector().streams.front().is_unsigned && (high == 0 || high == 0xff))));
  }
  int64_t num_drawn = 0;
  while (std::optional<DrawnWork> missing = coverage.draw_missing(datapath, tables, random)) {
    const int64_t before = coverage.num_hit();
    coverage.count_drawn(*missing);
    CHECK(coverage.num_hit() > before);
    ++num_drawn;
  }
  CHECK(num_drawn < num_operands);
  for (const std::string& bin : coverage.missing()) CHECK(bin.find("operands") == std::string::npos);
}
