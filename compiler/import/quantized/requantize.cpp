// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/requantize.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kNumCodes = 256;  // of 8 bits

Value with_tensor(const Value& value, const Format& format, ir::TensorId tensor) {
  Value result = value;
  result.tensor = tensor;
  result.format = format;
  result.magnitude = magnitude_of(format);
  result.reals.clear();
  result.low = -kInfinity;
  result.high = kInfinity;
  return result;
}

ir::TensorId add_clamp(Lowering& lowering, const Value& value, ir::TensorId tensor, int64_t low, int64_t high,
                       const std::string& name) {
  const ir::TensorInfo& info = lowering.graph.tensor(tensor);
  return lowering.graph.add(OpKind::Clamp, ir::ClampAttributes{low, high}, {tensor}, {info.type, info.shape, name},
                            value.layer);
}

/// 8 bits to 8 bits. `codes` are those of the new format, from the least code of the old one.
ir::TensorId apply_codes(Lowering& lowering, const Value& value, const std::vector<int64_t>& codes,
                         const std::string& name) {
  const auto [low, high] = std::minmax_element(codes.begin(), codes.end());
  bool is_clamp = true;
  for (int64_t i = 0; i < kNumCodes; ++i)
    is_clamp = is_clamp && codes[static_cast<size_t>(i)] == std::clamp(i - kNumCodes / 2, *low, *high);
  if (is_clamp && *low == -kNumCodes / 2 && *high == kNumCodes / 2 - 1) return value.tensor;
  if (is_clamp) return add_clamp(lowering, value, value.tensor, *low, *high, name);
  const ir::TensorId table = lowering.graph.add_constant(ElementType::Int8, {kNumCodes}, codes);
  return lowering.graph.add(OpKind::Table, {}, {value.tensor, table},
                            {ElementType::Int8, lowering.graph.tensor(value.tensor).shape, name}, value.layer);
}

/// k where the factor is 2^-k with k from 1 to 31, else 0.
int64_t halvings_of(double factor) {
  int exponent = 0;
  if (std::frexp(factor, &exponent) != 0.5) return 0;
  const int64_t k = 1 - int64_t{exponent};
  return k >= 1 && k <= 31 ? k : 0;
}

/// One element, or one for each index of the last dimension, to be combined with int32 tensors of that rank.
ir::TensorId add_channel_constant(Lowering& lowering, size_t rank, const std::vector<int64_t>& elements) {
  base::Shape shape(rank, 1);
  if (rank > 0) shape.back() = static_cast<int64_t>(elements.size());
  return lowering.graph.add_constant(ElementType::Int32, shape, elements);
}

/// Subtracts 1 where that makes RESCALE, which rounds ties up, round them to even: for a factor of 2^-k from each v whose
/// quotient floor(v / 2^k) is even. floor((v + 2^(k-1) - 1 + parity) / 2^k) is v / 2^k rounded half to even.
ir::TensorId even_ties(Lowering& lowering, const Value& value, ir::TensorId tensor, const std::vector<double>& factors,
                       const std::string& name) {
  std::vector<int64_t> halvings, masks;
  for (const double factor : factors) {
    halvings.push_back(halvings_of(factor));
    masks.push_back(halvings.back() > 0 ? 1 : 0);
  }
  if (std::count(masks.begin(), masks.end(), 0) == static_cast<int64_t>(masks.size())) return tensor;
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(tensor).shape;
  const auto add = [&](OpKind kind, const ir::Attributes& attributes, ir::TensorId a, ir::TensorId b, const char* what) {
    return graph.add(kind, attributes, {a, b}, {ElementType::Int32, shape, name + what}, value.layer);
  };
  const ir::TensorId mask = add_channel_constant(lowering, shape.size(), masks);
  const ir::TensorId shifts = add_channel_constant(lowering, shape.size(), halvings);
  const ir::TensorId quotient = add(OpKind::ArithmeticRightShift, ir::ShiftAttributes{false}, tensor, shifts, "_floor");
  const ir::TensorId parity = add(OpKind::BitwiseAnd, {}, quotient, mask, "_parity");
  const ir::TensorId step = add(OpKind::Sub, {}, parity, mask, "_to_even");
  return add(OpKind::Add, {}, tensor, step, "_even_ties");
}

struct Rescale {
  ElementType type;  // of the result
  int64_t input_zero_point = 0, output_zero_point = 0;
  std::vector<Multiplier> multipliers;
};

