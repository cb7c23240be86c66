// SPDX-License-Identifier: Apache-2.0
// Operators that the host runs in float32: between an input and its first quantizer, and after the last quantizer.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <string>

namespace vernier::import::quantized {

/// Whether the host can run the operator, and the names of those that it can.
bool is_host_operator(const std::string& kind);
std::string host_operators();

/// Lowers the node to a step of the host where it stands at an end of the network; false where it is the machine's. Movement
/// of codes, and the sum of accumulators and a bias that is a whole number of their steps, are the machine's also after the
/// last quantizer. NodeMistake for an operator that is not the host's and reads what the host computes.
bool lower_on_host(Lowering& lowering, const Node& node);

/// Whether the network itself quantizes that input, at once or after operators of the host.
bool meets_quantizer(const Network& network, const std::string& input);

}  // namespace vernier::import::quantized
