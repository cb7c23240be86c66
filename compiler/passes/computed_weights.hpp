// SPDX-License-Identifier: Apache-2.0
// Weights and biases that are computed while the network runs. The array reads weights where they lie
// (WeightOrder::LaneMajor or TapMajor); a bias is copied into parameter records whose other fields are constant.
#pragma once

#include "compiler/passes/lowering.hpp"
#include "compiler/passes/pack_weights.hpp"
#include "compiler/passes/strided_copy.hpp"

namespace vernier::passes {

/// A tensor seen as lines of contiguous elements at one distance: the dimensions before `num_line_dims` number the lines.
/// Where it does not lie so, the DMA makes a copy that does.
struct Lines {
  BufferId buffer = -1;
  int64_t offset_bytes = 0, pitch_bytes = 0;
};
Lines as_lines(Lowering& lowering, ir::TensorId id, size_t num_line_dims, const std::vector<ir::OpId>& ops);
/// The same for elements anywhere.
Lines as_lines(Lowering& lowering, ir::TensorId name, const CopySource& source, const base::Shape& shape,
               size_t num_line_dims, const std::vector<ir::OpId>& ops);

/// Makes the command read its weights from `lines`: a line an output channel (LaneMajor), or a reduction index (TapMajor).
void use_lines(const Lines& lines, spec::WeightOrder order, spec::MacCommand& command);

/// A buffer with the records of `channels`, into which `bias` is copied (one element: for all).
BufferId add_computed_parameters(Lowering& lowering, const std::vector<ChannelParameters>& channels, bool scale32,
                                 ir::TensorId bias, const std::vector<ir::OpId>& ops);

}  // namespace vernier::passes
