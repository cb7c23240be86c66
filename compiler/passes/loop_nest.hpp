// SPDX-License-Identifier: Apache-2.0
// The loops of a vector command or a copy over placed tensors: dimensions of the iteration space, with the byte stride of
// every stream along each; neighbours that all streams step through alike become one.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// A tensor as the iteration space sees it: shapes are aligned at the last dimension, dimensions of one element broadcast.
struct PlacedOperand {
  package::Placement placement;
  base::Shape shape;
  base::ElementType type = base::ElementType::Int8;
  std::vector<int64_t> strides{};  // bytes along each dimension, instead of what `placement` says; empty: as it says
};

struct LoopDim {
  int64_t extent = 1;
  bool is_reduced = false;
  int32_t tensor_dim = -1;       // of the iteration space, where it is that dimension and nothing else
  std::vector<int64_t> strides;  // bytes, by stream
};

struct LoopNest {
  std::vector<LoopDim> loops;  // kept ones, then reduced ones, outermost first
  LoopDim lane;                // the innermost dimension
  int64_t num_kept = 0;
  /// The dimension of the iteration space that the first loop counts, -1 when the run cannot be cut there.
  [[nodiscard]] int32_t row_dim() const { return num_kept > 0 ? loops[0].tensor_dim : -1; }
};

/// Whether a run of that many elements leaves its outermost dimension a loop, so that it can be cut into stripes.
bool keeps_rows(const Lowering& lowering, int64_t elements);

/// `reduced_axis`: -1 for none. `keep_rows`: the outermost dimension stays a loop, so that it can be cut into stripes,
/// unless that would leave many of the `lanes` idle. `rows_in_lanes`: where the innermost dimension is reduced, the lanes
/// are the kept dimension next to it instead, if there is one.
LoopNest make_loop_nest(const base::Shape& space, int64_t reduced_axis, const std::vector<PlacedOperand>& streams,
                        int64_t lanes, bool keep_rows, bool rows_in_lanes = false);

}  // namespace vernier::passes
