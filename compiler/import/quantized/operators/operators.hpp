// SPDX-License-Identifier: Apache-2.0
// The operators that are lowered: one function each, by ONNX's name.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// Defines the outputs of the node. NodeMistake for what the node may not be.
using LowerOperator = void (*)(Lowering&, const Node&);

/// Null for what is not supported.
LowerOperator find_operator(const std::string& kind);
/// Whether it makes codes of numbers, or numbers of codes.
bool is_quantizer(const std::string& kind);
/// Whether it makes integers of numbers without a quantizer: indices and truth values. What it reads is not the host's.
bool gives_integers(const std::string& kind);
/// Names of those that are supported, for messages.
std::string supported_operators();

// By file: lower_quantizer.cpp
void lower_quantize(Lowering& lowering, const Node& node);
void lower_dequantize(Lowering& lowering, const Node& node);
// lower_quant.cpp
void lower_quant(Lowering& lowering, const Node& node);  // Quant, BipolarQuant
// lower_encoding.cpp
void lower_encoding(Lowering& lowering, const Node& node);  // what an encodings file says of a value
// lower_multi_threshold.cpp
void lower_multi_threshold(Lowering& lowering, const Node& node);
// lower_quant_pool.cpp
void lower_quant_average_pool(Lowering& lowering, const Node& node);
// lower_trunc.cpp
void lower_trunc(Lowering& lowering, const Node& node);
// lower_clip.cpp
void lower_clip_of_codes(Lowering& lowering, const Node& node);
// lower_conv.cpp
void lower_conv(Lowering& lowering, const Node& node);
// lower_conv3d.cpp
void lower_conv3d(Lowering& lowering, const Node& node);
// lower_gemm.cpp
void lower_gemm(Lowering& lowering, const Node& node);
void lower_matmul(Lowering& lowering, const Node& node);
// lower_matmul.cpp
void lower_matmul_of_two(Lowering& lowering, const Node& node);  // with no constant matrix on the right
// lower_conv_transpose.cpp
void lower_conv_transpose(Lowering& lowering, const Node& node);
// lower_batch_norm.cpp
void lower_batch_norm(Lowering& lowering, const Node& node);
// lower_softmax.cpp
void lower_softmax(Lowering& lowering, const Node& node);
void lower_log_softmax(Lowering& lowering, const Node& node);
// lower_layer_norm.cpp
void lower_layer_norm(Lowering& lowering, const Node& node);
// lower_norms.cpp
void lower_instance_norm(Lowering& lowering, const Node& node);
void lower_group_norm(Lowering& lowering, const Node& node);
void lower_lp_norm(Lowering& lowering, const Node& node);
// lower_prelu.cpp
void lower_prelu(Lowering& lowering, const Node& node);
void lower_leaky_sums(Lowering& lowering, const Node& node, float slope);  // LeakyRelu of sums
// lower_resize.cpp
void lower_resize(Lowering& lowering, const Node& node);
/// NodeMistake where attributes of Resize are not allowed; `positions` is the coordinate_transformation_mode.
void check_resize(const Node& node, const std::string& positions);
// lower_gather.cpp
inline constexpr int64_t kMostIndices = int64_t{1} << 22;  // that a file may make us allocate
void lower_gather(Lowering& lowering, const Node& node);
/// The constant indices of a Gather on a dimension of that size, from 0 on.
std::vector<int64_t> indices_of(const Lowering& lowering, const Node& node, int64_t size);
/// The value at these indices of a dimension, at least one, each from 0 to its size: a SLICE where they are in a row.
Value picked(Lowering& lowering, const Node& node, const Value& from, size_t axis, const std::vector<int64_t>& indices);
// lower_depth.cpp
void lower_depth_to_space(Lowering& lowering, const Node& node);
void lower_space_to_depth(Lowering& lowering, const Node& node);
/// The block of such a node, which goes along with the shape and the node's mode.
int64_t block_of(const Node& node, const base::Shape& shape);
// lower_pool.cpp
void lower_max_pool(Lowering& lowering, const Node& node);
void lower_average_pool(Lowering& lowering, const Node& node);
// lower_reduce_mean.cpp
void lower_global_average_pool(Lowering& lowering, const Node& node);
void lower_global_max_pool(Lowering& lowering, const Node& node);
void lower_reduce_mean(Lowering& lowering, const Node& node);     // ReduceMean, ReduceSum
void lower_reduce_extreme(Lowering& lowering, const Node& node);  // ReduceMax, ReduceMin
/// The axes that such a node reduces, in rising order: all where it names none, none where it then changes nothing.
std::vector<int64_t> reduced_axes(const Lowering& lowering, const Node& node, size_t rank);
// lower_reduce_prod.cpp
void lower_reduce_prod(Lowering& lowering, const Node& node);
// lower_extremes.cpp
/// Max or Min of a value and one constant number as the Clip that it is; none of others.
std::optional<Node> as_clip(const Lowering& lowering, const Node& node);
void lower_extreme(Lowering& lowering, const Node& node);  // Max, Min
// lower_argmax.cpp
void lower_argmax(Lowering& lowering, const Node& node);  // ArgMax, ArgMin
// lower_pow.cpp
void lower_pow(Lowering& lowering, const Node& node);
/// A function of one operand of codes as what the next quantizer makes a table of. `has_jumps`: it may jump, or rises
/// steeply.
void define_function(Lowering& lowering, const Node& node, size_t operand, const std::function<float(float)>& function,
                     bool has_jumps);