ir::TensorId add_rescale(Lowering& lowering, const Value& value, ir::TensorId tensor, const Rescale& rescale,
                         const std::string& name) {
  GraphBuilder& graph = lowering.graph;
  const ElementType type = graph.tensor(tensor).type;
  ir::RescaleAttributes attributes;
  attributes.scale32 = type != ElementType::Int48;
  attributes.per_channel = rescale.multipliers.size() > 1;
  std::vector<int64_t> multipliers, shifts;
  for (const Multiplier& one : rescale.multipliers) {
    multipliers.push_back(one.multiplier);
    shifts.push_back(one.shift);
  }
  const auto count = static_cast<int64_t>(multipliers.size());
  const std::vector<ir::TensorId> inputs{
      tensor, graph.add_constant(attributes.scale32 ? ElementType::Int32 : ElementType::Int16, {count}, multipliers),
      graph.add_constant(ElementType::Int8, {count}, shifts), graph.add_scalar(type, rescale.input_zero_point),
      graph.add_scalar(rescale.type, rescale.output_zero_point)};
  return graph.add(OpKind::Rescale, attributes, inputs, {rescale.type, graph.tensor(tensor).shape, name}, value.layer);
}

/// The multipliers of the factors, which the range of the value allows.
std::vector<Multiplier> multipliers_of(const Value& value, const std::vector<double>& factors) {
  std::vector<Multiplier> multipliers;
  for (const double factor : factors) {
    const Multiplier one = multiplier_of(factor);
    if (one.shift < 2 || (one.shift < 32 && value.magnitude >= int64_t{1} << (one.shift - 1)))
      refuse("numbers of up to {} steps are {:g} times as many steps after the quantizer, which is more than 32 bits hold",
             value.magnitude, factor);
    multipliers.push_back(one);
  }
  return multipliers;
}

/// The value as int32 without zero point.
ir::TensorId widened(Lowering& lowering, const Value& value, const std::string& name) {
  const ElementType type = lowering.graph.tensor(value.tensor).type;
  if (type == ElementType::Int32) return value.tensor;
  const bool is_48 = type == ElementType::Int48;
  if (is_48 && value.magnitude >= int64_t{1} << 31)
    refuse("sums of up to {} steps are more than 32 bits hold", value.magnitude);
  const Multiplier unit = is_48 ? Multiplier{1 << 14, 14} : Multiplier{1 << 30, 30};
  return add_rescale(lowering, value, value.tensor, {ElementType::Int32, is_48 ? 0 : zero_point_of(value.format), 0, {unit}},
                     name + "_int32");
}

/// Accumulators and 16 bits to codes.
Value rescaled(Lowering& lowering, const Value& value, const Format& format, const std::string& name) {
  if (value.format.is_per_axis() && value.order.back() != value.format.axis)
    refuse("scales go along dimension {}, expected the channels", value.format.axis);
  std::vector<double> factors;
  for (const double scale : value.format.scales) factors.push_back(scale / scale_of(format));
  const std::vector<Multiplier> multipliers = multipliers_of(value, factors);
  ir::TensorId tensor = widened(lowering, value, name);
  tensor = even_ties(lowering, value, tensor, factors, name);
  tensor = add_rescale(lowering, value, tensor, {element_type(format.bits), 0, zero_point_of(format), multipliers}, name);
  const int64_t low = code_of(value.low, format), high = code_of(value.high, format);
  if (low > format.least() || high < format.greatest())
    tensor = add_clamp(lowering, value, tensor, low, high, name + "_clamp");
  return with_tensor(value, format, tensor);
}

}  // namespace

Multiplier multiplier_of(double factor) {
  int exponent = 0;
  int64_t multiplier = std::llround(std::ldexp(std::frexp(factor, &exponent), 31));
  if (multiplier == int64_t{1} << 31) {
    multiplier = int64_t{1} << 30;
    ++exponent;
  }
  if (exponent < -31) return {0, 62};  // what is scaled so far down is 0
  return {multiplier, 31 - int64_t{exponent}};
}

std::vector<float> reals_of(const Value& value) {
  if (!value.reals.empty()) return value.reals;
  std::vector<float> reals;
  for (int64_t code = value.format.least(); code <= value.format.greatest(); ++code)
    reals.push_back(real_of(code, value.format));
  return reals;
}

Value requantize(Lowering& lowering, const Value& value, const Format& format, const std::string& name) {
  if (!value.has_function() && value.format == format) return value;
  if (format.is_per_axis()) refuse("a quantizer of computed values has {} scales, expected one", format.scales.size());
  if (value.format.bits != 8 || format.bits != 8) {
    if (!value.reals.empty()) refuse("a function of 8-bit codes is quantized to {} bits, expected 8", format.bits);
    return rescaled(lowering, value, format, name);
  }
  if (value.format.is_per_axis()) refuse("what is quantized again has a scale for each index of an axis, expected one");
  std::vector<int64_t> codes;
  for (const float real : reals_of(value)) codes.push_back(code_of(real, format));
  return with_tensor(value, format, apply_codes(lowering, value, codes, name));
}

std::optional<Value> settle(Lowering& lowering, const Value& value, const std::string& name) {
  const auto is_code = [&](float real) {
    return std::isinf(real) || real_of(code_of(real, value.format), value.format) == real;
  };
  const bool has_codes =
      std::all_of(value.reals.begin(), value.reals.end(), is_code) && is_code(value.low) && is_code(value.high);
  if (value.is_wide() || !has_codes) return std::nullopt;
  return requantize(lowering, value, value.format, name);
}

}  // namespace vernier::import::quantized
