// SPDX-License-Identifier: Apache-2.0
// Elementwise operators with operands that broadcast on either side; RESCALE with every flag; TABLE, CLAMP, NEGATE, MUL.
#include "tests/fuzz/makers.hpp"

#include <algorithm>
#include <array>

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

namespace {

Shape result_shape(const GraphMaker& m, const std::vector<TensorId>& operands) {
  Shape out = m.shape(operands[0]);
  for (const TensorId id : operands) {
    for (size_t d = 0; d < out.size(); ++d) out[d] = std::max(out[d], m.shape(id)[d]);
  }
  return out;
}

TensorId make_unary(GraphMaker& m, const OpMode& mode, TensorId x) {
  return m.b.op(mode.kind, {x}, mode.result, m.shape(x));
}

TensorId make_binary(GraphMaker& m, const OpMode& mode, TensorId x) {
  const TensorId y = m.operand(mode.operands[1], m.broadcast_of(m.shape(x)));
  std::vector<TensorId> operands{x, y};
  if (m.random.chance(50)) std::swap(operands[0], operands[1]);
  return m.b.op(mode.kind, operands, mode.result, result_shape(m, operands));
}

/// The amount is mostly one that TOSA allows.
TensorId make_shift(GraphMaker& m, const OpMode& mode, TensorId x) {
  const ElementType type = mode.operands[1];
  const bool is_rounding = m.random.chance(50);
  const ValueRange range = m.random.chance(4) ? whole_range(type) : ValueRange{0, base::info(type).bits - 1};
  const TensorId y = m.operand(type, m.broadcast_of(m.shape(x)), range);
  ir::Attributes attributes;
  if (mode.kind == OpKind::ArithmeticRightShift) attributes = ir::ShiftAttributes{is_rounding};
  return m.b.op(mode.kind, {x, y}, mode.result, result_shape(m, {x, y}), attributes);
}

TensorId make_int_div(GraphMaker& m, const OpMode& mode, TensorId x) {
  const ValueRange range = m.random.chance(5)    ? whole_range(ElementType::Int32)
                           : m.random.chance(40) ? ValueRange{base::min_value(ElementType::Int32), -2}
                                                 : ValueRange{1, m.random.pick<int64_t>({3, 1000, INT32_MAX})};
  const TensorId y = m.operand(mode.operands[1], m.broadcast_of(m.shape(x)), range);
  return m.b.op(mode.kind, {x, y}, mode.result, result_shape(m, {x, y}));
}

TensorId make_mul(GraphMaker& m, const OpMode& mode, TensorId x) {
  std::vector<TensorId> operands{x, m.operand(mode.operands[1], m.broadcast_of(m.shape(x)))};
  if (m.random.chance(50)) std::swap(operands[0], operands[1]);
  const Shape out = result_shape(m, operands);
  const bool has_shift = mode.operands[0] == ElementType::Int32 && m.random.chance(70);
  operands.push_back(m.b.scalar(ElementType::Int8, has_shift ? m.random.within(0, 63) : 0));
  return m.b.op(OpKind::Mul, operands, mode.result, out);
}

TensorId make_select(GraphMaker& m, const OpMode& mode, TensorId condition) {
  const TensorId on_true = m.operand(mode.operands[1], m.broadcast_of(m.shape(condition)));
  const Shape so_far = result_shape(m, {condition, on_true});
  const TensorId on_false = m.operand(mode.operands[2], m.broadcast_of(so_far));
  const std::vector<TensorId> operands{condition, on_true, on_false};
  return m.b.op(OpKind::Select, operands, mode.result, result_shape(m, operands));
}

TensorId make_clamp(GraphMaker& m, const OpMode& mode, TensorId x) {
  const ValueRange range = whole_range(mode.result);
  const int64_t low = m.random.chance(20) ? range.least : m.random.within(range.least, range.most);
  const int64_t high = m.random.chance(20) ? range.most : m.random.within(low, range.most);
  return m.b.clamp(x, low, high);
}

TensorId make_negate(GraphMaker& m, const OpMode& mode, TensorId x) {
  const TensorId in_zp = m.b.scalar(mode.operands[1], m.zero_point(mode.operands[1]));
  const TensorId out_zp = m.b.scalar(mode.operands[2], m.zero_point(mode.operands[2]));
  return m.b.op(OpKind::Negate, {x, in_zp, out_zp}, mode.result, m.shape(x));
}

TensorId make_table(GraphMaker& m, const OpMode& mode, TensorId x) {
  if (mode.operands[0] == ElementType::Int8) return m.b.table(x, m.constant(ElementType::Int8, {256}));
  // Slopes of more than 16 bits are against a REQUIRE.
  const ValueRange range = m.random.chance(10) ? whole_range(ElementType::Int16) : ValueRange{-16384, 16383};
  return m.b.table(x, m.constant(ElementType::Int16, {513}, range));
}

/// Bits of values of a type as they mostly are.
int64_t usual_bits(Random& random, ElementType type) {
  if (type == ElementType::Int48) return random.within(24, 47);
  return type == ElementType::Int32 && random.chance(70) ? random.within(12, 30) : base::info(type).bits;
}

void set_scales(GraphMaker& m, ElementType from, ElementType to, int64_t count, GraphBuilder::Scale& scale) {
  Random& random = m.random;
  const int64_t unit = scale.attributes.scale32 ? 30 : 14, most = (int64_t{2} << unit) - 1;
  const int64_t bits = usual_bits(random, from) - base::info(to).bits;
  const int64_t style = random.within(0, 19);
  scale.multipliers.clear();
  scale.shifts.clear();
  for (int64_t i = 0; i < count; ++i) {
    const bool is_power = style < 3;
    scale.multipliers.push_back(is_power ? int64_t{1} << unit : random.within(most / 2 + 1, most));
    scale.shifts.push_back(std::clamp<int64_t>(unit + bits + random.within(-1, 4), 2, 62));
    if (style == 3) scale.shifts.back() = random.within(2, 62);
    if (style == 4) scale.multipliers.back() = random.pick<int64_t>({0, 1, most, random.within(0, most)});
    if (style == 5 && random.chance(20)) scale.shifts.back() = random.pick<int64_t>({0, 1, 63});  // against a REQUIRE
    if (style == 6 && random.chance(20)) scale.multipliers.back() *= -1;                          // so is this
  }
}

int64_t rescale_zero_point(GraphMaker& m, ElementType type, bool is_unsigned) {
  if (type == ElementType::Int16 && is_unsigned && m.random.chance(50)) return -32768;
  return m.zero_point(type);
}

constexpr std::array kElementwiseMakers{Maker{OpKind::Clamp, 2, make_clamp},
                                        Maker{OpKind::Add, 4, make_binary},
                                        Maker{OpKind::Sub, 3, make_binary},
                                        Maker{OpKind::Mul, 2, make_mul},
                                        Maker{OpKind::IntDiv, 1, make_int_div},
                                        Maker{OpKind::Maximum, 1, make_binary},
                                        Maker{OpKind::Minimum, 1, make_binary},
                                        Maker{OpKind::ArithmeticRightShift, 1, make_shift},
                                        Maker{OpKind::LogicalLeftShift, 1, make_shift},
                                        Maker{OpKind::LogicalRightShift, 1, make_shift},
                                        Maker{OpKind::BitwiseAnd, 1, make_binary},
                                        Maker{OpKind::BitwiseOr, 1, make_binary},
                                        Maker{OpKind::BitwiseXor, 1, make_binary},
                                        Maker{OpKind::BitwiseNot, 1, make_unary},
                                        Maker{OpKind::LogicalAnd, 1, make_binary},
                                        Maker{OpKind::LogicalOr, 1, make_binary},
                                        Maker{OpKind::LogicalXor, 1, make_binary},
                                        Maker{OpKind::Table, 2, make_table},
                                        Maker{OpKind::Abs, 1, make_unary},
                                        Maker{OpKind::Clz, 1, make_unary},
                                        Maker{OpKind::Negate, 1, make_negate},
                                        Maker{OpKind::LogicalNot, 1, make_unary},
                                        Maker{OpKind::Select, 1, make_select},
                                        Maker{OpKind::Equal, 1, make_binary},
                                        Maker{OpKind::Greater, 1, make_binary},
                                        Maker{OpKind::GreaterEqual, 1, make_binary},
                                        Maker{OpKind::Cast, 1, make_unary},
                                        Maker{OpKind::Identity, 1, make_unary},
                                        Maker{OpKind::Rescale, 2, make_rescale}};

}  // namespace

