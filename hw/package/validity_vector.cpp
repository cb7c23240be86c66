// SPDX-License-Identifier: Apache-2.0
// Rules of a vector command: its loops, its streams, each step, and where 48-bit values may go. Its schedule:
// validity_schedule.cpp.
#include "hw/base/error.hpp"
#include "hw/package/validity.hpp"
#include "hw/spec/rescale_limits.hpp"
#include "hw/spec/vector_operands.hpp"

#include <array>
#include <optional>

namespace vernier::package::detail {
namespace {

using base::ElementType;
using spec::FaultCode;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

bool is_register_type(ElementType type) {
  return type == ElementType::Int8 || type == ElementType::Int16 || type == ElementType::Int32;
}

void check_stream(Rules& rules, const spec::VectorStream& stream) {
  rules.supported(stream.type != ElementType::Int4 && stream.type != ElementType::Shape,
                  "a stream of other than bool, int8, int16, int32, int48");
  rules.supported(!stream.is_unsigned || base::stored_bytes(stream.type) <= 2, "an unsigned stream of more than 16 bits");
}

void check_shift_step(Rules& rules, const VectorStep& s) {
  rules.supported(is_register_type(s.type), "a shift of other than int8, int16, int32");
  if (s.b_is_immediate) rules.within("shift amount", s.imm0, 0, 31);
}

void check_rescale_step(Rules& rules, const VectorStep& s) {
  rules.supported(is_register_type(s.type), "a rescale to other than int8, int16, int32");
  rules.supported(!s.is_unsigned || s.type != ElementType::Int32, "a rescale to unsigned int32");
  rules.supported(s.scale32 || s.rounding != spec::Rounding::Double, "double rounding with a 16-bit multiplier");
  if (!s.c_is_shift) rules.within("step_shift", s.shift, spec::kMinRescaleShift, spec::kMaxRescaleShift);
  if (s.b_is_immediate) rules.within("multiplier", s.imm0, 0, spec::max_rescale_multiplier(s.scale32));
  rules.zero_point("output zero point", s.imm1, s.type, s.is_unsigned);
}

void check_stream_step(Rules& rules, const VectorCommand& c, const VectorStep& s) {
  rules.require(s.stream >= 0 && s.stream < static_cast<int64_t>(c.streams.size()), FaultCode::LimitExceeded,
                "step_stream is {}, there are {} streams", s.stream, c.streams.size());
  if (rules.broken() || s.op == VectorOp::Store) return;
  const bool is_wide = c.streams[static_cast<size_t>(s.stream)].type == ElementType::Int48;
  rules.supported(!is_wide || s.op == VectorOp::Load, "an accumulating load of int48");
  rules.within("shift of a load", s.shift, 0, is_wide ? 0 : 31);
}

void check_step(Rules& rules, const VectorCommand& c, const VectorStep& s) {
  for (const int64_t reg : {s.dst, s.a, s.b, s.c}) rules.within("register", reg, 0, spec::kNumVectorRegisters - 1);
  const bool has_reduction = c.kept_loops < spec::kNumVectorLoops || c.lanes_reduced;
  rules.supported(has_reduction || s.phase == VectorPhase::Body, "an init or final step without a reduction");
  switch (s.op) {
    case VectorOp::Load:
    case VectorOp::LoadAdd:
    case VectorOp::LoadMaximum:
    case VectorOp::LoadMinimum:
    case VectorOp::Store: check_stream_step(rules, c, s); break;
    case VectorOp::Clamp:
      rules.require(s.imm0 <= s.imm1, FaultCode::LimitExceeded, "clamp is {} to {}", s.imm0, s.imm1);
      break;
    case VectorOp::ShiftLeft:
    case VectorOp::ShiftRightLogical:
    case VectorOp::ShiftRight: check_shift_step(rules, s); break;
    case VectorOp::Wrap:
      rules.supported(is_register_type(s.type) || s.type == ElementType::Bool,
                      "a wrap to other than bool, int8, int16, int32");
      break;
    case VectorOp::Mul: rules.within("step_shift", s.shift, 0, 63); break;
    case VectorOp::Rescale: check_rescale_step(rules, s); break;
    case VectorOp::Table:
      rules.supported(is_register_type(s.type), "a table of other than int8, int16, int32");
      rules.within("step_slot", s.slot, 0, spec::kNumTableSlots - 1);
      break;
    default: break;
  }
}

/// Follows which registers hold 48 bits. A body runs again after itself, so it is followed twice.
class WideRegisters {
 public:
  explicit WideRegisters(const VectorCommand& command) : command_(command) {}

