// SPDX-License-Identifier: Apache-2.0
// npu_agu_vector: the beats of vector commands against hw/sequence, one by one, and none later than the schedule wants it.
#include "hw/spec/vector_schedule.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"
#include "tests/cosim/agu_vector_runs.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

using base::ElementType;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;

constexpr std::array kPaces{AguPace::Always, AguPace::Random, AguPace::LoadsFirst, AguPace::StoresFirst};

spec::Datapath datapath_of(int lanes) { return {lanes, 4, 2}; }

bool is_verilated() { return !rtl_blocks().empty(); }

bool is_body_only(const VectorCommand& command) {
  return std::ranges::all_of(command.steps, [](const auto& step) { return step.phase == VectorPhase::Body; });
}

/// At all paces, twice, so that each is followed by each.
void check_command(VectorCommand command, int lanes) {
  REQUIRE(spec::schedule(command, datapath_of(lanes)));
  REQUIRE(is_legal(command, datapath_of(lanes)));
  Agu part(lanes);
  AguVectorRun run(part, datapath_of(lanes));
  Random random(6);
  for (int i = 0; i < 2 * std::ssize(kPaces); ++i) {
    const AguPace pace = kPaces[static_cast<size_t>(i) % kPaces.size()];
    const AguVectorResult result = run.run(command, pace, random);
    INFO("run " << i << " on " << lanes << " lanes");
    REQUIRE(result.difference == "");
    CHECK(result.beats > 0);
  }
}

spec::VectorStream stream_of(ElementType type, int64_t base, int64_t lane_stride,
                             std::array<int64_t, spec::kNumVectorLoops> strides) {
  return {.base = base, .type = type, .lane_stride_bytes = lane_stride, .strides_bytes = strides};
}

/// Loads in all phases, two of them in two parts, and stores of all phases.
VectorCommand with_all_phases() {
  VectorCommand c;
  c.counts = {2, 3, 1, 2, 5};
  c.kept_loops = 2;
  c.lanes = 37;
  c.streams = {stream_of(ElementType::Int8, 5, 1, {700, 90, 3, 40, 7}),
               stream_of(ElementType::Int48, 4000, 8, {1000, 300, 0, 0, 0}),
               stream_of(ElementType::Int16, 3000, 0, {-20, 10, 0, 4, -2}),
               stream_of(ElementType::Int32, 20000, 4, {600, 200, 0, 0, 0}),
               stream_of(ElementType::Int48, 30000, 8, {6000, 2000, 1000, 500, 96}),
               stream_of(ElementType::Int48, 60000, 8, {1600, 500, 0, 0, 0})};
  c.steps = {{.op = VectorOp::Load, .phase = VectorPhase::Init, .dst = 0, .stream = 0},
             {.op = VectorOp::Load, .phase = VectorPhase::Init, .dst = 1, .stream = 1},
             {.op = VectorOp::Store, .phase = VectorPhase::Init, .a = 1, .stream = 5},
             {.op = VectorOp::Load, .phase = VectorPhase::Body, .dst = 2, .stream = 0},
             {.op = VectorOp::LoadAdd, .phase = VectorPhase::Body, .dst = 0, .stream = 2},
             {.op = VectorOp::Store, .phase = VectorPhase::Body, .a = 2, .stream = 4},
             {.op = VectorOp::Load, .phase = VectorPhase::Final, .dst = 3, .stream = 2},
             {.op = VectorOp::Add, .phase = VectorPhase::Final, .dst = 3, .a = 3, .b = 0},
             {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 3, .stream = 3}};
  return c;
}

/// Accumulating loads alone in Body.
VectorCommand in_pairs() {
  VectorCommand c;
  c.counts = {1, 2, 1, 3, 7};
  c.kept_loops = 3;
  c.lanes = 19;
  c.streams = {stream_of(ElementType::Int8, 100, 1, {0, 500, 0, 160, 21}),
               stream_of(ElementType::Int16, 5000, -2, {0, 60, 0, 500, 44}),
               stream_of(ElementType::Int32, 20000, 4, {0, 200, 0, 0, 0})};
  c.steps = {{.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true},
             {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 1, .b_is_immediate = true},
             {.op = VectorOp::LoadAdd, .phase = VectorPhase::Body, .dst = 0, .stream = 0},
             {.op = VectorOp::LoadMaximum, .phase = VectorPhase::Body, .dst = 1, .stream = 1},
             {.op = VectorOp::Add, .phase = VectorPhase::Final, .dst = 0, .a = 0, .b = 1},
             {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 0, .stream = 2}};
  return c;
}

VectorCommand copy_of(ElementType type, int64_t lanes, std::array<int64_t, spec::kNumVectorLoops> counts) {
  VectorCommand c;
  c.counts = counts;
  c.lanes = lanes;
  const int64_t bytes = base::stored_bytes(type);
  c.streams = {stream_of(type, 1, bytes, {7777, -999, 333, 3001, 4099}),
               stream_of(type, 1 << 20, bytes, {9, 99, 1001, 777, 5})};
  c.steps = {{.op = VectorOp::Load}, {.op = VectorOp::Store, .stream = 1}};
  return c;
}

}  // namespace

