// SPDX-License-Identifier: Apache-2.0
// Functions of one number in float32, by ONNX's names and with its defaults of attributes.
#pragma once

#include "compiler/import/quantized/network.hpp"

#include <functional>
#include <string>

namespace vernier::import::quantized {

/// The function of an operator; empty where the operator is none of Celu, Ceil, Cos, Floor, Log, Mish, Reciprocal, Round,
/// Selu, Sign, Sin, Softsign, Sqrt, ThresholdedRelu. NodeMistake for an attribute of another type. What has no result is the
/// number that is none; Log of 0 is minus infinity.
std::function<float(float)> float_function(const Node& node);

}  // namespace vernier::import::quantized
