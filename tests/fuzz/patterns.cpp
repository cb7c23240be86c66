// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/patterns.hpp"

#include "tests/fuzz/makers.hpp"

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

namespace {

TensorId rescaled(GraphMaker& m, TensorId x, ElementType to) {
  const TensorId id = make_rescale(m, find_mode(OpKind::Rescale, m.b.type_of(x), to), x);
  m.add_result(id);
  return id;
}

TensorId added(GraphMaker& m, OpKind kind, TensorId a, TensorId b) {
  const TensorId id = m.b.binary(kind, a, b);
  m.add_result(id);
  return id;
}

/// A convolution rescaled to the type of `x`; `x` where that is too much work.
TensorId convolved(GraphMaker& m, TensorId x, int64_t channels) {
  const bool is_depthwise = m.random.chance(15);
  const TensorId wide = make_same_conv(m, is_depthwise ? OpKind::DepthwiseConv2d : OpKind::Conv2d, x, channels);
  if (wide == kDoesNotSuit) return x;
  m.add_result(wide);
  return rescaled(m, wide, m.b.type_of(x));
}

/// As the epilogue scales a residual's sides and their sum: signed, 32 bits, one scale for all elements.
TensorId scaled(GraphMaker& m, TensorId x, ElementType to, int64_t multiplier, int64_t shift, spec::Rounding rounding) {
  GraphBuilder::Scale scale{{multiplier}, {shift}, m.zero_point(m.b.type_of(x)), m.zero_point(to)};
  scale.attributes.rounding = rounding;
  return m.b.rescale(x, to, scale);
}

TensorId scaled_side(GraphMaker& m, TensorId x, spec::Rounding rounding) {
  constexpr int64_t kUnit = int64_t{1} << 30;
  const int64_t multiplier = m.random.within(kUnit, 2 * kUnit - 1), left = m.random.pick<int64_t>({8, 15, 20, 20});
  if (m.random.chance(40)) return scaled(m, x, ElementType::Int32, multiplier, 30 - left + m.random.within(0, 3), rounding);
  const TensorId shifted = scaled(m, x, ElementType::Int32, kUnit, 30 - left, rounding);
  return scaled(m, shifted, ElementType::Int32, multiplier, m.random.within(30, 34), rounding);
}

}  // namespace

void add_array_residual(GraphMaker& m, TensorId x) {
  const TensorId wide = make_same_conv(m, OpKind::Conv2d, x, m.random.chance(50) ? m.shape(x)[3] : m.channels());
  if (wide == kDoesNotSuit) return;
  const auto rounding =
      m.random.pick<spec::Rounding>({spec::Rounding::Single, spec::Rounding::Inexact, spec::Rounding::Double});
  const auto multiplier = [&] { return m.random.within(int64_t{1} << 30, INT32_MAX); };
  const TensorId own = m.random.chance(25)
                           ? rescaled(m, wide, ElementType::Int8)
                           : scaled(m, wide, ElementType::Int8, multiplier(), m.random.within(36, 46), rounding);
  const TensorId other = m.operand(ElementType::Int8, m.shape(own), true);
  // Nobody else reads what lies between: the sum would not be the array's.
  const TensorId a = scaled_side(m, own, rounding), b = scaled_side(m, other, rounding);
  const TensorId sum = m.random.chance(50) ? m.b.binary(OpKind::Add, a, b) : m.b.binary(OpKind::Add, b, a);
  const TensorId result = scaled(m, sum, ElementType::Int8, multiplier(), m.random.within(37, 53), rounding);
  m.add_result(result);
  if (m.random.chance(40)) m.add_result(m.b.clamp(result, m.random.within(-128, 0), m.random.within(1, 127)));
}

void add_branches(GraphMaker& m, TensorId x) {
  const auto channels = [&] { return m.random.chance(70) ? m.random.within(17, 48) : m.channels(); };
  std::vector<TensorId> pieces;
  for (int64_t more = m.random.within(2, 3); more > 0; --more)
    pieces.push_back(m.random.chance(15) ? x : convolved(m, x, channels()));
  Shape out = m.shape(x);
  out[3] = 0;
  for (const TensorId piece : pieces) out[3] += m.shape(piece)[3];
  const TensorId whole = m.b.op(OpKind::Concat, pieces, m.b.type_of(x), out, ir::AxisAttributes{3});
  m.add_result(whole);
  if (m.random.chance(50)) return;
  const int64_t start = m.random.within(0, out[3] - 1);
  out[3] = m.random.within(1, out[3] - start);
  m.add_result(m.b.op(OpKind::Slice, {whole, m.b.shape({0, 0, 0, start}), m.b.shape(out)}, m.b.type_of(x), out));
}

void add_residual(GraphMaker& m, TensorId x) {
  const ElementType type = m.b.type_of(x);
  const TensorId y = m.operand(type, m.shape(x), true);
  const TensorId a = rescaled(m, x, ElementType::Int32);
  TensorId b = rescaled(m, y, ElementType::Int32);
  if (m.random.chance(50)) b = rescaled(m, b, ElementType::Int32);
  const bool is_swapped = m.random.chance(50);
  const OpKind kind = m.random.chance(85) ? OpKind::Add : OpKind::Sub;
  const TensorId sum = is_swapped ? added(m, kind, b, a) : added(m, kind, a, b);
  const TensorId result = rescaled(m, sum, m.random.chance(75) ? ElementType::Int8 : ElementType::Int16);
  if (m.random.chance(50)) m.add_result(m.b.clamp(result, m.random.within(-128, 0), m.random.within(1, 127)));
}

void add_softmax(GraphMaker& m, TensorId x) {
  const TensorId wide = rescaled(m, x, ElementType::Int32);
  const auto last = static_cast<int64_t>(m.shape(x).size()) - 1;
  const int64_t axis = m.random.chance(75) ? last : m.random.within(0, last);
  const TensorId most = m.b.reduce(OpKind::ReduceMax, wide, axis);
  m.add_result(most);
  const TensorId difference = added(m, OpKind::Sub, wide, most);
  const TensorId narrow = rescaled(m, difference, ElementType::Int16);
  const TensorId power = m.b.table(narrow, m.constant(ElementType::Int16, {513}, {-16384, 16383}));
  m.add_result(power);
  const TensorId sum = m.b.reduce(OpKind::ReduceSum, power, axis);
  m.add_result(sum);
  const TensorId zeros = m.b.unary(OpKind::Clz, sum);
  m.add_result(zeros);
  const TensorId product = m.b.mul(power, m.random.chance(50) ? sum : zeros, m.random.within(0, 31));
  m.add_result(product);
  rescaled(m, product, m.b.type_of(x));
}

}  // namespace vernier::tests::fuzz
