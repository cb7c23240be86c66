// SPDX-License-Identifier: Apache-2.0
// An encoding as a quantizer of a network's value.
#pragma once

#include "compiler/import/aimet/encodings.hpp"
#include "compiler/import/aimet/findings.hpp"
#include "compiler/import/aimet/network_facts.hpp"
#include "compiler/import/quantized/value.hpp"

#include <optional>
#include <string>

namespace vernier::import::aimet {

/// The quantizer that the encoding puts on that value; nothing after a finding. Codes are AIMET's, q, where an activation
/// has 8 or 16 bits; else those whose zero point is 0, where the grid has them: a parameter's q - 2^(bits-1) (strict: one
/// more), and q + offset of activations of 9 to 15 bits. Ties go up, on the grid that begins at q = 0.
std::optional<quantized::Quantizer> quantizer_of(const Encoding& encoding, const std::string& value,
                                                 const NetworkFacts& facts, const Place& place);

}  // namespace vernier::import::aimet
