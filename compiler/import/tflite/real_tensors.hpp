// SPDX-License-Identifier: Apache-2.0
// Which real numbers the tensors of the graph stand for.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/tflite/lite_lowering.hpp"

#include <vector>

namespace vernier::import::lite {

/// The tensors of the file that are codes with one scale, no constants, and that the lowering made tensors of `graph`.
std::vector<RealTensor> real_tensors(const LiteNetwork& network, const LiteLowering& lowering, const ir::Graph& graph);

}  // namespace vernier::import::lite
