// SPDX-License-Identifier: Apache-2.0
// Rows of a dimension in another order, some of them several times.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

namespace vernier::import::lite {

/// The same tensor with row indices[i] of dimension `axis` at i. Indices are those of its rows.
Id picked_rows(LiteLowering& lowering, const LiteOperator& op, Id from, size_t axis, const std::vector<int64_t>& indices);

}  // namespace vernier::import::lite
