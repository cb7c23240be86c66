// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/float_functions.hpp"

#include "compiler/import/quantized/lowering.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

namespace vernier::import::quantized {

namespace {

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

/// log(1 + e^x), which e^x alone would leave float32's range for.
float softplus(float x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

float sign(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; }

using Plain = float (*)(float);
/// Those without attributes.
constexpr std::array kPlain{
    std::pair<std::string_view, Plain>{"Abs", [](float x) { return std::fabs(x); }},
    std::pair<std::string_view, Plain>{"Ceil", [](float x) { return std::ceil(x); }},
    std::pair<std::string_view, Plain>{"Cos", [](float x) { return std::cos(x); }},
    std::pair<std::string_view, Plain>{"Erf", [](float x) { return std::erf(x); }},
    std::pair<std::string_view, Plain>{"Exp", [](float x) { return std::exp(x); }},
    std::pair<std::string_view, Plain>{"Floor", [](float x) { return std::floor(x); }},
    std::pair<std::string_view, Plain>{"HardSwish", [](float x) { return x * std::clamp(x / 6.0F + 0.5F, 0.0F, 1.0F); }},
    std::pair<std::string_view, Plain>{"Log", [](float x) { return std::log(x); }},
    std::pair<std::string_view, Plain>{"Mish", [](float x) { return x * std::tanh(softplus(x)); }},
    std::pair<std::string_view, Plain>{"Neg", [](float x) { return -x; }},
    std::pair<std::string_view, Plain>{"Reciprocal", [](float x) { return 1.0F / x; }},
    std::pair<std::string_view, Plain>{"Round", [](float x) { return std::nearbyint(x); }},
    std::pair<std::string_view, Plain>{"Sigmoid", sigmoid},
    std::pair<std::string_view, Plain>{"Sign", sign},
    std::pair<std::string_view, Plain>{"Sin", [](float x) { return std::sin(x); }},
    std::pair<std::string_view, Plain>{"Softplus", softplus},
    std::pair<std::string_view, Plain>{"Softsign", [](float x) { return x / (1.0F + std::fabs(x)); }},
    std::pair<std::string_view, Plain>{"Sqrt", [](float x) { return std::sqrt(x); }},
    std::pair<std::string_view, Plain>{"Tanh", [](float x) { return std::tanh(x); }},
};

UnaryFunction gelu_function(const Node& node) {
  const std::string approximate = string_of(node, "approximate", "none");
  if (approximate == "none") return [](float x) { return 0.5F * x * (1.0F + std::erf(x / std::numbers::sqrt2_v<float>)); };
  if (approximate != "tanh") refuse("attribute approximate is '{}', allowed are none and tanh", approximate);
  const float inner = 2.0F * std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
  return [=](float x) { return 0.5F * x * (1.0F + std::tanh(inner * (x + 0.044715F * x * x * x))); };
}

float total(const std::vector<float>& numbers) {
  return std::accumulate(numbers.begin() + 1, numbers.end(), numbers.front());
}

}  // namespace

float power(float base, float exponent) {
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * base * base;
  return std::pow(base, exponent);
}

UnaryFunction unary_function(const Node& node) {
  const std::string& kind = node.kind;
  const auto* plain = std::find_if(kPlain.begin(), kPlain.end(), [&](const auto& row) { return row.first == kind; });
  if (plain != kPlain.end()) return plain->second;
  const auto number = [&](const char* name, float otherwise) { return float_of(node, name, otherwise); };
  if (kind == "Gelu") return gelu_function(node);
  if (kind == "LeakyRelu") {
    return [alpha = number("alpha", 0.01F)](float x) { return x >= 0 ? x : alpha * x; };
  }
  if (kind == "Elu") {
    return [alpha = number("alpha", 1)](float x) { return x >= 0 ? x : alpha * (std::exp(x) - 1.0F); };
  }
  if (kind == "Celu") {
    return [alpha = number("alpha", 1)](float x) {
      return std::max(0.0F, x) + std::min(0.0F, alpha * (std::exp(x / alpha) - 1.0F));
    };
  }
  if (kind == "Selu") {
    return [alpha = number("alpha", 1.67326319217681884765625F), gamma = number("gamma", 1.05070102214813232421875F)](
               float x) { return x > 0 ? gamma * x : gamma * (alpha * std::exp(x) - alpha); };
  }
  if (kind == "ThresholdedRelu") {
    return [alpha = number("alpha", 1)](float x) { return x > alpha ? x : 0.0F; };
  }
  if (kind == "HardSigmoid") {
    return [alpha = number("alpha", 0.2F), beta = number("beta", 0.5F)](float x) {
      return std::clamp(alpha * x + beta, 0.0F, 1.0F);
    };
  }
  return {};
}

NumbersFunction numbers_function(const std::string& kind) {
  using Numbers = const std::vector<float>&;
  if (kind == "Add") return [](Numbers numbers) { return numbers[0] + numbers[1]; };
  if (kind == "Sub") return [](Numbers numbers) { return numbers[0] - numbers[1]; };
  if (kind == "Mul") return [](Numbers numbers) { return numbers[0] * numbers[1]; };
  if (kind == "Div") return [](Numbers numbers) { return numbers[0] / numbers[1]; };
  if (kind == "Pow") return [](Numbers numbers) { return power(numbers[0], numbers[1]); };
  if (kind == "Max") return [](Numbers numbers) { return *std::max_element(numbers.begin(), numbers.end()); };
  if (kind == "Min") return [](Numbers numbers) { return *std::min_element(numbers.begin(), numbers.end()); };
  if (kind == "Sum") return total;
  if (kind == "Mean") return [](Numbers numbers) { return total(numbers) / static_cast<float>(numbers.size()); };
  return {};
}

bool takes_numbers(const std::string& kind, size_t count) {
  const bool is_list = kind == "Max" || kind == "Min" || kind == "Sum" || kind == "Mean";
  return numbers_function(kind) != nullptr && (is_list ? count >= 1 : count == 2);
}

}  // namespace vernier::import::quantized
