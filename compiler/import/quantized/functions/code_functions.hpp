// SPDX-License-Identifier: Apache-2.0
// Any float operators between codes of one tensor of 8 bits and a quantizer are one table of 256 entries: also where the
// code is read twice (x * Sigmoid(x)), and where quantizers stand between (a TABLE of a TABLE).
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <string>

namespace vernier::import::quantized {

/// Whether an operator of several numbers is lowered as a function of one code where it can be.
bool is_code_function(const std::string& kind);

/// Defines an operator of several numbers whose operands are functions of the same code, element by element, and constants
/// of one number: evaluated in float32 for each code, in the file's order; the next quantizer makes a table of it. The code
/// is that of the nearest tensor of which all operands are functions; tables in between go where nothing else reads them.
/// False where the operands are no such functions, or where a cheaper lowering does what a table would.
bool lower_code_function(Lowering& lowering, const Node& node);

/// Refuses an operator that is supported as such a function only.
void refuse_code_function(Lowering& lowering, const Node& node);

/// Two TABLEs or CLAMPs of 8-bit codes of which nothing else reads the first one's result become one.
void merge_tables(GraphBuilder& builder);

}  // namespace vernier::import::quantized
