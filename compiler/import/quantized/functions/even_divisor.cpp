// SPDX-License-Identifier: Apache-2.0
// With m the divisor, (4 v + 1) / (4 m) is v / m rounded with ties up, and (4 v - 1) / (4 m) with ties down: the quarter
// keeps a tie away from what the multiplier is off by, which is less than 2^-31 of v / m. Where the two differ there is a
// tie, and the upper one goes down if it has the wrong parity.
#include "compiler/import/quantized/functions/even_divisor.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"

#include <bit>
#include <cmath>

namespace vernier::import::quantized {

namespace {

constexpr double kMostDivisor = 0x1p20, kDivisorNoise = 0x1p-40;

}  // namespace

std::optional<int64_t> even_divisor(double factor, int64_t magnitude) {
  const double divisor = std::nearbyint(1 / factor);
  if (!(divisor >= 6 && divisor <= kMostDivisor) || std::fabs(1 / factor - divisor) > divisor * kDivisorNoise)
    return std::nullopt;
  const auto m = static_cast<int64_t>(divisor);
  const bool has_ties = m % 2 == 0 && !std::has_single_bit(static_cast<uint64_t>(m));
  return has_ties && magnitude < (int64_t{1} << 28) ? std::optional(m) : std::nullopt;
}

ir::TensorId divided_to_even(Lowering& lowering, const Value& value, ir::TensorId tensor, int64_t divisor, bool is_to_odd,
                             const std::string& name) {
  using base::ElementType;
  using ir::OpKind;
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(tensor).shape;
  const auto number = [&](int64_t one) {
    return graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1), {one});
  };
  const auto combined = [&](OpKind kind, ir::TensorId a, ir::TensorId b, const char* what) {
    return graph.add(kind, {}, {a, b}, {ElementType::Int32, shape, name + what}, value.layer);
  };
  const auto divided = [&](ir::TensorId quarters, const char* what) {
    const Multiplier part = multiplier_of(0.25 / static_cast<double>(divisor));
    return add_rescale(lowering, value, quarters, {ElementType::Int32, 0, 0, {part}}, name + what);
  };
  const ir::TensorId quarters = combined(OpKind::LogicalLeftShift, tensor, number(2), "_quarters"), one = number(1);
  const ir::TensorId up = divided(combined(OpKind::Add, quarters, one, "_above"), "_ties_up");
  const ir::TensorId down = divided(combined(OpKind::Sub, quarters, one, "_below"), "_ties_down");
  const ir::TensorId is_tie = combined(OpKind::Sub, up, down, "_is_tie");
  const ir::TensorId parity = is_to_odd ? combined(OpKind::Add, up, one, "_next") : up;
  const ir::TensorId lower = combined(OpKind::BitwiseAnd, is_tie, parity, "_lower");
  return combined(OpKind::Sub, up, lower, "_even_ties");
}

}  // namespace vernier::import::quantized
