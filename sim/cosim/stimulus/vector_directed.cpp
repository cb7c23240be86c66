// SPDX-License-Identifier: Apache-2.0
// Programs for npu_vector_unit that random ones hardly ever are: a fault that only they show survived a million vectors.
#include "hw/base/error.hpp"
#include "hw/package/validity.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::VectorOp;
using spec::VectorPhase;

constexpr int64_t kDirectedReadBytes = 4096;

/// Numbers of 48 bits as conditions: many have a low half of 0.
spec::VectorCommand wide_conditions(const spec::Datapath& datapath, Random& random) {
  spec::VectorCommand c;
  c.lanes = random.within(1, 3 * datapath.lanes);
  c.streams = {{.base = 0, .type = ElementType::Int48, .lane_stride_bytes = 8},
               {.base = kDirectedReadBytes, .type = ElementType::Bool}};
  c.steps = {{.op = VectorOp::Load},
             {.op = VectorOp::Wrap, .dst = 1, .type = ElementType::Bool},
             {.op = VectorOp::Store, .a = 1, .stream = 1}};
  return c;
}

/// A sum over the vectors of a position by its second operand, with another step of the ALU between: the result of the
/// vector before is being written when the next one reads it.
spec::VectorCommand sum_by_second_operand(const spec::Datapath& datapath, Random& random) {
  spec::VectorCommand c;
  const int64_t count = random.within(2, 9);
  c.lanes = random.within(1, datapath.lanes);
  c.counts = {1, 1, 1, 3, count};
  c.kept_loops = 4;
  c.streams = {{.base = 0, .strides_bytes = {0, 0, 0, 9 * 32, 32}},
               {.base = kDirectedReadBytes,
                .type = ElementType::Int32,
                .lane_stride_bytes = 4,
                .strides_bytes = {0, 0, 0, 4 * 32, 0}}};
  c.steps = {
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 1, .b_is_immediate = true, .imm0 = random.within(-99, 99)},
      {.op = VectorOp::Load, .dst = 0},
      {.op = random.chance(50) ? VectorOp::Add : VectorOp::Sub, .dst = 1, .a = 0, .b = 1},
      {.op = VectorOp::Negate, .dst = 2, .a = 0},
      {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 1, .stream = 1}};
  return c;
}

spec::VectorSlot pick_unit(Random& random) {
  constexpr std::array kUnits{spec::VectorSlot::Load, spec::VectorSlot::Alu, spec::VectorSlot::Mul, spec::VectorSlot::Table};
  return kUnits[static_cast<size_t>(random.within(0, kUnits.size() - 1))];
}

/// A step that makes `dst` of `a` in one of the units.
spec::VectorStep step_of_unit(spec::VectorSlot unit, int64_t dst, int64_t a, const kernels::TableMemory& tables,
                              Random& random) {
  spec::VectorStep step{.dst = dst, .a = a};
  switch (unit) {
    case spec::VectorSlot::Load: step.op = VectorOp::Load; break;
    case spec::VectorSlot::Mul:
      step.op = VectorOp::Mul;
      step.b_is_immediate = true;
      step.imm0 = random.within(-9999, 9999);
      break;
    case spec::VectorSlot::Table:
      step.op = VectorOp::Table;
      step.slot = random.within(0, spec::kNumTableSlots - 1);
      step.type = *tables[static_cast<size_t>(step.slot)].type;
      break;
    default: step.op = VectorOp::Negate; break;
  }
  return step;
}

/// A function over the vectors of lanes that are reduced, the last of which has few: the others keep what they had.
spec::VectorCommand function_of_reduced_lanes(const spec::Datapath& datapath, const kernels::TableMemory& tables,
                                              Random& random) {
  spec::VectorCommand c;
  c.lanes = datapath.lanes + random.within(1, datapath.lanes - 1);
  c.lanes_reduced = true;
  c.streams = {{.base = 0}, {.base = kDirectedReadBytes, .type = ElementType::Int32, .lane_stride_bytes = 4}};
  spec::VectorSlot unit = pick_unit(random);
  while (unit == spec::VectorSlot::Load) unit = pick_unit(random);
  c.steps = {
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 1, .b_is_immediate = true, .imm0 = random.within(3, 99)},
      {.op = VectorOp::Load, .dst = 0},
      step_of_unit(unit, 1, 1, tables, random),
      {.op = VectorOp::ReduceAdd, .phase = VectorPhase::Final, .dst = 2, .a = 1},
      {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 2, .stream = 1}};
  return c;
}

