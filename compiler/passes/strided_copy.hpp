// SPDX-License-Identifier: Apache-2.0
// Boxes of a dense tensor, or of a buffer that is no tensor's, filled by the DMA: copied from anywhere in any order of
// dimensions, or set to a value. What the operators that only move elements are made of.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// Elements of a tensor: `extent` of them from `begin`, every step-th of each dimension (empty: all).
struct Box {
  base::Shape begin, extent, step;
};
Box whole_box(const base::Shape& shape);

/// Where the first element of a box comes from, and the distance to the next one along each dimension: 0 repeats, negative
/// goes backwards.
struct CopySource {
  BufferId buffer = -1;
  int64_t offset_bytes = 0;
  std::vector<int64_t> strides_bytes;
};
/// The elements of a placed tensor (not in planes), as they stand.
CopySource source_of(const TensorPlace& place, const base::Shape& shape, base::ElementType type);

/// Copies into a box of `result`, which is materialised and dense. Bytes that change their order go through the
/// corner-turner.
void add_box_copy(Lowering& lowering, const CopySource& source, ir::TensorId result, const Box& box,
                  const std::vector<ir::OpId>& ops);
void add_box_fill(Lowering& lowering, int64_t value, ir::TensorId result, const Box& box, const std::vector<ir::OpId>& ops);

/// The same for `extent` elements anywhere: what comes about is not counted as a part of a tensor.
void add_strided_copy(Lowering& lowering, const CopySource& source, const CopySource& target, const base::Shape& extent,
                      base::ElementType type, const std::vector<ir::OpId>& ops);
void add_strided_fill(Lowering& lowering, int64_t value, const CopySource& target, const base::Shape& extent,
                      base::ElementType type, const std::vector<ir::OpId>& ops);

/// A buffer for `extent` elements that belong to no tensor of the graph, row-major. `name`: whose data it holds.
CopySource add_scratch(Lowering& lowering, ir::TensorId name, const base::Shape& extent, base::ElementType type);

}  // namespace vernier::passes
