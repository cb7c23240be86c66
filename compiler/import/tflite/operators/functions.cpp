// SPDX-License-Identifier: Apache-2.0
// Functions of one code. Of int8 each is a TABLE of the 256 results that the kernel gives; some kernels compute them in
// float32, others in integers. Of int16 the kernels have tables of 513 entries themselves, between which TABLE interpolates.
#include "compiler/import/tflite/float32.hpp"
#include "compiler/import/tflite/operators/fixed_point.hpp"
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/table16.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace vernier::import::lite {

namespace {

using tflite::BuiltinOperator;

using FloatFunction = std::function<float(float)>;

/// The kernels fill tables so: in float32 throughout.
CodeFunction by_float(const LiteTensor& input, const LiteTensor& output, const FloatFunction& function) {
  const float scale = input.scales.front(), inverse = 1 / output.scales.front();
  const auto zero_point = static_cast<float>(zero_point_of(output));
  return [=](int64_t code) {
    const float rounded = std::round(function(scale * static_cast<float>(code)) * inverse);
    if (std::isnan(rounded)) return int64_t{0};
    // The zero point is added before the result is cut to an integer.
    return static_cast<int64_t>(std::clamp(rounded + zero_point, -1e9F, 1e9F)) - static_cast<int64_t>(zero_point);
  };
}

/// LiteMistake for what an int32 times the ratio may leave 64 bits with.
LiteScale checked_scale(float ratio) {
  constexpr float kGreatest = 1 << 29;
  if (!(ratio < kGreatest)) refuse("a ratio of scales is {}, allowed are less than 2^29", ratio);
  return lite_scale(static_cast<double>(ratio));
}

CodeFunction hard_swish(const LiteTensor& input, const LiteTensor& output) {
  const float fine = (1.0F / 128.0F) * input.scales.front();
  const LiteScale result = checked_scale(fine / output.scales.front());
  const LiteScale gate = checked_scale(fine / (3.0F / 32768.0F));
  if (result.exponent > 0)
    refuse("the scales {:g} and {:g} have a ratio above 128, which the kernel refuses", scale_of(input), scale_of(output));
  return [=](int64_t code) { return hard_swish_of(code, result, gate); };
}

CodeFunction leaky_relu(const LiteTensor& input, const LiteTensor& output, float alpha) {
  const LiteScale same = checked_scale(input.scales.front() / output.scales.front());
  const LiteScale less = checked_scale(input.scales.front() * alpha / output.scales.front());
  return [=](int64_t code) { return lite_product(code, code >= 0 ? same : less); };
}

/// LEAKY_RELU of XNNPACK; that of the reference where XNNPACK does not take the ratios.
CodeFunction leaky_relu_by_fixed8(const LiteTensor& input, const LiteTensor& output, float alpha) {
  const float ratio = input.scales.front() / output.scales.front();
  const std::optional<int64_t> same = fixed8_of(ratio), less = fixed8_of(ratio * alpha);
  if (!same || !less) return leaky_relu(input, output, alpha);
  return [=](int64_t code) { return fixed8_product(code, code >= 0 ? *same : *less); };
}

CodeFunction absolute(const LiteTensor& input, const LiteTensor& output) {
  if (input.scales == output.scales) return [](int64_t code) { return std::abs(code); };
  const LiteScale scale = checked_scale(input.scales.front() / output.scales.front());
  return [=](int64_t code) { return lite_product(std::abs(code), scale); };
}

CodeFunction reciprocal_root(const LiteTensor& input, const LiteTensor& output) {
  const double ratio = 1.0 / (static_cast<double>(std::sqrt(input.scales.front())) * scale_of(output));
  if (!(ratio < 1 << 29))
    refuse("the scales {:g} and {:g} have a ratio that is too great", scale_of(input), scale_of(output));
  const LiteScale scale = lite_scale(ratio);
  // The kernel fails on negative numbers; what they give here is the same as of 0.
  return [=](int64_t code) { return code <= 0 ? std::numeric_limits<int32_t>::max() : reciprocal_root_of(code, scale); };
}

/// The kernel cuts the root, and fails on negative numbers; what they give here is the same as of 0.
CodeFunction square_root(const LiteTensor& input, const LiteTensor& output) {
  const float scale = input.scales.front(), step = output.scales.front();
  return [=](int64_t code) {
    const float root = std::sqrt(scale * static_cast<float>(std::max<int64_t>(code, 0)));
    return static_cast<int64_t>(std::min(root / step, 1e9F));
  };
}

CodeFunction limited(const LiteTensor& input, const LiteTensor& output, float low, float high) {
  const LiteScale scale = checked_scale(input.scales.front() / output.scales.front());
  const auto limit = [&](float number) {
    return static_cast<int64_t>(std::clamp(std::round(number / output.scales.front()), -1e9F, 1e9F));
  };
  const int64_t least = limit(low);
  const int64_t greatest = std::isinf(high) ? std::numeric_limits<int32_t>::max() : limit(high);
  return [=](int64_t code) { return std::clamp(lite_product(code, scale), least, greatest); };
}

float logistic(float x) { return 1.0F / (1.0F + std::exp(-x)); }
float gelu(float x) { return 0.5F * x * std::erfc(x * static_cast<float>(-M_SQRT1_2)); }
float gelu_near(float x) {
  constexpr auto kRoot = static_cast<float>(M_2_SQRTPI * M_SQRT1_2);
  return 0.5F * x * (1.0F + std::tanh(kRoot * (x + 0.044715F * x * x * x)));
}

/// The function in float32, of the kernels that fill a table with it; none for the others.
FloatFunction float_function(const LiteOperator& op, const LiteTensor& output) {
  switch (op.code) {
    case BuiltinOperator::LOGISTIC: return logistic;
    case BuiltinOperator::TANH: return [](float x) { return std::tanh(x); };
    case BuiltinOperator::EXP: return [](float x) { return std::exp(x); };
    case BuiltinOperator::ELU: return [](float x) { return x < 0.0F ? std::expm1(x) : x; };
    case BuiltinOperator::GELU:
      return options_of(op, &tflite::Operator::builtin_options_as_GeluOptions).approximate() ? gelu_near : gelu;
    case BuiltinOperator::LOG: {
      const float least =
          static_cast<float>(base::min_value(type_of(output)) - zero_point_of(output)) * output.scales.front();
      return [=](float x) { return x <= 0.0F ? least : std::log(x); };
    }
    case BuiltinOperator::RSQRT: {
      if (!is_16_bits(output)) return nullptr;
      const float greatest = 32767.0F * output.scales.front();
      return [=](float x) { return x <= 0.0F ? greatest : 1.0F / std::sqrt(x); };
    }
    default: return nullptr;
  }
}

CodeFunction code_function(const LiteOperator& op, const LiteTensor& input, const LiteTensor& output) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (const FloatFunction function = float_function(op, output)) return by_float(input, output, function);
  switch (op.code) {
    case BuiltinOperator::HARD_SWISH: return hard_swish(input, output);
    case BuiltinOperator::LEAKY_RELU: return leaky_relu(input, output, alpha_of(op));
    case BuiltinOperator::ABS: return absolute(input, output);
    case BuiltinOperator::RSQRT: return reciprocal_root(input, output);
    case BuiltinOperator::SQRT: return square_root(input, output);
    case BuiltinOperator::RELU: return limited(input, output, 0, kInfinity);
    case BuiltinOperator::RELU6: return limited(input, output, 0, 6);
    case BuiltinOperator::RELU_N1_TO_1: return limited(input, output, -1, 1);
    default: return limited(input, output, 0, 1);  // RELU_0_TO_1
  }
}

void check_kernel(const LiteOperator& op, const LiteTensor& output) {
  constexpr std::array kNotOfUint8{BuiltinOperator::ABS, BuiltinOperator::ELU,   BuiltinOperator::EXP,
                                   BuiltinOperator::LOG, BuiltinOperator::RSQRT, BuiltinOperator::SQRT};
  const bool is_elu16 = op.code == BuiltinOperator::ELU && is_16_bits(output);
  if (is_elu16 || (output.is_unsigned && std::find(kNotOfUint8.begin(), kNotOfUint8.end(), op.code) != kNotOfUint8.end()))
    refuse("'{}' is {}, of which LiteRT has no kernel", output.name, type_in_file(output));
  const float expected = is_16_bits(output) ? 1.0F / 32768 : 1.0F / 256;
  const int64_t zero_point = is_16_bits(output) ? 0 : -128;
  if (op.code == BuiltinOperator::LOGISTIC && (output.scales.front() != expected || zero_point_of(output) != zero_point))
    refuse("the result's scale is {} and its zero point {}, expected 1/{} and {}", output.scales.front(),
           zero_point_of(output), is_16_bits(output) ? 32768 : 256, zero_point);
}

}  // namespace

void lower_function(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  check_same_type(input, output);
  check_kernel(op, output);
  if (is_16_bits(output)) {
    if (op.code == BuiltinOperator::LOGISTIC || op.code == BuiltinOperator::TANH) return lower_sigmoid16(lowering, op);
    if (const FloatFunction function = float_function(op, output))
      return lowering.finish(op, looked_up(lowering, op, lowering.value(op, 0), float_table(input, output, function)));
    if (op.code == BuiltinOperator::SQRT) return lower_each_code16(lowering, op, square_root(input, output));
    return lower_pieces16(lowering, op);
  }
  const bool is_fixed8 = lowering.rule(op) == Rule::Fixed8;  // LEAKY_RELU alone has that rule
  const CodeFunction function =
      is_fixed8 ? leaky_relu_by_fixed8(input, output, alpha_of(op)) : code_function(op, input, output);
  const auto result = [&](int64_t code) { return function(code - zero_point_of(input)) + zero_point_of(output); };
  lowering.finish(op, lowering.each_code(op, 0, result, "codes"));
}

}  // namespace vernier::import::lite