/// An accumulation over rows of lanes that are reduced. The last vector of a row has few lanes: the others hand on what they
/// had to the next row, by the operand that is accumulated.
spec::VectorCommand rows_of_reduced_lanes(const spec::Datapath& datapath, Random& random) {
  spec::VectorCommand c;
  const int64_t operand = random.within(0, 2);
  c.lanes = datapath.lanes + random.within(1, datapath.lanes - 1);
  c.lanes_reduced = true;
  c.counts = {1, 1, 1, random.within(1, 3), random.within(2, 5)};
  c.kept_loops = 4;
  c.streams = {
      {.base = 0, .type = ElementType::Int16, .lane_stride_bytes = 2, .strides_bytes = {0, 0, 0, 6 * 128, 128}},
      {.base = kDirectedReadBytes, .type = ElementType::Int32, .lane_stride_bytes = 4, .strides_bytes = {0, 0, 0, 4, 0}}};
  spec::VectorStep step{.op = random.chance(50) ? VectorOp::Add : VectorOp::Sub, .dst = 1, .a = 0, .b = 0, .c = 0};
  if (operand == 2) {  // a condition, of numbers that are often 0
    c.streams.front().type = ElementType::Bool;
    step = {.op = VectorOp::Select, .dst = 1, .a = 0, .b_is_immediate = true, .imm0 = random.within(1, 99)};
  }
  (operand == 0 ? step.a : operand == 1 ? step.b : step.c) = step.dst;
  c.steps = {
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 1, .b_is_immediate = true, .imm0 = random.within(-99, 99)},
      {.op = VectorOp::Load, .dst = 0},
      step,
      {.op = VectorOp::ReduceAdd, .phase = VectorPhase::Final, .dst = 2, .a = 1},
      {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 2, .stream = 1}};
  // With another step of the ALU the result is being written when the next vector reads it.
  if (random.chance(50)) c.steps.insert(c.steps.begin() + 3, {.op = VectorOp::Negate, .dst = 3, .a = 0});
  return c;
}

/// Accumulating loads alone, which take two vectors at a time, of all types of a stream. Over lanes that are reduced the
/// second of the two may have few lanes: the others take the first one's numbers as they are, whatever comes for the second.
/// Over a loop each lane is stored.
spec::VectorCommand pairs_of_vectors(const spec::Datapath& datapath, Random& random) {
  constexpr std::array kTypes{ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32};
  spec::VectorCommand c;
  const int64_t kind = random.within(0, 2);
  const ElementType type = kTypes[static_cast<size_t>(random.within(0, kTypes.size() - 1))];
  c.lanes_reduced = random.chance(50);
  c.kept_loops = c.lanes_reduced ? spec::kNumVectorLoops : spec::kNumVectorLoops - 1;
  c.lanes = c.lanes_reduced ? datapath.lanes + random.within(1, 2 * datapath.lanes) : random.within(1, 2 * datapath.lanes);
  c.counts = {1, 1, 1, 1, c.lanes_reduced ? random.within(1, 4) : random.within(2, 6)};
  c.streams = {{.base = 0, .type = type, .lane_stride_bytes = base::stored_bytes(type), .strides_bytes = {0, 0, 0, 0, 256}},
               {.base = kDirectedReadBytes, .type = ElementType::Int32, .lane_stride_bytes = 4}};
  c.streams.front().is_unsigned = base::stored_bytes(type) <= 2 && random.chance(40);
  if (c.lanes_reduced) c.streams.back().strides_bytes.back() = 4;
  const VectorOp load = kind == 0 ? VectorOp::LoadAdd : kind == 1 ? VectorOp::LoadMaximum : VectorOp::LoadMinimum;
  const VectorOp reduce = kind == 0 ? VectorOp::ReduceAdd : kind == 1 ? VectorOp::ReduceMax : VectorOp::ReduceMin;
  c.steps = {
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true, .imm0 = random.within(-99, 99)},
      {.op = load, .dst = 0, .shift = random.chance(50) ? 0 : random.within(0, 31), .imm0 = random.within(-99999, 99999)}};
  if (c.lanes_reduced) c.steps.push_back({.op = reduce, .phase = VectorPhase::Final, .dst = 1, .a = 0});
  c.steps.push_back({.op = VectorOp::Store, .phase = VectorPhase::Final, .a = c.lanes_reduced ? 1 : 0, .stream = 1});
  return c;
}

/// Results of every unit in any register, stored with all their 48 bits. Registers of Final do not turn: each may be any.
spec::VectorCommand results_in_any_register(const spec::Datapath& datapath, const kernels::TableMemory& tables,
                                            Random& random) {
  constexpr int64_t kNumResults = spec::kMaxVectorStreams - 1;
  spec::VectorCommand c;
  c.lanes = random.chance(70) ? datapath.lanes : random.within(1, datapath.lanes);
  c.kept_loops = spec::kNumVectorLoops - 1;  // steps of Final want a loop that is reduced
  c.streams = {{.base = 0, .type = ElementType::Int32, .lane_stride_bytes = 4}};
  c.steps = {step_of_unit(spec::VectorSlot::Load, 0, 0, tables, random)};
  for (int64_t dst = 1; dst <= kNumResults; ++dst)
    c.steps.push_back(step_of_unit(pick_unit(random), dst, 0, tables, random));
  for (int64_t dst = 1; dst <= kNumResults; ++dst) {
    const int64_t bytes = base::stored_bytes(ElementType::Int48);
    c.streams.push_back(
        {.base = kDirectedReadBytes + dst * datapath.lanes * bytes, .type = ElementType::Int48, .lane_stride_bytes = bytes});
    c.steps.push_back({.op = VectorOp::Store, .a = dst, .stream = dst});
  }
  for (spec::VectorStep& step : c.steps) step.phase = VectorPhase::Final;
  return c;
}

