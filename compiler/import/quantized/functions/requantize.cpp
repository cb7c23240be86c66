// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/requantize.hpp"

#include "compiler/import/quantized/functions/divide.hpp"
#include "compiler/import/quantized/functions/even_divisor.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/tables16.hpp"
#include "compiler/import/quantized/functions/wide.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kNumCodesOf8Bits = 256;

/// 8 bits to 8 bits. `codes` are those of the new format, from the least code of the old one.
ir::TensorId apply_codes(Lowering& lowering, const Value& value, const std::vector<int64_t>& codes,
                         const std::string& name) {
  const auto [low, high] = std::minmax_element(codes.begin(), codes.end());
  bool is_clamp = true;
  for (int64_t i = 0; i < kNumCodesOf8Bits; ++i)
    is_clamp = is_clamp && codes[static_cast<size_t>(i)] == std::clamp(i - kNumCodesOf8Bits / 2, *low, *high);
  if (is_clamp && *low == -kNumCodesOf8Bits / 2 && *high == kNumCodesOf8Bits / 2 - 1) return value.tensor;
  ir::TensorId result = -1;
  if (is_clamp) {
    result = add_clamp(lowering, value, value.tensor, *low, *high, name);
  } else {
    const ir::TensorId table = lowering.graph.add_constant(ElementType::Int8, {kNumCodesOf8Bits}, codes);
    result = lowering.graph.add(OpKind::Table, {}, {value.tensor, table},
                                {ElementType::Int8, lowering.graph.tensor(value.tensor).shape, name}, value.layer);
  }
  lowering.remember_origin(result, {value.tensor, codes});
  return result;
}

/// To 16 bits with a zero point, which RESCALE does not add to int16: to int32, ADD, and a RESCALE by 1 that saturates.
/// `reach` is the greatest number of steps that comes out.
ir::TensorId rescaled_with_zero(Lowering& lowering, const Value& value, ir::TensorId tensor, Rescale rescale, double reach,
                                const std::string& name) {
  if (reach >= 0x1p28) refuse("numbers of up to {:g} steps and a zero point are more than 29 bits hold", reach);
  GraphBuilder& graph = lowering.graph;
  const int64_t zero_point = std::exchange(rescale.output_zero_point, 0);
  rescale.type = ElementType::Int32;
  const ir::TensorId steps = add_rescale(lowering, value, tensor, rescale, name + "_steps");
  const base::Shape shape = graph.tensor(steps).shape;
  const ir::TensorId zero = graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1), {zero_point});
  const ir::TensorId codes =
      graph.add(OpKind::Add, {}, {steps, zero}, {ElementType::Int32, shape, name + "_codes"}, value.layer);
  return add_rescale(lowering, value, codes, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30}}}, name);
}

/// What a reader may want to know of the ratios that become multipliers.
Rescaling rescaling_of(const Value& value, const Quantizer& quantizer, const std::vector<double>& factors,
                       const std::vector<Multiplier>& multipliers) {
  Rescaling result{value.layer, static_cast<int64_t>(factors.size()), 0, 0, quantizer.rounding == base::Rounding::HalfEven};
  for (size_t i = 0; i < factors.size(); ++i) {
    if (const auto halvings = halvings_of(factors[i]); halvings && *halvings > 0) ++result.num_powers_of_two;
    const double multiplied =
        std::ldexp(static_cast<double>(multipliers[i].multiplier), -static_cast<int>(multipliers[i].shift));
    result.greatest_error = std::max(result.greatest_error, std::fabs(multiplied / factors[i] - 1));
  }
  return result;
}

