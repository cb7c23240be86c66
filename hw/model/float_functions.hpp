// SPDX-License-Identifier: Apache-2.0
// ONNX's functions of one number in float32, as onnxruntime's kernels compute them, by ONNX's names: for tables of codes and
// for what the host computes. exp and the like are the C library's, within a few units in the last place of others.
#pragma once

#include "hw/model/host_float.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

namespace vernier::model {

/// a and b are the parameters that the function has, in the order of its row below.
using FloatFunction = float (*)(float x, float a, float b);

struct FloatParameter {
  std::string_view name;  // of ONNX's attribute; "": there is no such parameter
  float otherwise = 0;    // where a node does not say it
};

struct FloatFunctionRow {
  std::string_view name;
  FloatFunction function;
  FloatParameter a = {}, b = {};
};

/// log(1 + e^x), which e^x alone would leave float32's range for.
inline float softplus(float x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
inline float float_sign(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; }
inline float gelu(float x) { return 0.5F * x * (1.0F + std::erf(x / std::numbers::sqrt2_v<float>)); }
inline float gelu_by_tanh(float x) {
  const float inner = 2.0F * std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
  return 0.5F * x * (1.0F + std::tanh(inner * (x + 0.044715F * x * x * x)));
}
inline float celu(float x, float alpha) { return std::max(0.0F, x) + std::min(0.0F, alpha * (std::exp(x / alpha) - 1.0F)); }

inline constexpr std::array kFloatFunctions{
    FloatFunctionRow{"Abs", [](float x, float, float) { return std::fabs(x); }},
    FloatFunctionRow{"Ceil", [](float x, float, float) { return std::ceil(x); }},
    FloatFunctionRow{"Celu", [](float x, float alpha, float) { return celu(x, alpha); }, {"alpha", 1}},
    FloatFunctionRow{"Cos", [](float x, float, float) { return std::cos(x); }},
    FloatFunctionRow{
        "Elu", [](float x, float alpha, float) { return x >= 0 ? x : alpha * (std::exp(x) - 1.0F); }, {"alpha", 1}},
    FloatFunctionRow{"Erf", [](float x, float, float) { return std::erf(x); }},
    FloatFunctionRow{"Exp", [](float x, float, float) { return std::exp(x); }},
    FloatFunctionRow{"Floor", [](float x, float, float) { return std::floor(x); }},
    FloatFunctionRow{"Gelu", [](float x, float, float) { return gelu(x); }},
    FloatFunctionRow{"GeluTanh", [](float x, float, float) { return gelu_by_tanh(x); }},
    FloatFunctionRow{"HardSigmoid",
                     [](float x, float alpha, float beta) { return std::clamp(alpha * x + beta, 0.0F, 1.0F); },
                     {"alpha", 0.2F},
                     {"beta", 0.5F}},
    FloatFunctionRow{"HardSwish", [](float x, float, float) { return x * std::clamp(x / 6.0F + 0.5F, 0.0F, 1.0F); }},
    FloatFunctionRow{"LeakyRelu", [](float x, float alpha, float) { return x >= 0 ? x : alpha * x; }, {"alpha", 0.01F}},
    FloatFunctionRow{"Log", [](float x, float, float) { return std::log(x); }},
    FloatFunctionRow{"Mish", [](float x, float, float) { return x * std::tanh(softplus(x)); }},
    FloatFunctionRow{"Neg", [](float x, float, float) { return -x; }},
    FloatFunctionRow{"Reciprocal", [](float x, float, float) { return 1.0F / x; }},
    FloatFunctionRow{"Round", [](float x, float, float) { return std::nearbyint(x); }},
    FloatFunctionRow{
        "Selu",
        [](float x, float alpha, float gamma) { return x > 0 ? gamma * x : gamma * (alpha * std::exp(x) - alpha); },
        {"alpha", 1.67326319217681884765625F},
        {"gamma", 1.05070102214813232421875F}},
    FloatFunctionRow{"Sigmoid", [](float x, float, float) { return sigmoid(x); }},
    FloatFunctionRow{"Sign", [](float x, float, float) { return float_sign(x); }},
    FloatFunctionRow{"Sin", [](float x, float, float) { return std::sin(x); }},
    FloatFunctionRow{"Softplus", [](float x, float, float) { return softplus(x); }},
    FloatFunctionRow{"Softsign", [](float x, float, float) { return x / (1.0F + std::fabs(x)); }},
    FloatFunctionRow{"Sqrt", [](float x, float, float) { return std::sqrt(x); }},
    FloatFunctionRow{"Tanh", [](float x, float, float) { return std::tanh(x); }},
    FloatFunctionRow{"ThresholdedRelu", [](float x, float alpha, float) { return x > alpha ? x : 0.0F; }, {"alpha", 1}},
    FloatFunctionRow{"Truncate", [](float x, float, float) { return std::trunc(x); }},
};

/// Null for another name.
constexpr const FloatFunctionRow* find_float_function(std::string_view name) {
  for (const FloatFunctionRow& row : kFloatFunctions) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// base^exponent as onnxruntime computes it: squares and cubes are products.
inline float power(float base, float exponent) {
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * base * base;
  return std::pow(base, exponent);
}

}  // namespace vernier::model
