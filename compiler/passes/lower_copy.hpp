// SPDX-License-Identifier: Apache-2.0
// RESHAPE, IDENTITY and SLICE: a view where nothing has to move, else a copy by the DMA.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// Copies what can be read at `source`, in the shape of `result`, to that tensor, which is made for it, dense.
void add_copy(Lowering& lowering, const TensorPlace& source, ir::TensorId result, const std::vector<ir::OpId>& ops);

/// `takes_views`: every reader of the result takes any strides.
void lower_copy(Lowering& lowering, ir::OpId id, bool takes_views);

/// A TRANSPOSE that its readers do themselves, by other strides.
void view_transposed(Lowering& lowering, ir::OpId id);
/// A PAD that its readers do themselves, as padding of their windows.
void leave_padding(Lowering& lowering, ir::OpId id);

}  // namespace vernier::passes