/// A register that one unit writes and then another one, while the first has nothing else to do: what it wrote may not come
/// again.
spec::VectorCommand register_of_two_units(const spec::Datapath& datapath, const kernels::TableMemory& tables,
                                          Random& random) {
  spec::VectorCommand c;
  c.lanes = random.chance(70) ? datapath.lanes : random.within(1, datapath.lanes);
  c.kept_loops = spec::kNumVectorLoops - 1;
  const int64_t bytes = base::stored_bytes(ElementType::Int48);
  c.streams = {{.base = 0, .type = ElementType::Int32, .lane_stride_bytes = 4},
               {.base = kDirectedReadBytes, .type = ElementType::Int48, .lane_stride_bytes = bytes}};
  const spec::VectorSlot first = pick_unit(random);
  spec::VectorSlot second = pick_unit(random);
  while (second == first || second == spec::VectorSlot::Load) second = pick_unit(random);
  c.steps = {step_of_unit(spec::VectorSlot::Load, 0, 0, tables, random), step_of_unit(first, 1, 0, tables, random)};
  for (spec::VectorStep& step : c.steps) step.phase = VectorPhase::Init;
  c.steps.push_back(step_of_unit(second, 1, 1, tables, random));
  c.steps.push_back({.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 1, .stream = 1});
  return c;
}

/// Quotients of the numbers at the ends: the least one has no negative of its own.
spec::VectorCommand quotients_of_ends(const spec::Datapath& datapath, Random& random) {
  spec::VectorCommand c;
  c.lanes = random.within(1, 3 * datapath.lanes);
  c.streams = {{.base = 0, .type = ElementType::Int32, .lane_stride_bytes = 4},
               {.base = kDirectedReadBytes / 2, .type = ElementType::Int32, .lane_stride_bytes = 4},
               {.base = kDirectedReadBytes, .type = ElementType::Int32, .lane_stride_bytes = 4}};
  c.steps = {{.op = VectorOp::Load},
             {.op = VectorOp::Load, .dst = 1, .stream = 1},
             {.op = VectorOp::IntDiv, .dst = 2, .a = 0, .b = 1},
             {.op = VectorOp::Store, .a = 2, .stream = 2}};
  return c;
}

/// Dividends from the first half, divisors from the second one.
void put_ends(std::vector<std::byte>& sram, Random& random) {
  constexpr std::array<int64_t, 6> kDividends{INT32_MIN, INT32_MIN, INT32_MIN + 1, INT32_MAX, -1, 0};
  constexpr std::array<int64_t, 8> kDivisors{1, -1, 2, 3, -7, INT32_MAX, INT32_MIN, 0};
  for (size_t at = 0; at < static_cast<size_t>(kDirectedReadBytes); at += 4) {
    const bool is_dividend = at < static_cast<size_t>(kDirectedReadBytes / 2);
    const auto number = static_cast<size_t>(random.within(0, is_dividend ? kDividends.size() - 1 : kDivisors.size() - 1));
    const auto value = static_cast<uint32_t>(is_dividend ? kDividends[number] : kDivisors[number]);
    for (size_t i = 0; i < 4; ++i) sram[at + i] = static_cast<std::byte>(value >> (8 * i));
  }
}

}  // namespace

DrawnWork draw_directed_job(const spec::Datapath& datapath, const kernels::TableMemory& tables, Random& random) {
  const int64_t kind = random.within(0, 19);  // the last ones have most forms
  Work job = kind == 0    ? wide_conditions(datapath, random)
             : kind == 1  ? sum_by_second_operand(datapath, random)
             : kind == 3  ? quotients_of_ends(datapath, random)
             : kind <= 4  ? function_of_reduced_lanes(datapath, tables, random)
             : kind <= 7  ? pairs_of_vectors(datapath, random)
             : kind <= 11 ? rows_of_reduced_lanes(datapath, random)
             : kind <= 15 ? results_in_any_register(datapath, tables, random)
                          : register_of_two_units(datapath, tables, random);
  VERNIER_CHECK(spec::schedule(job.vector(), datapath), "directed program {} has no schedule", kind);
  move_registers(job.vector(), random.within(0, spec::kNumVectorRegisters - 1));
  const package::Validity validity = package::check(job.command, datapath);
  VERNIER_CHECK(validity.fault == spec::FaultCode::None, "directed program {}: {}", kind, validity.detail);
  job.bytes.resize(2 * kDirectedReadBytes);
  for (std::byte& byte : job.bytes) byte = static_cast<std::byte>(random.bits() >> 13);
  for (size_t i = 0; kind == 0 && i + 8 <= job.bytes.size(); i += 8) {
    if (random.chance(50)) std::fill_n(job.bytes.begin() + static_cast<std::ptrdiff_t>(i), 4, std::byte{0});
  }
  if (kind == 3) put_ends(job.bytes, random);
  return {std::move(job)};
}

}  // namespace vernier::cosim