TEST_CASE("npu_agu_vector: beats of random programs") {
  if (!is_verilated()) return;
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    AguVectorRun run(part, datapath_of(lanes));
    Random random(static_cast<uint64_t>(40 + lanes));
    std::set<std::pair<VectorOp, VectorPhase>> kinds;
    int64_t beats = 0, pairs = 0, longest = 0;
    for (int i = 0; i < 1200; ++i) {
      const kernels::TableMemory tables = draw_vector_tables(random);
      const VectorCommand command = draw_vector_job(datapath_of(lanes), tables, random).work.vector();
      const AguPace pace = random.chance(50) ? AguPace::Always : kPaces[static_cast<size_t>(random.within(1, 3))];
      const AguVectorResult result = run.run(command, pace, random);
      INFO("command " << i << " on " << lanes << " lanes, pace " << static_cast<int>(pace));
      REQUIRE(result.difference == "");
      beats += result.beats;
      pairs += spec::reduces_in_pairs(command) ? 1 : 0;
      for (const auto& step : command.steps) {
        if (spec::has_stream(step.op)) kinds.emplace(step.op, step.phase);
      }
      if (pace != AguPace::Always || !is_body_only(command) || result.beats == 0) continue;
      // Of Body alone no cycle is without a beat.
      CHECK(result.bubbles == 0);
      CHECK(result.first_cycle == agu_vector_preparation(command.steps.size()));
      longest = std::max(longest, result.first_cycle);
    }
    CHECK(kinds.size() == 15);  // five operations, three phases
    CHECK(beats > 20'000);
    CHECK(pairs > 20);
    CHECK(longest > 10);
    CHECK(longest <= spec::kIssueCycles);
  }
}

TEST_CASE("npu_agu_vector: loads and stores of each phase, in one and in two parts") {
  if (!is_verilated()) return;
  for (const int lanes : built_widths("npu_agu")) {
    for (int64_t kept = 0; kept <= spec::kNumVectorLoops; ++kept) {
      for (const bool is_reduced : {false, true}) {
        if (kept == spec::kNumVectorLoops && !is_reduced) continue;
        VectorCommand c = with_all_phases();
        c.kept_loops = kept;
        c.lanes_reduced = is_reduced;
        check_command(c, lanes);
        c.lanes = lanes;
        check_command(c, lanes);
      }
    }
  }
}

TEST_CASE("npu_agu_vector: pairs of a loop and of lanes, with and without a last one by itself") {
  if (!is_verilated()) return;
  for (const int lanes : built_widths("npu_agu")) {
    for (int64_t count = 1; count <= 6; ++count) {
      for (int64_t kept = 0; kept <= spec::kNumVectorLoops; ++kept) {
        VectorCommand c = in_pairs();
        c.kept_loops = kept;
        c.counts.back() = count;
        if (kept < spec::kNumVectorLoops) check_command(c, lanes);
        c.lanes_reduced = true;
        c.counts.back() = 2;
        for (const int64_t less : {0, 1}) {
          c.lanes = count * lanes - less;
          check_command(c, lanes);
        }
      }
    }
  }
}

TEST_CASE("npu_agu_vector: one element for all lanes, strides that go back, int48 copies") {
  if (!is_verilated()) return;
  for (const int lanes : built_widths("npu_agu")) {
    for (const int64_t stride : {0, 1, -3, -(1 << 23), (1 << 23) - 1}) {
      VectorCommand c = copy_of(ElementType::Int8, 3 * lanes + 1, {1, 2, 1, 2, 3});
      c.streams[0].lane_stride_bytes = stride;
      c.streams[0].base = 0xFFFF'FFF0;  // addresses are numbers modulo 2^32
      check_command(c, lanes);
    }
    check_command(copy_of(ElementType::Int48, 2 * lanes, {2, 1, 3, 1, 2}), lanes);
  }
}

TEST_CASE("npu_agu_vector: late steps, long intervals, 64 vectors in flight") {
  if (!is_verilated()) return;
  Random random(3);
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    AguVectorRun run(part, datapath_of(lanes));
    for (const int64_t interval : {1, 2, 3, 100, 4095}) {
      for (const int64_t late : {interval * 63 + 1, interval * 64 - 1}) {
        VectorCommand c = copy_of(ElementType::Int16, 5 * lanes, {1, 1, 1, 6, 7});
        c.interval = interval;
        c.steps[1].offset = spec::kVectorSlotCycles;
        // A second load, whose result nobody reads, as late as it may be. With an interval of 1 there is no place for two.
        c.steps.push_back({.op = VectorOp::Load, .dst = 1, .stream = 0, .offset = std::min<int64_t>(late, 4094)});
        if (interval == 1) {
          c.steps.pop_back();
          c.steps[0].offset = late - interval;
          c.steps[1].offset = late - interval + spec::kVectorSlotCycles;
          c.steps[1].offset = std::min<int64_t>(c.steps[1].offset, 63);
          if (c.steps[1].offset < c.steps[0].offset + spec::kVectorSlotCycles) c.steps.pop_back();
        }
        REQUIRE(is_legal(c, datapath_of(lanes)));
        for (const AguPace pace : kPaces) {
          const AguVectorResult result = run.run(c, pace, random);
          INFO("interval " << interval << ", " << late << " cycles late, " << lanes << " lanes, pace "
                           << static_cast<int>(pace));
          REQUIRE(result.difference == "");
          CHECK(result.bubbles == 0);
        }
      }
    }
  }
}

