// SPDX-License-Identifier: Apache-2.0
// In the order of float32 steps of onnxruntime's CPU kernels, where that matters (version 1.31).
#include "compiler/import/quantized/operators/float_functions.hpp"

#include "compiler/import/quantized/nodes/attributes.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

float signum(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : 0.0F; }

/// x tanh(log(1 + exp(x))), where exp(x) may be infinite: then the result is x.
float mish(float x) { return x * std::tanh(x > 20 ? x : std::log1p(std::exp(x))); }

}  // namespace

std::function<float(float)> float_function(const Node& node) {
  const std::string& kind = node.kind;
  if (kind == "Ceil") return [](float x) { return std::ceil(x); };
  if (kind == "Cos") return [](float x) { return std::cos(x); };
  if (kind == "Floor") return [](float x) { return std::floor(x); };
  if (kind == "Log") return [](float x) { return std::log(x); };
  if (kind == "Mish") return mish;
  if (kind == "Reciprocal") return [](float x) { return 1.0F / x; };
  if (kind == "Round") return [](float x) { return std::nearbyint(x); };  // half to even
  if (kind == "Sign") return signum;
  if (kind == "Sin") return [](float x) { return std::sin(x); };
  if (kind == "Softsign") return [](float x) { return x / (1.0F + std::fabs(x)); };
  if (kind == "Sqrt") return [](float x) { return std::sqrt(x); };
  if (kind == "Celu") {
    const float alpha = float_of(node, "alpha", 1);
    return [=](float x) { return std::max(0.0F, x) + std::min(0.0F, alpha * (std::exp(x / alpha) - 1.0F)); };
  }
  if (kind == "Selu") {
    const float alpha = float_of(node, "alpha", 1.67326319217681884765625F);
    const float gamma = float_of(node, "gamma", 1.05070102214813232421875F);
    return [=](float x) { return x > 0 ? gamma * x : gamma * (alpha * std::exp(x) - alpha); };
  }
  if (kind == "ThresholdedRelu") {
    const float alpha = float_of(node, "alpha", 1);
    return [=](float x) { return x > alpha ? x : 0.0F; };
  }
  return {};
}

}  // namespace vernier::import::quantized
