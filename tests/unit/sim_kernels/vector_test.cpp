// SPDX-License-Identifier: Apache-2.0
#include "hw/model/rescale.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "sim/kernels/table_look_up.hpp"
#include "sim/kernels/vector_program.hpp"
#include "tests/unit/sim_kernels/vector_witness.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <utility>

namespace vernier::kernels::tests {
namespace {

Image run(const VectorCase& vector) {
  WriteSet writes;
  run_vector(vector.command, vector.datapath, vector.sram, vector.tables, writes);
  return image_of(writes);
}

TEST_CASE("random vector commands equal hw/model, element by element") {
  std::set<std::pair<spec::VectorOp, bool>> seen;  // operation, side by side or one vector after another
  for (uint64_t i = 0; i < 6000; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(2'000'000 + i);
    const VectorCase vector = random_vector_case(random);
    REQUIRE(run(vector) == witness_vector(vector));
    const bool is_independent = VectorProgram(vector.command).is_independent;
    for (const spec::VectorStep& step : vector.command.steps) seen.emplace(step.op, is_independent);
  }
  CHECK(seen.size() == 2 * spec::kNumVectorOps);
}

/// hw/model's result of an entry of a rescale step.
int32_t rescaled(const spec::VectorStep& step, int64_t value, int32_t multiplier, int32_t shift) {
  const int32_t scaled = step.scale32 ? model::apply_scale_32(model::wrap32(value), multiplier, shift, step.rounding)
                                      : model::apply_scale_16(value, multiplier, shift, step.rounding);
  return model::saturate_scaled(scaled, static_cast<int32_t>(step.imm1), step.type, step.is_unsigned);
}

int32_t looked_up(const TableSlot& slot, base::ElementType type, int64_t value) {
  int32_t result = 0;
  visit_table(slot, type, [&](auto look_up) { result = look_up(model::wrap32(value)); });
  return result;
}

TEST_CASE("a probe sees the operands of each rescale and table step, and what it leaves counts") {
  int64_t rescales = 0, tables = 0, wide = 0, changed = 0;
  for (uint64_t i = 0; i < 3000; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(4'000'000 + i);
    const VectorCase vector = random_vector_case(random);
    const Image before = run(vector);
    const auto probed = [&](const LaneStepProbe& probe) {
      WriteSet writes;
      run_vector(vector.command, vector.datapath, vector.sram, vector.tables, writes, probe);
      return image_of(writes);
    };
    const auto compare = [&](const LaneStep& seen) {
      const bool is_rescale = seen.step.op == spec::VectorOp::Rescale;
      REQUIRE(seen.results.size() == seen.values.size());
      REQUIRE(seen.multipliers.size() == (is_rescale ? seen.values.size() : 0));
      REQUIRE(seen.shifts.size() == seen.multipliers.size());
      for (size_t entry = 0; entry < seen.values.size(); ++entry) {
        if (is_rescale) {
          REQUIRE(seen.results[entry] ==
                  rescaled(seen.step, seen.values[entry], seen.multipliers[entry], seen.shifts[entry]));
          wide += model::wrap32(seen.values[entry]) != seen.values[entry] ? 1 : 0;
        } else {
          const TableSlot& slot = vector.tables[static_cast<size_t>(seen.step.slot)];
          REQUIRE(seen.results[entry] == looked_up(slot, seen.step.type, seen.values[entry]));
        }
      }
      (is_rescale ? rescales : tables) += std::ssize(seen.values);
    };
    REQUIRE(probed(compare) == before);
    const Image other = probed([](const LaneStep& seen) {
      for (int32_t& result : seen.results) result ^= 1;
    });
    changed += other != before ? 1 : 0;
  }
  CHECK(rescales > 10'000);
  CHECK(tables > 1000);
  CHECK(wide > 100);
  CHECK(changed > 100);
}

TEST_CASE("a schedule changes no value") {
  int64_t scheduled = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(3'000'000 + i);
    VectorCase vector = random_vector_case(random);
    const Image before = run(vector);
    if (!spec::schedule(vector.command, vector.datapath)) continue;
    REQUIRE(run(vector) == before);
    ++scheduled;
  }
  CHECK(scheduled > 1000);
}

/// Sum over 3 rows of 20 lanes, for 2 positions: kept lanes, one reduced loop.
VectorCase sum_of_rows() {
  VectorCase vector;
  vector.datapath = spec::kPresets[0].datapath;
  spec::VectorCommand& c = vector.command;
  c.counts = {1, 1, 1, 2, 3};
  c.kept_loops = 4;
  c.lanes = 20;
  c.streams = {{0, base::ElementType::Int8, true, 1, {0, 0, 0, 60, 20}},
               {0, base::ElementType::Int32, false, 4, {0, 0, 0, 80, 0}}};
  c.steps.resize(4);
  c.steps[0] = {
      .op = spec::VectorOp::Move, .phase = spec::VectorPhase::Init, .dst = 1, .b_is_immediate = true, .imm0 = 1000};
  c.steps[1] = {.op = spec::VectorOp::Load, .dst = 2, .stream = 0};
  c.steps[2] = {.op = spec::VectorOp::Add, .dst = 1, .a = 1, .b = 2};
  c.steps[3] = {.op = spec::VectorOp::Store, .phase = spec::VectorPhase::Final, .a = 1, .stream = 1};
  vector.sram.resize(120);
  for (size_t i = 0; i < vector.sram.size(); ++i) vector.sram[i] = static_cast<std::byte>(i);
  return vector;
}

TEST_CASE("accumulating loads, worked by hand: an offset, a shift, sums, greater and lesser") {
  for (const spec::VectorOp op : {spec::VectorOp::LoadAdd, spec::VectorOp::LoadMaximum, spec::VectorOp::LoadMinimum}) {
    VectorCase vector = sum_of_rows();
    vector.command.steps[1] = {.op = op, .dst = 1, .stream = 0, .shift = 3, .imm0 = -7};
    vector.command.steps.erase(vector.command.steps.begin() + 2);
    Image expected;
    for (int64_t position = 0; position < 2; ++position) {
      for (int64_t lane = 0; lane < 20; ++lane) {
        const int64_t least = 8 * (60 * position + lane + 7), most = least + 8 * 40;
        const int64_t value = op == spec::VectorOp::LoadAdd       ? 1000 + 3 * least + 8 * 60
                              : op == spec::VectorOp::LoadMaximum ? std::max<int64_t>(1000, most)
                                                                  : std::min<int64_t>(1000, least);
        write_element(expected, position * 80 + lane * 4, base::ElementType::Int32, value);
      }
    }
    CHECK(run(vector) == expected);
    CHECK(witness_vector(vector) == expected);
  }
}

TEST_CASE("a sum over a reduced loop, worked by hand") {
  Image expected;
  for (int64_t position = 0; position < 2; ++position) {
    for (int64_t lane = 0; lane < 20; ++lane) {
      const int64_t sum = 1000 + 3 * (60 * position + lane) + 20 + 40;
      write_element(expected, position * 80 + lane * 4, base::ElementType::Int32, sum);
    }
  }
  CHECK(run(sum_of_rows()) == expected);
}

TEST_CASE("a sum over the lanes, worked by hand") {
  VectorCase vector = sum_of_rows();
  vector.command.lanes_reduced = true;
  vector.command.steps[0].imm0 = 0;
  vector.command.steps.insert(vector.command.steps.begin() + 3,
                              {.op = spec::VectorOp::ReduceAdd, .phase = spec::VectorPhase::Final, .dst = 1, .a = 1});
  Image expected;
  write_element(expected, 0, base::ElementType::Int32, 60 * 59 / 2);
  write_element(expected, 80, base::ElementType::Int32, 60 * 59 / 2 + 60 * 60);
  CHECK(run(vector) == expected);
}

TEST_CASE("only vectors that cannot tell are worked on side by side") {
  const VectorCase vector = sum_of_rows();
  CHECK(VectorProgram(vector.command).is_independent);
  VectorCase other = vector;
  other.command.steps[2].a = 3;  // written by nobody
  CHECK_FALSE(VectorProgram(other.command).is_independent);
  other = vector;
  other.command.streams[1].strides_bytes[3] = 76;  // the last lane of a position is the first of the next
  CHECK_FALSE(VectorProgram(other.command).is_independent);
  other = vector;
  other.command.steps[3].phase = spec::VectorPhase::Body;  // every row to the same place
  CHECK_FALSE(VectorProgram(other.command).is_independent);
}

}  // namespace
}  // namespace vernier::kernels::tests
