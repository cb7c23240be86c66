// SPDX-License-Identifier: Apache-2.0
// Functions of codes of 16 bits, and functions whose results have 16 bits: TABLE of 513 entries.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <string>

namespace vernier::import::quantized {

/// Codes of the quantizer for the numbers `value.reals`. Of 8-bit codes exact. Of 16-bit codes every 128th one has an entry,
/// rounded to a code (of 8-bit results to 1/128 of one), and the others are interpolated: where that is off by more than one
/// step somewhere, a warning of the lowering says by how much.
Value with_table16(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name);

}  // namespace vernier::import::quantized
