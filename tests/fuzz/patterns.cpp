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

}  // namespace

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
