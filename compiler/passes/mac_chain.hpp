// SPDX-License-Identifier: Apache-2.0
// An operator of the MAC array and what the array's epilogue does for it on the way out: CONV2D, CONV3D, DEPTHWISE_CONV2D,
// TRANSPOSE_CONV2D, MATMUL or a bilinear RESIZE, then RESCALE, any number of CLAMPs (they merge), a TABLE. RESHAPE and
// IDENTITY pass through where they only rename what is written.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

struct MacChain {
  std::vector<ir::OpId> ops;  // the convolution first
  ir::OpId rescale = -1;
  ir::TensorId result = -1;              // what the last operator computes
  bool is_reshaped = false;              // result has another shape than the convolution's
  int64_t clamp_min = 0, clamp_max = 0;  // in the result of RESCALE
  ir::TensorId table = -1;
};

/// Operators of `consumers` are those that run, by TensorId.
MacChain match_mac_chain(const Lowering& lowering, ir::OpId convolution,
                         const std::vector<std::vector<ir::OpId>>& consumers);

/// Whether the images of a CONV2D are single pixels that it multiplies by one matrix: they are rows of one image then.
bool merges_images(const Lowering& lowering, const ir::Operator& op);

/// A box of a tensor of shape `from`, in the shape `to`, which differs in dimensions of one element only.
Production renamed(const Production& production, const base::Shape& from, const base::Shape& to);

/// The dimension of `shape` that holds the rows of a [1, rows, columns, channels] result when it is written as `shape`,
/// whose last dimension must be the channels: -1 when the rows are not a dimension by themselves.
int32_t row_dim_of(const base::Shape& shape, int64_t rows, int64_t columns);

}  // namespace vernier::passes