/// Accumulators and 16 bits to codes, rounded half to even, or ties up as RESCALE does by itself.
Value rescaled(Lowering& lowering, Value given, const Quantizer& quantizer, const std::string& name) {
  const Format& format = quantizer.format;
  if (given.format.is_per_axis() && given.order.back() != given.format.axis) {
    if (lowering.graph.tensor(given.tensor).type == ElementType::Int48)  // which TRANSPOSE does not take
      refuse("scales go along dimension {}, expected the channels", given.format.axis);
    std::vector<int64_t> order = given.order;
    std::erase(order, given.format.axis);
    order.push_back(given.format.axis);
    given.tensor = lowering.in_order(given, order);
    given.order = order;
  }
  std::vector<double> factors;
  for (const double scale : given.format.scales) factors.push_back(scale / scale_of(format));
  const Value value = within_codes(lowering, given, factors, name);
  std::vector<Multiplier> multipliers = multipliers_of(value, factors);
  lowering.rescalings.push_back(rescaling_of(value, quantizer, factors, multipliers));
  const bool has_odd_zero_point = quantizer.adds_zero_point_first && zero_point_of(format) % 2 != 0;
  ir::TensorId tensor = widened(lowering, value, name);
  const auto divisor = factors.size() == 1 ? even_divisor(factors.front(), value.magnitude) : std::nullopt;
  if (quantizer.rounding == base::Rounding::HalfEven && divisor) {
    tensor = divided_to_even(lowering, value, tensor, *divisor, has_odd_zero_point, name);
    multipliers = {{int64_t{1} << 30, 30}};
  } else if (quantizer.rounding == base::Rounding::HalfEven) {
    std::vector<int64_t> halvings;
    for (const double factor : factors) halvings.push_back(halvings_of(factor).value_or(0));
    tensor = even_ties(lowering, value, tensor, {halvings, value.order.size() - 1, has_odd_zero_point}, name);
  }
  if (format.bits == 16 && zero_point_of(format) != 0) {
    tensor =
        rescaled_with_zero(lowering, value, tensor, {ElementType::Int16, 0, zero_point_of(format), multipliers},
                           static_cast<double>(value.magnitude) * *std::max_element(factors.begin(), factors.end()), name);
  } else {
    tensor = add_rescale(lowering, value, tensor, {element_type(format.bits), 0, zero_point_of(format), multipliers}, name);
  }
  const int64_t low = code_of(value.low, quantizer), high = code_of(value.high, quantizer);
  if (low > format.least() || high < format.greatest())
    tensor = add_clamp(lowering, value, tensor, low, high, name + "_clamp");
  return with_tensor(value, quantizer, tensor);
}

/// 16 bits with a zero point as int32 without; int48 sums that 32 bits do not hold on a coarser grid.
Value without_zero16(Lowering& lowering, const Value& value, const std::string& name) {
  if (value.format.bits == 16 && !value.format.is_per_axis() && zero_point_of(value.format) != 0)
    return wide_value(lowering, value, 0, name);
  return value.magnitude >= int64_t{1} << 31 ? narrowed_sums(lowering, value, name) : value;
}

/// Whether `rescaled` does it: one scale, and a zero point that RESCALE can subtract and add.
bool is_rescale(const Value& value, const Quantizer& quantizer) {
  const auto has_zero = [](const Format& format) {
    return std::any_of(format.zero_points.begin(), format.zero_points.end(), [](int64_t zero) { return zero != 0; });
  };
  const bool takes_zero = value.format.bits == 8 ? !value.format.is_per_axis() : !has_zero(value.format);
  const bool gives_zero = quantizer.format.bits == 8 || !quantizer.adds_zero_point_first || !has_zero(quantizer.format);
  const bool is_nearest = quantizer.rounding == base::Rounding::HalfEven || quantizer.rounding == base::Rounding::TiesUp;
  return is_nearest && quantizer.format.bits <= 16 && !quantizer.format.is_per_axis() && takes_zero && gives_zero;
}

}  // namespace

Value with_tensor(const Value& value, const Quantizer& quantizer, ir::TensorId tensor) {
  Value result = value;
  result.tensor = tensor;
  result.format = quantizer.format;
  result.magnitude = magnitude_of(quantizer);
  result.reals.clear();
  result.has_jumps = false;
  result.of_sum = nullptr;
  result.low = -kInfinity;
  result.high = kInfinity;
  return result;
}

