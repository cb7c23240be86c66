// SPDX-License-Identifier: Apache-2.0
// Rescale and table steps of vector commands on the units by themselves: in C++, right and with flaws, and on RTL.
#include "sim/cosim/network/lane_units.hpp"

#include "tests/cosim/model_block.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;

namespace {

/// A step with random operands, and the results that the kernels would have.
struct Step {
  spec::VectorStep step{};
  std::vector<int64_t> values;
  std::vector<int32_t> multipliers, shifts, right, results;
  kernels::LaneStep view() { return {step, values, multipliers, shifts, results}; }
};

kernels::TableMemory draw_tables(Random& random) {
  kernels::TableMemory tables;
  const std::array formats{base::ElementType::Int8, base::ElementType::Int16, base::ElementType::Int32};
  for (kernels::TableSlot& slot : tables) {
    slot.type = formats[static_cast<size_t>(random.within(0, 2))];
    const Table table = draw_table(*slot.type, random);
    std::ranges::copy(table.bytes, slot.bytes.begin());
  }
  return tables;
}

Step draw_rescale(int64_t entries, Random& random) {
  RescaleSetup setup;
  do {
    setup = draw_setup(random);
  } while (!is_legal(setup));
  setup.in_type = setup.scale32 ? base::ElementType::Int32 : base::ElementType::Int48;
  setup.in_unsigned = false;
  setup.in_zero_point = 0;
  setup.clamp_min = INT32_MIN;
  setup.clamp_max = INT32_MAX;
  Step step;
  step.step.op = spec::VectorOp::Rescale;
  step.step.type = setup.out_type;
  step.step.is_unsigned = setup.out_unsigned;
  step.step.scale32 = setup.scale32;
  step.step.rounding = setup.rounding;
  step.step.imm1 = setup.out_zero_point;
  for (int64_t i = 0; i < entries; ++i) {
    const RescaleLane lane = draw_lane(setup, random);
    step.values.push_back(setup.scale32 ? static_cast<int32_t>(lane.value) : lane.value);
    step.multipliers.push_back(lane.multiplier);
    step.shifts.push_back(lane.shift);
    step.right.push_back(rescale_steps(setup, lane).result);
  }
  step.results = step.right;
  return step;
}

Step draw_look_up(int64_t entries, const kernels::TableMemory& tables, Random& random) {
  Step step;
  step.step.op = spec::VectorOp::Table;
  step.step.slot = random.within(0, 1);
  const kernels::TableSlot& slot = tables[static_cast<size_t>(step.step.slot)];
  step.step.type = *slot.type;
  const Table table{*slot.type, {slot.bytes.begin(), slot.bytes.begin() + table_bytes(*slot.type)}};
  for (int64_t i = 0; i < entries; ++i) {
    const auto x = static_cast<int16_t>(random.bits());
    step.values.push_back(x);
    step.right.push_back(look_up(table, x));
  }
  step.results = step.right;
  return step;
}

struct Totals {
  int64_t vectors = 0, mismatches = 0, cycle_mismatches = 0, steps = 0, steps_changed = 0;
  std::string first;
};

/// Steps of 1 to 100 entries on both units, or on one.
Totals run(LaneUnits& units, int lanes, bool has_rescales, bool has_tables) {
  Random random(31);
  Totals totals;
  int64_t wanted_vectors = 0;
  kernels::TableMemory tables = draw_tables(random);
  for (int i = 0; i < 60; ++i) {
    if (random.chance(20)) tables = draw_tables(random);
    const int64_t entries = random.within(1, 100);
    const bool is_rescale = has_rescales && (!has_tables || random.chance(50));
    Step step = is_rescale ? draw_rescale(entries, random) : draw_look_up(entries, tables, random);
    const LockStepResult outcome = units.run(step.view(), tables);
    totals.vectors += outcome.vectors;
    totals.mismatches += outcome.mismatches;
    totals.cycle_mismatches += outcome.cycle_mismatches;
    totals.steps_changed += step.results != step.right ? 1 : 0;
    ++totals.steps;
    if (totals.first.empty()) totals.first = outcome.first_text();
    wanted_vectors += (entries + lanes - 1) / lanes;
  }
  CHECK(totals.vectors == wanted_vectors);
  return totals;
}

Totals run(Flaw rescale, Flaw table, bool has_rescales, bool has_tables, int lanes = 8) {
  LaneUnits units(make_model_block("npu_rescale_unit", lanes, rescale), make_model_block("npu_table_unit", lanes, table),
                  lanes);
  return run(units, lanes, has_rescales, has_tables);
}

}  // namespace

TEST_CASE("lanes: right units match in value and edge, and change no result") {
  for (const int lanes : {8, 16, 32}) {
    const Totals totals = run(Flaw::None, Flaw::None, true, true, lanes);
    INFO(totals.first);
    CHECK(totals.mismatches == 0);
    CHECK(totals.steps_changed == 0);
  }
}

TEST_CASE("lanes: zeros are seen in every vector and go on through the command") {
  for (const bool is_rescale : {true, false}) {
    const Totals totals = run(Flaw::Zeros, Flaw::Zeros, is_rescale, !is_rescale);
    CHECK(totals.mismatches > totals.vectors / 2);  // some results are 0
    CHECK(totals.cycle_mismatches == 0);
    CHECK(totals.steps_changed > totals.steps / 2);
    CHECK_THAT(totals.first,
               Contains(is_rescale ? "npu_rescale_unit, vector 0, cycle " : "npu_table_unit, vector 0, cycle ") &&
                   Contains(is_rescale ? "scale_result_o lane " : "look_result_o lane ") && Contains("actual 0: ") &&
                   Contains(is_rescale ? "product " : "slot "));
  }
}

TEST_CASE("lanes: results a cycle late or early are mismatches of an edge, with right values") {
  for (const bool is_rescale : {true, false}) {
    for (const Flaw flaw : {Flaw::Late, Flaw::Early}) {
      const Totals totals = run(flaw, flaw, is_rescale, !is_rescale);
      CHECK(totals.mismatches == totals.vectors);
      CHECK(totals.cycle_mismatches == totals.vectors);
      CHECK(totals.steps_changed == 0);
      CHECK_THAT(totals.first, Contains(flaw == Flaw::Late ? "1 cycle later than" : "1 cycle earlier than"));
    }
  }
}

TEST_CASE("lanes: wrong tags are seen, and a unit that gives nothing hangs") {
  const Totals totals = run(Flaw::WrongTag, Flaw::WrongTag, true, true);
  CHECK(totals.mismatches > 0);
  CHECK_THAT(totals.first, Contains("_tag_o: expected "));
  CHECK_THROWS_WITH(run(Flaw::NoResult, Flaw::None, true, false),
                    Contains("npu_rescale_unit: vector 0 of a step waits for scale_valid_o"));
  CHECK_THROWS_AS(run(Flaw::None, Flaw::NoResult, false, true), Hang);
}

TEST_CASE("lanes: the units of hw/rtl match") {
  if (rtl_blocks().empty()) {
    WARN("skipped: this program was built without Verilator");
    return;
  }
  for (const int lanes : {8, 16, 32}) {
    LaneUnits units(make_rtl_block("npu_rescale_unit", lanes), make_rtl_block("npu_table_unit", lanes), lanes);
    const Totals totals = run(units, lanes, true, true);
    INFO(totals.first);
    CHECK(totals.mismatches == 0);
    CHECK(totals.steps_changed == 0);
  }
}
