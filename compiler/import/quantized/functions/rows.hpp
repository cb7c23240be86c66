// SPDX-License-Identifier: Apache-2.0
// A value as rows, each of the numbers that a function takes together (Softmax, LayerNormalization).
#pragma once

#include "compiler/import/quantized/functions/arithmetic.hpp"

#include <cstdint>
#include <vector>

namespace vernier::import::quantized {

struct Rows {
  ir::TensorId tensor = -1;    // [rows, numbers of a row], codes as they are
  std::vector<int64_t> order;  // of the dimensions: those of a row last
  base::Shape shape;           // the value's in that order
  int64_t count = 0, length = 0;
};

/// Dimensions from `first` to `last` of the source's shape make a row.
Rows rows_of(Lowering& lowering, const Node& node, const Value& value, int64_t first, int64_t last);

/// Sums of int32 in rows as a value: `steps` is what one of them stands for.
Value value_of_rows(Lowering& lowering, const Node& node, const Value& source, const Rows& rows, ir::TensorId tensor,
                    double steps, int64_t magnitude);

}  // namespace vernier::import::quantized