ir::TensorId even_ties(Lowering& lowering, const Value& value, ir::TensorId tensor, const EvenTies& ties,
                       const std::string& name) {
  std::vector<int64_t> halvings, masks;
  for (const int64_t k : ties.halvings) {
    halvings.push_back(std::max<int64_t>(k, 0));
    masks.push_back(halvings.back() > 0 ? 1 : 0);
  }
  if (std::count(masks.begin(), masks.end(), 0) == static_cast<int64_t>(masks.size())) return tensor;
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(tensor).shape;
  const auto constant = [&](const std::vector<int64_t>& elements) {
    base::Shape along(shape.size(), 1);
    if (elements.size() > 1) along.at(ties.dimension) = static_cast<int64_t>(elements.size());
    return graph.add_constant(ElementType::Int32, along, elements);
  };
  const auto add = [&](OpKind kind, const ir::Attributes& attributes, ir::TensorId a, ir::TensorId b, const char* what) {
    return graph.add(kind, attributes, {a, b}, {ElementType::Int32, shape, name + what}, value.layer);
  };
  const ir::TensorId mask = constant(masks), shifts = constant(halvings);
  const ir::TensorId quotient = add(OpKind::ArithmeticRightShift, ir::ShiftAttributes{false}, tensor, shifts, "_floor");
  const ir::TensorId parity = add(OpKind::BitwiseAnd, {}, quotient, mask, "_parity");
  if (ties.has_odd_zero_point) return add(OpKind::Sub, {}, tensor, parity, "_even_ties");
  const ir::TensorId step = add(OpKind::Sub, {}, parity, mask, "_to_even");
  return add(OpKind::Add, {}, tensor, step, "_even_ties");
}

ir::TensorId add_clamp(Lowering& lowering, const Value& value, ir::TensorId tensor, int64_t low, int64_t high,
                       const std::string& name) {
  const ir::TensorInfo& info = lowering.graph.tensor(tensor);
  return lowering.graph.add(OpKind::Clamp, ir::ClampAttributes{low, high}, {tensor}, {info.type, info.shape, name},
                            value.layer);
}

std::optional<int64_t> halvings_of(double factor) {
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  const bool is_just_below = fraction > 1 - 0x1p-40;
  if (!is_just_below && std::fabs(fraction - 0.5) > 0x1p-41) return std::nullopt;
  const int64_t k = (is_just_below ? 0 : 1) - int64_t{exponent};
  if (k < -31 || k > 31) return std::nullopt;
  return k;
}

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

ir::TensorId widened(Lowering& lowering, const Value& value, const std::string& name) {
  const ElementType type = lowering.graph.tensor(value.tensor).type;
  if (type == ElementType::Int32) return value.tensor;
  const bool is_48 = type == ElementType::Int48;
  if (is_48 && value.magnitude >= int64_t{1} << 31)
    refuse("sums of up to {} steps are more than 32 bits hold", value.magnitude);
  const Multiplier unit = is_48 ? Multiplier{1 << 14, 14} : Multiplier{1 << 30, 30};
  return add_rescale(lowering, value, value.tensor,
                     {ElementType::Int32, type == ElementType::Int8 ? zero_point_of(value.format) : 0, 0, {unit}},
                     name + "_int32");
}

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

Value requantize(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name) {
  const Format& format = quantizer.format;
  const bool has_all_codes = value.magnitude <= std::min(std::abs(quantizer.least - zero_point_of(format)),
                                                         std::abs(quantizer.greatest - zero_point_of(format)));
  const bool is_full = quantizer.least == format.least() && quantizer.greatest == format.greatest();
  if (!value.has_function() && value.format == format && (is_full || has_all_codes)) return value;
  if (value.of_sum) return quantized_function(lowering, value, quantizer, name);
  if (!value.reals.empty() && (value.format.bits == 16 || format.bits == 16))
    return with_table16(lowering, value, quantizer, name);
  if (value.format.bits != 8 || format.bits != 8 || value.format.is_per_axis() || format.is_per_axis()) {
    Value plain = quantizer.adds_zero_point_first ? value : without_zero16(lowering, value, name);
    // AIMET's biases are whole numbers of steps; its ties go up.
    Rest* rest = lowering.left(plain.tensor);
    if (rest != nullptr && quantizer.rounding != base::Rounding::TiesUp) {
      const auto [least, most] = std::pair(*std::min_element(plain.format.scales.begin(), plain.format.scales.end()),
                                           *std::max_element(format.scales.begin(), format.scales.end()));
      plain = with_rest(lowering, plain, *rest, name, is_rescale(plain, quantizer) ? 1 : least / most);
    }
    return is_rescale(plain, quantizer) ? rescaled(lowering, plain, quantizer, name)
                                        : divided(lowering, plain, quantizer, name);
  }
  std::vector<int64_t> codes;
  for (const float real : reals_of(value)) codes.push_back(code_of(real, quantizer));
  return with_codes(lowering, value, quantizer, codes, name);
}

Value with_codes(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::vector<int64_t>& codes,
                 const std::string& name) {
  return with_tensor(value, quantizer, apply_codes(lowering, value, codes, name));
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