// lower_quotient.cpp
void lower_quotient(Lowering& lowering, const Node& node);  // Div by a computed value
// lower_cast.cpp
void lower_cast(Lowering& lowering, const Node& node);
// lower_logic.cpp
void lower_compare(Lowering& lowering, const Node& node);
void lower_logic(Lowering& lowering, const Node& node);
void lower_where(Lowering& lowering, const Node& node);
// lower_repeat.cpp
void lower_expand(Lowering& lowering, const Node& node);
void lower_tile(Lowering& lowering, const Node& node);
// lower_elementwise.cpp
void lower_add(Lowering& lowering, const Node& node);
void lower_sub(Lowering& lowering, const Node& node);
void lower_mul(Lowering& lowering, const Node& node);
// lower_bias.cpp
/// Whether a sum is one of products and a constant for each channel; then it is lowered.
bool lower_bias(Lowering& lowering, const Node& node);
/// Whether such a constant is a whole number of steps, so that nothing is rounded.
bool exact_bias(Lowering& lowering, const Node& node);
// lower_scale.cpp
/// Whether a product is one of codes and a constant that no quantizer has met; then it is lowered.
bool lower_scale(Lowering& lowering, const Node& node);
void lower_div(Lowering& lowering, const Node& node);
// lower_unary.cpp
void lower_unary(Lowering& lowering, const Node& node);
// lower_movement.cpp
void lower_concat(Lowering& lowering, const Node& node);
void lower_transpose(Lowering& lowering, const Node& node);
void lower_reshape(Lowering& lowering, const Node& node);  // Reshape, Flatten, Squeeze, Unsqueeze
void lower_identity(Lowering& lowering, const Node& node);
/// The shape that one of these gives, and the order of dimensions of a Transpose.
base::Shape new_shape(const Lowering& lowering, const Node& node, const base::Shape& from);
std::vector<int64_t> permutation_of(const Node& node, size_t rank);
// lower_pad.cpp
void lower_pad(Lowering& lowering, const Node& node);
/// Numbers of the pads: before and after each dimension. Those below 0 take numbers of the value away.
struct Pads {
  std::vector<int64_t> before, after;
};
Pads pads_of(const Lowering& lowering, const Node& node, size_t rank);
/// Which number of `size` stands at a position outside of them, in the modes edge, wrap and reflect.
int64_t padded_from(int64_t at, int64_t size, const std::string& mode);
// lower_slice.cpp
void lower_slice(Lowering& lowering, const Node& node);
void lower_split(Lowering& lowering, const Node& node);
/// What Slice takes of an axis: `count` numbers, at least one, each `step` after the one before it.
struct Cut {
  size_t axis = 0;
  int64_t begin = 0, count = 0, step = 1;
};
std::vector<Cut> cuts_of(const Lowering& lowering, const Node& node, const base::Shape& shape);
/// Sizes of the parts into which Split takes an axis, one for each output.
std::vector<int64_t> split_sizes(const Lowering& lowering, const Node& node, const base::Shape& shape, size_t axis);

}  // namespace vernier::import::quantized
