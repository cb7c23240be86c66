// SPDX-License-Identifier: Apache-2.0
// The dimensions that an operator reduces.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

#include <vector>

namespace vernier::import::lite {

/// Those of its second input, each once, in order.
std::vector<int64_t> axes_of(const LiteLowering& lowering, const LiteOperator& op);

}  // namespace vernier::import::lite
