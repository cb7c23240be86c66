// SPDX-License-Identifier: Apache-2.0
// Operators that compute on codes (QLinearConv, MatMulInteger, ...) as the float operators that they stand for.
#pragma once

#include "compiler/import/quantized/network.hpp"

#include <string>
#include <vector>

namespace vernier::import::quantized {

/// Replaces each of them by DequantizeLinear, the float operator and QuantizeLinear, in place: after that there is one form.
/// ONNX's own and those of Microsoft's domain. A line for each that cannot be, in the form "node 'n' (QLinearConv): ...".
std::vector<std::string> expand_qoperators(Network& network);

/// Whether the operator is one of those.
bool is_qoperator(const std::string& kind);
/// Their names, for messages.
std::string supported_qoperators();

}  // namespace vernier::import::quantized
