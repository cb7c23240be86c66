// SPDX-License-Identifier: Apache-2.0
// Which operators are read, and the function that lowers each.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

namespace vernier::import::lite {

using Lowering = void (*)(LiteLowering&, const LiteOperator&);

/// nullptr for an operator that is not read.
Lowering find_lowering(tflite::BuiltinOperator code);
/// Others have one output, or none where what they do is in variables.
bool has_several_outputs(tflite::BuiltinOperator code);

}  // namespace vernier::import::lite
