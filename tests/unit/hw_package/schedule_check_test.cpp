// SPDX-License-Identifier: Apache-2.0
// The check of a vector schedule against the schedules that spec::schedule() finds, and against a machine that runs them
// cycle by cycle.
#include "hw/package/command_codec.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "tests/support/random_vector_program.hpp"
#include "tests/support/vector_replay.hpp"

#include <catch2/catch.hpp>

namespace vernier::package {
namespace {

using spec::FaultCode;
using spec::VectorCommand;

std::string check_of(const VectorCommand& command, const spec::Datapath& datapath) {
  const Validity validity = check({{spec::Queue::VectorUnit, 0, 0}, command}, datapath);
  return validity.fault == FaultCode::None ? "" : validity.detail;
}

/// What goes wrong when it runs, for few and for many vectors.
std::string replay_of(const VectorCommand& command, const spec::Datapath& datapath) {
  for (const int64_t vectors : {1, 2, 3, 7, 50}) {
    tests::VectorReplay replay(command, datapath);
    const auto fault = replay.run(2, vectors);
    if (fault) return fmt::format("{} vectors: {}", vectors, *fault);
  }
  return "";
}

/// A random program that has a schedule.
VectorCommand random_scheduled(tests::Random& random, const spec::Datapath& datapath) {
  for (;;) {
    VectorCommand command = tests::random_vector_program(random);
    if (spec::schedule(command, datapath)) return command;
  }
}

TEST_CASE("every schedule that is found is legal, and runs") {
  tests::Random random(2026);
  int64_t overlapping = 0, turning = 0;
  for (int i = 0; i < 2000; ++i) {
    const spec::Datapath& datapath = spec::kPresets[static_cast<size_t>(i % 3)].datapath;
    const VectorCommand command = random_scheduled(random, datapath);
    INFO(i << "\n" << print({{spec::Queue::VectorUnit, 0, 0}, command}));
    REQUIRE(check_of(command, datapath) == "");
    REQUIRE(replay_of(command, datapath) == "");
    overlapping += command.interval < spec::length_of(command, datapath) ? 1 : 0;
    turning += command.rotating_registers > 1 ? 1 : 0;
  }
  CHECK(overlapping > 1000);
  CHECK(turning > 500);
}

/// One field of the schedule, or one register, as something else.
void change(VectorCommand& command, tests::Random& random) {
  spec::VectorStep& step =
      command.steps[static_cast<size_t>(random.within(0, static_cast<int64_t>(command.steps.size()) - 1))];
  switch (random.within(0, 5)) {
    case 0: command.interval = std::max<int64_t>(1, command.interval + random.pick<int64_t>({-2, -1, 1, 2})); break;
    case 1:
      command.rotating_registers =
          std::min<int64_t>(16, std::max<int64_t>(0, command.rotating_registers + random.pick<int64_t>({-1, 1})));
      break;
    case 2:
    case 3: step.offset = std::max<int64_t>(0, step.offset + random.pick<int64_t>({-3, -2, -1, 1, 2, 3})); break;
    case 4: step.dst = random.within(0, 15); break;
    default: step.a = random.within(0, 15); break;
  }
}

TEST_CASE("a schedule with one field changed is refused, or runs") {
  tests::Random random(77);
  int64_t refused = 0, legal = 0;
  for (int i = 0; i < 4000; ++i) {
    const spec::Datapath& datapath = spec::kPresets[static_cast<size_t>(i % 3)].datapath;
    VectorCommand command = random_scheduled(random, datapath);
    change(command, random);
    const std::string why = check_of(command, datapath);
    INFO(i << "\n" << print({{spec::Queue::VectorUnit, 0, 0}, command}));
    (why.empty() ? legal : refused) += 1;
    if (why.empty()) REQUIRE(replay_of(command, datapath) == "");
  }
  CHECK(refused > 1000);
  CHECK(legal > 500);
}

TEST_CASE("what is wrong with a schedule is said") {
  using spec::VectorOp;
  const spec::Datapath& datapath = spec::kPresets[1].datapath;
  VectorCommand good;
  good.streams.assign(2, {});
  good.steps = {{.op = VectorOp::Load, .dst = 0},
                {.op = VectorOp::Add, .dst = 1, .a = 0, .b_is_immediate = true},
                {.op = VectorOp::Store, .a = 1, .stream = 1}};
  REQUIRE(spec::schedule(good, datapath));
  REQUIRE(check_of(good, datapath).empty());
  const auto with = [&](const auto& edit) {
    VectorCommand command = good;
    edit(command);
    return check_of(command, datapath);
  };
  using Catch::Contains;
  CHECK_THAT(with([](auto& c) { c.interval = 0; }), Contains("interval is 0"));
  CHECK_THAT(with([](auto& c) { c.rotating_registers = 17; }), Contains("rotating_registers is 17"));
  CHECK_THAT(with([](auto& c) { c.steps[0].offset = 4096; }), Contains("step_offset is 4096"));
  CHECK_THAT(with([](auto& c) { c.steps[1].offset = 2; }), Contains("step 1 reads r0 1 cycles before the result of step 0"));
  CHECK_THAT(with([](auto& c) { c.steps[1].a = 5; }), Contains("step 1 reads r5, which no step has written"));
  CHECK_THAT(with([](auto& c) { c.steps.insert(c.steps.begin(), c.steps[0]); }),
             Contains("steps 0 and 1 take the same slot"));
  CHECK_THAT(with([](auto& c) { c.steps[1].offset = 5, c.steps[2].offset = 8; }),
             Contains("step 0 writes r0 over the result of step 0"));
  CHECK_THAT(with([](auto& c) { c.rotating_registers = 0, c.steps[1].offset = 5, c.steps[2].offset = 8; }),
             Contains("step 0 writes r0 in cycle 4, before it is read"));
}

TEST_CASE("in pairs a register is accumulated in one way") {
  using spec::VectorOp, spec::VectorPhase;
  const spec::Datapath& datapath = spec::kPresets[1].datapath;
  VectorCommand command;
  command.kept_loops = 4;
  command.counts[4] = 6;
  command.streams.assign(2, {});
  command.steps = {{.op = VectorOp::Move, .phase = VectorPhase::Init, .b_is_immediate = true},
                   {.op = VectorOp::LoadAdd},
                   {.op = VectorOp::LoadAdd},
                   {.op = VectorOp::Store, .phase = VectorPhase::Final, .stream = 1}};
  VectorCommand same = command;
  REQUIRE(spec::schedule(same, datapath));
  CHECK(check_of(same, datapath) == "");
  command.steps[2].op = VectorOp::LoadMaximum;
  REQUIRE(spec::schedule(command, datapath));
  CHECK_THAT(check_of(command, datapath), Catch::Contains("two kinds of accumulating loads of one register in pairs"));
}

TEST_CASE("so many vectors are in flight at most, and Final of reduced lanes reads what lasts") {
  using spec::VectorOp, spec::VectorPhase;
  const spec::Datapath& datapath = spec::kPresets[1].datapath;
  VectorCommand command;
  command.streams.assign(1, {});
  command.steps = {{.op = VectorOp::Move, .b_is_immediate = true}, {.op = VectorOp::Store}};
  REQUIRE(spec::schedule(command, datapath));
  command.interval = 2;
  command.steps[1].offset = 2 * spec::kMaxVectorsInFlight - 1;
  command.steps[0].offset = command.steps[1].offset - 3;
  CHECK(check_of(command, datapath) == "");
  for (spec::VectorStep& step : command.steps) ++step.offset;
  CHECK_THAT(check_of(command, datapath), Catch::Contains("64 vectors of interval 2 are in flight at most"));

  command = {};
  command.lanes = 20;
  command.lanes_reduced = true;
  command.streams.assign(2, {});
  command.steps = {{.op = VectorOp::Load},
                   {.op = VectorOp::ReduceAdd, .phase = VectorPhase::Final, .dst = 1},
                   {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 1, .stream = 1}};
  REQUIRE(spec::schedule(command, datapath));
  CHECK(command.steps[0].dst >= command.rotating_registers);
  CHECK(check_of(command, datapath) == "");
  command.rotating_registers = command.steps[0].dst + 1;
  CHECK_THAT(check_of(command, datapath), Catch::Contains("which turns, and lanes are reduced"));
}

}  // namespace
}  // namespace vernier::package
