// SPDX-License-Identifier: Apache-2.0
// A maker for each operator: appends it, with its first operand given, to a graph that grows. Everything is valid TOSA (no
// ERROR_IF, no LEVEL_CHECK); a REQUIRE may be violated, values are defined all the same.
#pragma once

#include "tests/fuzz/graph_maker.hpp"

#include <span>
#include <vector>

namespace vernier::tests::fuzz {

inline constexpr ir::TensorId kDoesNotSuit = -1;

/// The result, or kDoesNotSuit when nothing sensible can be made of that first operand.
using Make = ir::TensorId (*)(GraphMaker&, const OpMode&, ir::TensorId first);
struct Maker {
  ir::OpKind kind;
  int64_t weight;  // how often, against the others
  Make make;
};

/// Every operator that the verifier knows stands in one of these.
std::span<const Maker> convolution_makers();  // and MATMUL
std::span<const Maker> elementwise_makers();  // and RESCALE, TABLE, CAST
std::span<const Maker> movement_makers();     // and GATHER, SCATTER
std::span<const Maker> window_makers();       // pools, RESIZE, reductions, ARGMAX

/// Every line of types of every operator, in the order of the makers, but convolutions with weights of int4: these come from
/// those of int8 (int4_weights.hpp), so that recorded graphs stay what they are.
const std::vector<OpMode>& all_modes();
const std::vector<OpMode>& int4_modes();
/// The line of that operator with those types; InternalError when there is none.
const OpMode& find_mode(ir::OpKind kind, ElementType first, ElementType result);
/// InternalError for an operator that has no maker.
const Maker& maker_of(ir::OpKind kind);

ir::TensorId make_rescale(GraphMaker& m, const OpMode& mode, ir::TensorId x);
/// CONV2D to so many channels or fewer, or DEPTHWISE_CONV2D, of 1x1 or padded 3x3: a map as large as that of `x`.
ir::TensorId make_same_conv(GraphMaker& m, ir::OpKind kind, ir::TensorId x, int64_t channels);

/// How a window slides along one axis.
struct WindowAxis {
  int64_t pad_before = 0, pad_after = 0, stride = 1, dilation = 1, out = 0;
};
/// The most that TOSA's level 8K allows of kernels, strides and pads.
inline constexpr int64_t kMostExtent = ir::kLevel8k.max_kernel;
/// A window that divides, as TOSA demands; pads to `most_pad`, beyond it behind the axis where is_pool is not set.
WindowAxis fit_window(Random& random, int64_t in, int64_t& kernel, int64_t most_pad, bool is_pool);

}  // namespace vernier::tests::fuzz
