// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/arithmetic.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kTableHalf = 256;  // TOSA: entries 0 to 512 stand for -256 to 256
constexpr int64_t kFractionBits = 7;
constexpr int64_t kPartBits = 15;

}  // namespace

Arithmetic::Id Arithmetic::binary(OpKind kind, const ir::Attributes& attributes, Id a, Id b) {
  base::Shape shape = shape_of(a);
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], shape_of(b)[i]);
  return lowering_.graph.add(kind, attributes, {a, b}, {ElementType::Int32, shape, name_ + "_part"}, layer_);
}

Arithmetic::Id Arithmetic::mul(Id a, Id b, int64_t shift) {
  base::Shape shape = shape_of(a);
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], shape_of(b)[i]);
  return lowering_.graph.add(OpKind::Mul, {}, {a, b, lowering_.graph.add_scalar(ElementType::Int8, shift)},
                             {ElementType::Int32, shape, name_ + "_part"}, layer_);
}

Arithmetic::Id Arithmetic::comparison(OpKind kind, Id a, Id b) {
  base::Shape shape = shape_of(a);
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], shape_of(b)[i]);
  return lowering_.graph.add(kind, {}, {a, b}, {ElementType::Bool, shape, name_ + "_part"}, layer_);
}

Arithmetic::Id Arithmetic::select(Id condition, Id a, Id b) {
  base::Shape shape = shape_of(condition);
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max({shape[i], shape_of(a)[i], shape_of(b)[i]});
  return lowering_.graph.add(OpKind::Select, {}, {condition, a, b}, {ElementType::Int32, shape, name_ + "_part"}, layer_);
}

Arithmetic::Id Arithmetic::unary(OpKind kind, Id a) {
  return lowering_.graph.add(kind, {}, {a}, {ElementType::Int32, shape_of(a), name_ + "_part"}, layer_);
}

Arithmetic::Id Arithmetic::reduce(OpKind kind, Id a) {
  base::Shape shape = shape_of(a);
  const auto axis = static_cast<int64_t>(shape.size()) - 1;
  shape.back() = 1;
  return lowering_.graph.add(kind, ir::AxisAttributes{axis}, {a}, {ElementType::Int32, shape, name_ + "_part"}, layer_);
}

Arithmetic::Id Arithmetic::number(size_t rank, int64_t element) {
  return lowering_.graph.add_constant(ElementType::Int32, base::Shape(rank, 1), {element});
}

Arithmetic::Id Arithmetic::numbers(size_t rank, const std::vector<int64_t>& elements) {
  base::Shape shape(rank, 1);
  shape.back() = static_cast<int64_t>(elements.size());
  return lowering_.graph.add_constant(ElementType::Int32, shape, elements);
}

Arithmetic::Id Arithmetic::rescaled(Id a, ElementType type, const Multiplier& multiplier) {
  Value value;
  value.layer = layer_;
  return add_rescale(lowering_, value, a, {type, 0, 0, {multiplier}}, name_ + "_part");
}

Arithmetic::Id Arithmetic::widened(const Value& value, Id codes) {
  return lowering_.graph.tensor(value.tensor).type == ElementType::Int32
             ? codes
             : rescaled(codes, ElementType::Int32, {int64_t{1} << 30, 30});
}

Arithmetic::Id Arithmetic::reshaped(Id a, const base::Shape& shape) {
  if (shape_of(a) == shape) return a;
  const ElementType type = lowering_.graph.tensor(a).type;
  return lowering_.graph.add(OpKind::Reshape, {}, {a, lowering_.graph.add_shape(shape)}, {type, shape, name_ + "_part"},
                             layer_);
}

Arithmetic::Id Arithmetic::entries(Id index, const std::function<int64_t(int64_t)>& function) {
  std::vector<int64_t> numbers;
  for (int64_t i = -kTableHalf; i <= kTableHalf; ++i) numbers.push_back(function(i));
  const Id table = lowering_.graph.add_constant(ElementType::Int16, {2 * kTableHalf + 1}, numbers);
  return lowering_.graph.add(OpKind::Table, {}, {index, table}, {ElementType::Int32, shape_of(index), name_ + "_part"},
                             layer_);
}

Arithmetic::Id Arithmetic::table(Id a, const std::function<int64_t(int64_t)>& function) {
  return entries(rescaled(a, ElementType::Int16, {int64_t{1} << 30, 30}), function);
}

Arithmetic::Id Arithmetic::index_of(Id a) { return rescaled(a, ElementType::Int16, {int64_t{1} << 30, 30 - kFractionBits}); }

Arithmetic::Id Arithmetic::wide_entries(Id index, const std::function<int64_t(int64_t)>& function) {
  const size_t rank = shape_of(index).size();
  const Id high = entries(index, [&](int64_t i) { return function(i) >> kPartBits; });
  const Id low = entries(index, [&](int64_t i) { return function(i) & ((int64_t{1} << kPartBits) - 1); });
  return add(shift_left(high, number(rank, kPartBits - kFractionBits)),
             shift_right(low, number(rank, kFractionBits), false));
}

}  // namespace vernier::import::quantized