  void follow(Rules& rules, VectorPhase phase) {
    for (const VectorStep& s : command_.steps) {
      if (s.phase != phase) continue;
      const spec::OperandsRead reads = spec::operands_read(s);
      const bool takes_wide = s.op == VectorOp::Wrap || s.op == VectorOp::Store || (s.op == VectorOp::Rescale && !s.scale32);
      const bool is_wide = (reads.a && !takes_wide && wide(s.a)) || (reads.b && wide(s.b)) || (reads.c && wide(s.c)) ||
                           (reads.dst && wide(s.dst));
      rules.supported(!is_wide, "a 48-bit value read by other than wrap, store, or rescale with a 16-bit multiplier");
      if (s.op == VectorOp::Store) continue;
      is_wide_[static_cast<size_t>(s.dst)] =
          s.op == VectorOp::Load && command_.streams[static_cast<size_t>(s.stream)].type == ElementType::Int48;
    }
  }

 private:
  [[nodiscard]] bool wide(int64_t reg) const { return is_wide_[static_cast<size_t>(reg)]; }
  const VectorCommand& command_;
  std::array<bool, spec::kNumVectorRegisters> is_wide_{};
};

/// Where Body takes its positions in pairs, a sum and a maximum of one register would depend on the order of the positions.
void check_pairs(Rules& rules, const VectorCommand& c) {
  if (!spec::reduces_in_pairs(c)) return;
  std::array<std::optional<VectorOp>, spec::kNumVectorRegisters> ops;
  for (const VectorStep& step : c.steps) {
    if (step.phase != VectorPhase::Body) continue;
    std::optional<VectorOp>& op = ops[static_cast<size_t>(step.dst)];
    rules.supported(!op || *op == step.op, "two kinds of accumulating loads of one register in pairs");
    op = step.op;
  }
}

}  // namespace

void check_vector(Rules& rules, const VectorCommand& c, const spec::Datapath& datapath) {
  int64_t total = c.lanes;
  for (const int64_t count : c.counts) {
    rules.positive("count", count);
    total = saturating_product(total, count);
  }
  rules.positive("lanes", c.lanes);
  rules.positive("num_steps", static_cast<int64_t>(c.steps.size()));
  rules.within("num_steps", static_cast<int64_t>(c.steps.size()), 1, spec::kMaxVectorSteps);
  rules.within("num_streams", static_cast<int64_t>(c.streams.size()), 0, spec::kMaxVectorStreams);
  rules.within("kept_loops", c.kept_loops, 0, spec::kNumVectorLoops);
  if (rules.broken()) return;
  rules.within("elements of the run", total, 1, spec::kMaxCommandElements);
  for (const spec::VectorStream& stream : c.streams) check_stream(rules, stream);
  for (const VectorStep& step : c.steps) check_step(rules, c, step);
  if (rules.broken()) return;
  check_pairs(rules, c);
  WideRegisters wide(c);
  wide.follow(rules, VectorPhase::Init);
  wide.follow(rules, VectorPhase::Body);
  wide.follow(rules, VectorPhase::Body);
  wide.follow(rules, VectorPhase::Final);
  if (!rules.broken()) check_schedule(rules, c, datapath);
}

}  // namespace vernier::package::detail
