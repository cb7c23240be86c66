// SPDX-License-Identifier: Apache-2.0
#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/rescale_limits.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::VectorOp;
using spec::VectorStep;

constexpr int64_t kStreamBytes = 2048;
constexpr std::array kStepTypes{ElementType::Int8, ElementType::Int16, ElementType::Int32};

std::pair<int64_t, int64_t> numbers_of(const spec::VectorStream& stream) {
  if (stream.type == ElementType::Bool) return {0, 1};
  const int64_t values = int64_t{1} << base::info(stream.type).bits, least = stream.is_unsigned ? 0 : -values / 2;
  return {least, least + values - 1};
}

/// dst 2 of registers 0 and 1: what the operation needs besides. Immediates, shifts and types are any that are legal.
VectorStep step_of(VectorOp op, ElementType type, const kernels::TableMemory& tables, Random& random) {
  VectorStep step{.op = op, .dst = 2, .a = 0, .b = 1, .c = 0};
  step.type = kStepTypes[static_cast<size_t>(random.within(0, kStepTypes.size() - 1))];
  switch (op) {
    case VectorOp::Clamp:
      step.imm0 = random.chance(50) ? INT32_MIN : random.within(INT32_MIN, INT32_MAX);
      step.imm1 = random.chance(50) ? INT32_MAX : random.within(step.imm0, INT32_MAX);
      break;
    case VectorOp::ShiftLeft:
    case VectorOp::ShiftRightLogical:
    case VectorOp::ShiftRight:
      step.b_is_immediate = random.chance(70);
      step.imm0 = random.within(0, 31);
      step.round = random.chance(50);
      break;
    case VectorOp::Mul: step.shift = random.chance(40) ? 0 : random.within(0, 63); break;
    case VectorOp::Rescale:
      step.scale32 = type != ElementType::Int48 && random.chance(50);
      step.rounding = static_cast<spec::Rounding>(random.within(0, 3));
      if (!step.scale32 && step.rounding == spec::Rounding::Double) step.rounding = spec::Rounding::Single;
      step.b_is_immediate = true;
      step.imm0 = random.within(0, spec::max_rescale_multiplier(step.scale32));
      step.shift = random.within(spec::kMinRescaleShift, spec::kMaxRescaleShift);
      break;
    case VectorOp::Table:
      step.slot = random.within(0, spec::kNumTableSlots - 1);
      step.type = *tables[static_cast<size_t>(step.slot)].type;
      break;
    default: break;
  }
  return step;
}

}  // namespace

bool takes_operand(VectorOp op, ElementType type) {
  if (type != ElementType::Int48) return true;
  return op == VectorOp::Load || op == VectorOp::Store || op == VectorOp::Wrap || op == VectorOp::Rescale;
}

void draw_operand_rows(Work& job, OperandClass operands, size_t stream_idx, Random& random) {
  const spec::VectorCommand& c = job.vector();
  const spec::VectorStream& stream = c.streams[stream_idx];
  const auto [least, greatest] = numbers_of(stream);
  int64_t num_rows = 1;
  for (const int64_t count : c.counts) num_rows *= count;
  for (int64_t number = 0; number < num_rows; ++number) {
    int64_t address = stream.base, rest = number;
    for (size_t loop = c.counts.size(); loop-- > 0;) {
      address += rest % c.counts[loop] * stream.strides_bytes[loop];
      rest /= c.counts[loop];
    }
    OperandRow row(operands, least, greatest, 0, c.lanes, random);
    for (int64_t lane = 0; lane < c.lanes; ++lane, address += stream.lane_stride_bytes) {
      const auto value = static_cast<uint64_t>(row.next(random));
      for (int64_t i = 0; i < base::stored_bytes(stream.type); ++i)
        job.bytes[static_cast<size_t>(address + i)] = static_cast<std::byte>(value >> (8 * i));
    }
  }
}

DrawnWork draw_operands_of(VectorOp op, ElementType type, OperandClass operands, const spec::Datapath& datapath,
                           const kernels::TableMemory& tables, Random& random) {
  Work job(spec::VectorCommand{});
  spec::VectorCommand& c = job.vector();
  c.lanes = random.within(1, 2 * datapath.lanes);
  c.counts.back() = random.within(1, 3);
  const auto stream = [&](ElementType of, int64_t base) {
    const int64_t bytes = base::stored_bytes(of);
    spec::VectorStream made{.base = base, .type = of, .lane_stride_bytes = bytes};
    made.strides_bytes.back() = c.lanes * bytes;
    c.streams.push_back(made);
  };
  const bool is_wide = type == ElementType::Int48 && op != VectorOp::Wrap && op != VectorOp::Rescale;
  stream(type, 0);
  stream(ElementType::Int32, kStreamBytes);
  stream(is_wide ? ElementType::Int48 : ElementType::Int32, 2 * kStreamBytes);
  c.streams.front().is_unsigned = base::stored_bytes(type) <= 2 && type != ElementType::Bool && random.chance(40);
  const VectorStep store{.op = VectorOp::Store, .a = op == VectorOp::Load || op == VectorOp::Store ? 0 : 2, .stream = 2};
  if (spec::is_accumulating_load(op)) {
    c.steps = {{.op = VectorOp::Load, .dst = 2, .stream = 1}, {.op = op, .dst = 2, .a = 2}, store};
  } else if (store.a == 0) {
    c.steps = {{.op = VectorOp::Load}, store};
  } else {
    c.steps = {
        {.op = VectorOp::Load}, {.op = VectorOp::Load, .dst = 1, .stream = 1}, step_of(op, type, tables, random), store};
  }
  VERNIER_CHECK(spec::schedule(c, datapath) && is_legal(c, datapath), "a directed program of operation {} is not legal",
                static_cast<int>(op));
  job.bytes.resize(3 * kStreamBytes);
  for (std::byte& byte : job.bytes) byte = static_cast<std::byte>(random.bits() >> 13);
  draw_operand_rows(job, operands, 0, random);
  draw_operand_rows(job, operands, 1, random);
  return {std::move(job), operands};
}

}  // namespace vernier::cosim
