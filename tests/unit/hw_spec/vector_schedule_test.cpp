// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/vector_schedule.hpp"

#include "hw/spec/vector_cycles.hpp"

#include <catch2/catch.hpp>

namespace vernier::spec {
namespace {

using base::ElementType;

constexpr Datapath kV256 = kPresets[1].datapath;
constexpr auto kInit = VectorPhase::Init;
constexpr auto kFinal = VectorPhase::Final;

/// Each value in a register of its own, as compiler passes write it.
VectorStep load(int64_t dst, int64_t stream) { return {.op = VectorOp::Load, .dst = dst, .stream = stream}; }
VectorStep store(int64_t a, int64_t stream) { return {.op = VectorOp::Store, .a = a, .stream = stream}; }
VectorStep rescale(int64_t dst, int64_t a) {
  return {.op = VectorOp::Rescale, .dst = dst, .a = a, .b_is_immediate = true, .shift = 9, .imm0 = 1};
}
VectorStep add(int64_t dst, int64_t a, int64_t b) { return {.op = VectorOp::Add, .dst = dst, .a = a, .b = b}; }
VectorStep in(VectorPhase phase, VectorStep step) {
  step.phase = phase;
  return step;
}

VectorCommand scheduled(std::vector<VectorStep> steps, ElementType type = ElementType::Int8) {
  VectorCommand command;
  command.kept_loops = 2;
  command.streams.assign(kMaxVectorStreams, {.type = type});
  command.steps = std::move(steps);
  REQUIRE(schedule(command, kV256));
  return command;
}
std::vector<int64_t> offsets_of(const VectorCommand& command) {
  std::vector<int64_t> offsets;
  for (const VectorStep& step : command.steps) offsets.push_back(step.offset);
  return offsets;
}

TEST_CASE("a chain starts each step when its operand is there, a vector per cycle") {
  const VectorCommand command = scheduled({load(0, 0), rescale(1, 0), store(1, 1)});
  CHECK(command.interval == 1);
  CHECK(offsets_of(command) == std::vector<int64_t>{0, 3, 9});
  CHECK(length_of(command, kV256) == 12);
  CHECK(command.rotating_registers == 2);
}

TEST_CASE("a residual addition: three rescales are three cycles, and the last one finds its slot a cycle late") {
  const VectorCommand command =
      scheduled({load(0, 0), load(1, 1), rescale(2, 0), rescale(3, 1), add(4, 2, 3), rescale(5, 4), store(5, 2)});
  CHECK(command.interval == 3);
  CHECK(offsets_of(command) == std::vector<int64_t>{0, 1, 3, 4, 10, 14, 20});
  CHECK(length_of(command, kV256) == 23);  // 64 vectors: 63 x 3 + 23 + 2 = 214
}

TEST_CASE("a load waits with what nobody reads yet") {
  const VectorCommand command = scheduled({load(0, 0), load(1, 1), rescale(2, 0), add(3, 2, 1), store(3, 2)});
  CHECK(command.interval == 2);
  CHECK(offsets_of(command) == std::vector<int64_t>{0, 5, 3, 9, 12});  // in cycle 6 the next load but one begins
}

TEST_CASE("an accumulation goes on every cycle, and Final waits for its register") {
  const VectorCommand command = scheduled({in(kInit, {.op = VectorOp::Move, .dst = 0, .b_is_immediate = true}), load(1, 0),
                                           add(0, 0, 1), in(kFinal, rescale(2, 0)), in(kFinal, store(2, 1))});
  CHECK(command.interval == 1);
  CHECK(offsets_of(command) == std::vector<int64_t>{0, 0, 3, 6, 12});
  CHECK(command.steps[2].dst >= command.rotating_registers);
}

TEST_CASE("an accumulation through the multiplier waits for its result") {
  VectorStep scale = rescale(0, 0);
  scale.b_is_immediate = false;
  scale.b = 1;
  const VectorCommand command = scheduled(
      {in(kInit, {.op = VectorOp::Move, .dst = 0, .b_is_immediate = true}), load(1, 0), scale, in(kFinal, store(0, 1))});
  CHECK(command.interval == kVectorSlotCycles - 1 + kRescalePipelineCycles);
}

TEST_CASE("int48 takes its slot twice, and its result comes a cycle later") {
  const VectorCommand command =
      scheduled({load(0, 0), {.op = VectorOp::Wrap, .dst = 1, .a = 0}, store(1, 1)}, ElementType::Int48);
  CHECK(command.interval == kInt48SlotCycles);
  CHECK(offsets_of(command) == std::vector<int64_t>{0, 4, 7});
}

TEST_CASE("too many values alive at once: the interval grows until 16 registers hold them") {
  std::vector<VectorStep> steps;
  constexpr int64_t kLoads = 3;
  for (int64_t i = 0; i < kLoads; ++i) steps.push_back(load(i, i));
  int64_t last = 0;
  for (int64_t i = 0; i < 9; ++i) {  // each load is read again far behind its first reader
    steps.push_back(rescale(kLoads + i, last));
    last = kLoads + i;
  }
  for (int64_t i = 0; i < kLoads; ++i) {
    steps.push_back(add(20 + i, last, i));
    steps.push_back(store(20 + i, 3 + i));
  }
  // Rescales depend on the first load: it is alive for 9 x 6 cycles, the others come late.
  const VectorCommand command = scheduled(steps);
  CHECK(command.interval == 9);
  CHECK(command.rotating_registers <= kNumVectorRegisters);
}

TEST_CASE("what has no schedule stays as it was") {
  VectorCommand command;
  command.streams.assign(2, {});
  command.steps = {load(0, 0), add(1, 0, 5), store(1, 1)};
  const VectorCommand before = command;
  CHECK(!schedule(command, kV256));
  CHECK(command == before);
  // 17 constants of Init that Body reads have to stay.
  command.kept_loops = 1;
  command.steps.clear();
  for (int64_t i = 0; i <= kNumVectorRegisters; ++i) {
    command.steps.push_back(in(kInit, {.op = VectorOp::Move, .dst = i, .b_is_immediate = true}));
  }
  for (int64_t i = 0; i < 6; ++i)
    command.steps.push_back(
        {.op = VectorOp::Select, .dst = 20 + i, .a = 3 * i, .b = 3 * i + 1, .c = 3 * i + (i < 5 ? 2 : 1)});
  CHECK(!schedule(command, kV256));
}

TEST_CASE("steps are sorted by phase, registers with high numbers get those of the machine") {
  const VectorCommand command = scheduled({in(kFinal, store(100, 1)), load(200, 0), add(100, 100, 200),
                                           in(kInit, {.op = VectorOp::Move, .dst = 100, .b_is_immediate = true})});
  CHECK(command.steps.front().op == VectorOp::Move);
  CHECK(command.steps.back().op == VectorOp::Store);
  for (const VectorStep& step : command.steps) CHECK(std::max({step.dst, step.a, step.b}) < kNumVectorRegisters);
}

}  // namespace
}  // namespace vernier::spec
