// SPDX-License-Identifier: Apache-2.0
// Float operators before the first quantizer and after the last one: the host computes them, as programs of the boundary.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <string>

namespace vernier::import::quantized {

/// Defines the outputs of a node that belongs to an end: what it reads is an input that no quantizer has met, or what the
/// host computes after the last quantizer, or integers from which no quantizer is reached. False for other nodes, and for
/// those of an end that the machine computes as exactly: movement of codes, sums of quantized weights, a bias that is a
/// whole number of steps. NodeMistake for what may stand at no end.
bool lower_on_host(Lowering& lowering, const Node& node);
/// The same for a node that the machine does not take, where no quantizer is reached from it.
bool lower_refused_on_host(Lowering& lowering, const Node& node);

bool is_host_operator(const std::string& kind);
/// The host's value of an output of the network that is no codes; NodeMistake where the host cannot compute it.
size_t host_value_of_output(Lowering& lowering, const std::string& name);
/// Whether the file itself quantizes that input: at once, or after operators that have always been the host's before a
/// quantizer. Then annotations and options say nothing.
bool meets_quantizer(const Network& network, const std::string& input);

}  // namespace vernier::import::quantized
