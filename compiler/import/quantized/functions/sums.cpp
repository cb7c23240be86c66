// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/sums.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/wide.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

}  // namespace

Value codes_or_sums(Lowering& lowering, const Node& node, size_t index) {
  const Value found = lowering.value(node, index);
  const bool has_limits =
      found.kind == Value::Kind::Integers && found.is_wide() && found.is_real && !found.of_sum && found.has_function();
  if (has_limits && lowering.reaches_quantizer(node)) return with_one_scale(lowering, found, node.outputs.at(0) + "_limits");
  if (found.kind != Value::Kind::Integers || !found.is_wide() || !found.is_real || found.has_function())
    return codes_or_16(lowering, node, index);
  const std::string name = node.outputs.at(0) + "_sums";
  const Value sums = narrowed_sums(lowering, found, name);
  Rest* rest = lowering.left(sums.tensor);
  return rest != nullptr ? with_rest(lowering, sums, *rest, name) : sums;
}

Value with_rest(Lowering& lowering, const Value& value, Rest& rest, const std::string& name, double smallest_factor) {
  constexpr int64_t kMostBits = 12;
  const auto halvings = static_cast<int64_t>(std::ceil(-std::log2(smallest_factor)));
  const int64_t bits = std::min({spare_bits(value.magnitude + 1), kMostBits, std::max<int64_t>(27 - halvings, 0)});
  Value result = value;
  std::vector<int64_t> parts;
  for (const double one : rest.steps) parts.push_back(std::llround(std::ldexp(one, static_cast<int>(bits))));
  if (bits == 0 || std::all_of(parts.begin(), parts.end(), [](int64_t part) { return part == 0; })) return result;
  rest.line.clear();
  lowering.add_fine_bias(value.layer);
  result.tensor = widened(lowering, value, name);
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(result.tensor).shape;
  base::Shape along(shape.size(), 1);
  const ir::TensorId shift = graph.add_constant(ElementType::Int32, along, {bits});
  result.tensor = graph.add(OpKind::LogicalLeftShift, {}, {result.tensor, shift},
                            {ElementType::Int32, shape, name + "_finer"}, value.layer);
  along.back() = static_cast<int64_t>(parts.size());
  const ir::TensorId addend = graph.add_constant(ElementType::Int32, along, parts);
  result.tensor =
      graph.add(OpKind::Add, {}, {result.tensor, addend}, {ElementType::Int32, shape, name + "_with_rest"}, value.layer);
  result.magnitude = (value.magnitude + 1) << bits;
  for (double& scale : result.format.scales) scale = std::ldexp(scale, -static_cast<int>(bits));
  return result;
}

Value cut_off(Lowering& lowering, const Value& value, const std::vector<double>& factors, double steps,
              const std::string& name) {
  Value result = value;
  std::vector<int64_t> limits, least;
  for (const double factor : factors) {
    limits.push_back(static_cast<int64_t>(std::min(std::ceil(steps / factor) + 1, static_cast<double>(value.magnitude))));
    least.push_back(-limits.back());
  }
  result.magnitude = *std::max_element(limits.begin(), limits.end());
  result.tensor = widened(lowering, value, name);
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(result.tensor).shape;
  base::Shape along(shape.size(), 1);
  along.back() = static_cast<int64_t>(limits.size());
  for (const OpKind kind : {OpKind::Minimum, OpKind::Maximum}) {
    const ir::TensorId limit = graph.add_constant(ElementType::Int32, along, kind == OpKind::Minimum ? limits : least);
    result.tensor = graph.add(kind, {}, {result.tensor, limit}, {ElementType::Int32, shape, name + "_limited"}, value.layer);
  }
  return result;
}

Value within_codes(Lowering& lowering, const Value& value, std::vector<double>& factors, const std::string& name) {
  constexpr double kSteps = 0x1p17, kMostFactor = 0x1p18;  // codes are less than 2^16 steps from their zero point
  const bool fits = std::all_of(factors.begin(), factors.end(), [&](double factor) {
    return factor < 0x1p28 && static_cast<double>(value.magnitude) * factor < 0x1p29;
  });
  if (fits || value.magnitude >= int64_t{1} << 31) return value;
  const Value result = cut_off(lowering, value, factors, kSteps, name);
  for (double& factor : factors) factor = std::min(factor, kMostFactor);
  return result;
}

}  // namespace vernier::import::quantized
