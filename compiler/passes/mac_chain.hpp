// SPDX-License-Identifier: Apache-2.0
// An operator of the MAC array and what the array's epilogue does for it on the way out: CONV2D, CONV3D, DEPTHWISE_CONV2D,
// TRANSPOSE_CONV2D, MATMUL or a bilinear RESIZE, then RESCALE (with what makes it round half to even, down or up), any
// number of CLAMPs (they merge), a TABLE, a residual (CONV2D and DEPTHWISE_CONV2D). RESHAPE and IDENTITY pass through where
// they only rename what is written, and a TRANSPOSE behind a MATMUL where it only changes where rows are written.
#pragma once

#include "compiler/passes/residual.hpp"
#include "compiler/passes/rounding_forms.hpp"

namespace vernier::passes {

struct MacChain {
  std::vector<ir::OpId> ops;  // the convolution first
  ir::OpId rescale = -1;
  bool rounds_to_even = false;        // by the operators before RESCALE (rounding_forms.hpp): one of HalfEven does as much
  std::optional<ShiftedDown> down{};  // these operators: other biases and shifts do as much
  ir::TensorId result = -1;           // what the last operator computes
  bool is_reshaped = false;           // result has another shape than the convolution's
  int64_t clamp_min = 0, clamp_max = 0;  // in the result of RESCALE
  ir::TensorId table = -1;
  std::optional<Residual> residual{};
  int64_t sum_clamp_min = 0, sum_clamp_max = 0;  // with a residual
  ir::OpId transpose = -1;                       // of a MATMUL; its result is the chain's
};

/// The other side of a residual is computed by an operator before `before`, and the reduction has at least
/// `least_residual_steps` steps: four hide the three rescales of a residual, fewer slow the array.
MacChain match_mac_chain(const Lowering& lowering, const Recompute& recompute, ir::OpId convolution, ir::OpId before,
                         int64_t least_residual_steps);
inline constexpr int64_t kHiddenResidualSteps = 4;

/// Steps of N elements that the reduction of a convolution takes; 0 for other operators.
int64_t reduction_steps(const Lowering& lowering, const ir::Operator& op);

/// Whether the images of a CONV2D are single pixels that it multiplies by one matrix: they are rows of one image then.
bool merges_images(const Lowering& lowering, const ir::Operator& op);

/// A box of a tensor of shape `from`, in the shape `to`, which differs in dimensions of one element only.
Production renamed(const Production& production, const base::Shape& from, const base::Shape& to);

/// The dimension of `shape` that holds the rows of a [1, rows, columns, channels] result when it is written as `shape`,
/// whose last dimension must be the channels: -1 when the rows are not a dimension by themselves.
int32_t row_dim_of(const base::Shape& shape, int64_t rows, int64_t columns);

}  // namespace vernier::passes
