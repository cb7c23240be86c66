// SPDX-License-Identifier: Apache-2.0
// PRelu with constant slopes, and LeakyRelu of sums: max(x, 0) + slope * min(x, 0), rounded to 2^-20 of a code, or to what
// 29 bits leave.
#include "compiler/import/quantized/functions/arithmetic.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostSlopeBits = 20;

/// `shape` is that of the slopes, of the value's rank.
void define_sloped(Lowering& lowering, const Node& node, Value value, const std::vector<float>& slopes,
                   const base::Shape& shape) {
  double greatest = 1;
  for (const float slope : slopes) {
    if (!(std::fabs(slope) < 0x1p15F)) refuse("a slope is {}, allowed are finite numbers below 2^15", slope);
    greatest = std::max(greatest, static_cast<double>(std::fabs(slope)));
  }
  // Slopes of 30 bits, as parts of a power of two; the products keep as many bits after the point as there is room for.
  const auto exponent = static_cast<int>(std::ceil(std::log2(greatest)));
  const int64_t bits = std::min(spare_bits(value.magnitude), kMostSlopeBits);
  std::vector<int64_t> factors;
  for (const float slope : slopes) factors.push_back(std::llround(std::ldexp(static_cast<double>(slope), 30 - exponent)));
  value.layer = node.name;
  Value result = wide_value(lowering, value, bits, node.outputs.at(0));
  std::vector<int64_t> order = result.order;
  std::erase(order, -1);
  Arithmetic math(lowering, node);
  const ir::TensorId x = math.reshaped(result.tensor, shape_in_order(value.shape, order));
  const ir::TensorId factor =
      lowering.graph.add_constant(base::ElementType::Int32, shape_in_order(shape, order), reordered(factors, shape, order));
  const ir::TensorId zero = math.number(order.size(), 0), one = math.number(order.size(), int64_t{1} << (30 - exponent));
  result.tensor = math.add(math.mul(math.maximum(x, zero), one, 30), math.mul(math.minimum(x, zero), factor, 30));
  result.order = order;
  for (double& scale : result.format.scales) scale = std::ldexp(scale, exponent);
  lowering.define(node, std::move(result));
}

}  // namespace

void lower_prelu(Lowering& lowering, const Node& node) {
  Value value = codes_or_sums(lowering, node, 0);
  static_cast<void>(lowering.constant(node, 1, "the slope"));
  const Value& constant = lowering.value(node, 1);
  const std::vector<float> slopes = real_numbers(constant);
  const size_t rank = value.shape.size();
  if (constant.shape.size() > rank)
    refuse("a slope of shape {} for {}", base::to_string(constant.shape), base::to_string(value.shape));
  base::Shape shape(rank, 1);  // the slope's, by numpy's rules
  std::copy(constant.shape.rbegin(), constant.shape.rend(), shape.rbegin());
  for (size_t i = 0; i < rank; ++i) {
    if (shape[i] != 1 && shape[i] != value.shape[i])
      refuse("a slope of shape {} for {}", base::to_string(constant.shape), base::to_string(value.shape));
  }
  define_sloped(lowering, node, std::move(value), slopes, shape);
}

void lower_leaky_sums(Lowering& lowering, const Node& node, float slope) {
  Value value = codes_or_sums(lowering, node, 0);
  const base::Shape shape(value.shape.size(), 1);
  define_sloped(lowering, node, std::move(value), {slope}, shape);
}

}  // namespace vernier::import::quantized