TEST_CASE("npu_agu_vector: steps of Final that start before late ones of Body, and of Init that start after it") {
  if (!is_verilated()) return;
  Random random(4);
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    AguVectorRun run(part, datapath_of(lanes));
    for (const int64_t interval : {2, 3, 50, 700}) {
      for (const int64_t vectors : {1, 2, 3, 40, 200}) {
        for (const int64_t turns : {1, 5}) {
          VectorCommand c;
          c.counts = {1, 1, 2, 2, vectors};
          c.kept_loops = 4;
          c.lanes = lanes + 3;
          c.interval = interval;
          c.streams = {stream_of(ElementType::Int8, 5, 1, {700, 90, 3, 40, 7}),
                       stream_of(ElementType::Int16, 50000, 2, {600, 200, 100, 50, 0})};
          const int64_t late = turns * interval + 1;
          c.steps = {
              {.op = VectorOp::Load, .phase = VectorPhase::Init, .dst = 0, .stream = 1, .offset = late + 1},
              {.op = VectorOp::Load, .phase = VectorPhase::Body, .dst = 1, .stream = 0, .offset = late},
              {.op = VectorOp::Load, .phase = VectorPhase::Final, .dst = 2, .stream = 1, .offset = 0},
              {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 2, .stream = 1, .offset = spec::kVectorSlotCycles}};
          if (interval == 2) c.steps.erase(c.steps.begin());  // no place for three loads
          REQUIRE(is_legal(c, datapath_of(lanes)));
          for (const AguPace pace : kPaces) {
            const AguVectorResult result = run.run(c, pace, random);
            INFO("interval " << interval << ", " << vectors << " vectors, " << late << " cycles late, " << lanes
                             << " lanes, pace " << static_cast<int>(pace));
            REQUIRE(result.difference == "");
          }
        }
      }
    }
  }
}

TEST_CASE("npu_agu_vector: loops and lanes of the greatest counts") {
  if (!is_verilated()) return;
  for (const size_t loop : {size_t{0}, size_t{4}}) {
    VectorCommand c = copy_of(ElementType::Int8, loop == 0 ? (int64_t{1} << 31) : 9, {1, 1, 1, 1, 1});
    c.counts[loop] = loop == 0 ? 1 : (1 << 24) - 1;
    REQUIRE(spec::schedule(c, datapath_of(8)));
    Random random(1);
    Agu part(8);
    const AguVectorResult result = AguVectorRun(part, datapath_of(8)).run(c, AguPace::Always, random, 5000);
    REQUIRE(result.difference == "");
    CHECK(result.beats == 10'000);
  }
}

TEST_CASE("npu_agu_vector: a wrong address and a beat that goes away before it is taken are seen") {
  if (!is_verilated()) return;
  const auto difference = [](const FlawedUnit::Flaw& flaw, AguPace pace) {
    Agu part(std::make_unique<FlawedUnit>(make_rtl_block("npu_agu", 8), flaw), 8, spec::kWeightLoadWords);
    VectorCommand c = copy_of(ElementType::Int8, 9, {1, 1, 1, 2, 3});
    REQUIRE(spec::schedule(c, datapath_of(8)));
    Random random(2);
    return AguVectorRun(part, datapath_of(8)).run(c, pace, random).difference;
  };
  const auto set = [](FlawedUnit& unit, std::string_view pin, uint8_t value) {
    *static_cast<uint8_t*>(unit.pin(pin).data) = value;
  };
  CHECK(difference([](FlawedUnit&) {}, AguPace::Always).empty());
  CHECK_THAT(difference([&](FlawedUnit& unit) { set(unit, "ld_address_o", 0x55); }, AguPace::Always),
             Catch::Matchers::StartsWith("ld: beat 0 is step "));
  int evaluations = 0;  // with a beat of loads, none of which is taken before all stores are
  const auto forgets = [&](FlawedUnit& unit) {
    if (unit.is_high("ld_valid_o") && ++evaluations > 9) set(unit, "ld_valid_o", 0);
  };
  CHECK_THAT(difference(forgets, AguPace::StoresFirst), Catch::Matchers::EndsWith("goes away before it is taken"));
}
