// SPDX-License-Identifier: Apache-2.0
// A float network and an encodings file become a quantized network.
#pragma once

#include "compiler/import/aimet/encodings.hpp"
#include "compiler/import/aimet/findings.hpp"
#include "compiler/import/quantized/network.hpp"

namespace vernier::import::aimet {

/// Puts a quantizer, a node of kind "Encoding", on each value that the encodings name. What they leave out is derived where
/// it follows from the rest, each with a note:
/// - a bias: int32, with the scale of the sums that it is added to;
/// - the output of a layer or an Add before its only reader Relu or Clip: no quantizer between the two;
/// - the output of an operator that moves data: the codes of its input.
/// Any other value that an operator computes with is an error, all at once, as are names that the network does not have,
/// numbers of channels that it has not, and encodings that no integer machine takes. The network is only changed where there
/// is none of these. Its nodes stand after those that they read.
void apply_encodings(const Encodings& encodings, quantized::Network& network, Findings& findings);

}  // namespace vernier::import::aimet
