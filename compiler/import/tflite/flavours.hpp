// SPDX-License-Identifier: Apache-2.0
// Which operator rounds how in which flavour of TensorFlow Lite: flavours.cpp has the table.
#pragma once

#include "compiler/import/tflite/lite_network.hpp"
#include "compiler/import/tflite_rounding.hpp"

namespace vernier::import::lite {

enum class Rule {
  Reference,  // as the reference kernels of ai-edge-litert 2.3.0: rounding.hpp
  Integer,    // products with a multiplier of 31 bits round twice; of int16 sums with 16 bits, and once
  Float32,    // products with a ratio in float32, whose halves go to the even code; no weights of INT4
  Fixed8,     // a code times a ratio with 8 bits after the point, rounded half up
  Refused,    // other results, which are not built
};

/// The rule for an operator and its type: that of its first tensor of codes that is no constant.
Rule rule_of(const LiteNetwork& network, const LiteOperator& op, TfliteRounding flavour);
/// Whether another flavour may give the operator other values.
bool depends_on_flavour(const LiteNetwork& network, const LiteOperator& op);

}  // namespace vernier::import::lite