TensorId make_rescale(GraphMaker& m, const OpMode& mode, TensorId x) {
  const ElementType from = mode.operands[0], to = mode.result;
  const auto is_narrow = [](ElementType type) { return type == ElementType::Int8 || type == ElementType::Int16; };
  GraphBuilder::Scale scale;
  ir::RescaleAttributes& a = scale.attributes;
  a.scale32 = from != ElementType::Int48 && m.random.chance(70);
  a.rounding = m.random.pick<spec::Rounding>({spec::Rounding::Single, spec::Rounding::Inexact, spec::Rounding::Double});
  if (!a.scale32 && a.rounding == spec::Rounding::Double) a.rounding = spec::Rounding::Single;
  if (is_narrow(from) && is_narrow(to)) {
    const int64_t ends = m.random.within(0, 5);
    a.input_unsigned = ends == 0;
    a.output_unsigned = ends == 1;
  }
  a.per_channel = !m.shape(x).empty() && m.random.chance(40);
  set_scales(m, from, to, a.per_channel ? m.shape(x).back() : 1, scale);
  scale.input_zp = rescale_zero_point(m, from, a.input_unsigned);
  scale.output_zp = rescale_zero_point(m, to, a.output_unsigned);
  return m.b.rescale(x, to, scale);
}

std::span<const Maker> elementwise_makers() { return kElementwiseMakers; }

}  // namespace vernier::tests::fuzz
