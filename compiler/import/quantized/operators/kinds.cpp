// SPDX-License-Identifier: Apache-2.0
// Which operators make codes or integers of numbers.
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::import::quantized {

bool is_quantizer(const std::string& kind) {
  constexpr std::array<std::string_view, 7> kQuantizers{"BipolarQuant", "DequantizeLinear", "Encoding", "MultiThreshold",
                                                        "Quant",        "QuantizeLinear",   "Trunc"};
  return std::find(kQuantizers.begin(), kQuantizers.end(), kind) != kQuantizers.end();
}

bool gives_integers(const std::string& kind) {
  constexpr std::array<std::string_view, 7> kKinds{"ArgMax",         "ArgMin", "Equal",      "Greater",
                                                   "GreaterOrEqual", "Less",   "LessOrEqual"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

}  // namespace vernier::import::quantized
