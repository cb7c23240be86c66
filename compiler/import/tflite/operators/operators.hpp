// SPDX-License-Identifier: Apache-2.0
// The operators that are read. A function lowers one operator of the file; the kinds that share it differ in op.code.
// LiteMistake says what is wrong with it.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

namespace vernier::import::lite {

// add.cpp: sums and differences of codes with other scales, and of int32
void lower_add(LiteLowering& lowering, const LiteOperator& op);
void lower_sub(LiteLowering& lowering, const LiteOperator& op);
void lower_mul(LiteLowering& lowering, const LiteOperator& op);
void lower_squared_difference(LiteLowering& lowering, const LiteOperator& op);
// batch_matmul.cpp
void lower_batch_matmul(LiteLowering& lowering, const LiteOperator& op);
// cumulative_sum.cpp
void lower_cumulative_sum(LiteLowering& lowering, const LiteOperator& op);
// compare.cpp
void lower_extreme(LiteLowering& lowering, const LiteOperator& op);     // MAXIMUM, MINIMUM
void lower_comparison(LiteLowering& lowering, const LiteOperator& op);  // EQUAL, LESS and so on
void lower_logical(LiteLowering& lowering, const LiteOperator& op);     // LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT
void lower_select(LiteLowering& lowering, const LiteOperator& op);
// control.cpp
void lower_if(LiteLowering& lowering, const LiteOperator& op);
void lower_while(LiteLowering& lowering, const LiteOperator& op);
// conv.cpp
void lower_conv(LiteLowering& lowering, const LiteOperator& op);
void lower_depthwise(LiteLowering& lowering, const LiteOperator& op);
void lower_fully_connected(LiteLowering& lowering, const LiteOperator& op);
// functions.cpp: of one code, by a TABLE
void lower_function(LiteLowering& lowering, const LiteOperator& op);
// div.cpp
void lower_div(LiteLowering& lowering, const LiteOperator& op);
// fold.hpp: SHAPE, which is done at once or not at all
void lower_known(LiteLowering& lowering, const LiteOperator& op);
// gather.cpp
void lower_gather(LiteLowering& lowering, const LiteOperator& op);
// gather_nd.cpp
void lower_gather_nd(LiteLowering& lowering, const LiteOperator& op);
void lower_scatter_nd(LiteLowering& lowering, const LiteOperator& op);
// l2_normalization.cpp
void lower_l2_normalization(LiteLowering& lowering, const LiteOperator& op);
// log_softmax.cpp
void lower_log_softmax(LiteLowering& lowering, const LiteOperator& op);
// movement.cpp, rearrange.cpp, strided_slice.cpp: codes that stay as they are
void lower_reshape(LiteLowering& lowering, const LiteOperator& op);  // SQUEEZE, EXPAND_DIMS
void lower_transpose(LiteLowering& lowering, const LiteOperator& op);
void lower_pad(LiteLowering& lowering, const LiteOperator& op);  // PADV2
void lower_concatenation(LiteLowering& lowering, const LiteOperator& op);
void lower_pack(LiteLowering& lowering, const LiteOperator& op);
void lower_split(LiteLowering& lowering, const LiteOperator& op);  // SPLIT, SPLIT_V, UNPACK
void lower_slice(LiteLowering& lowering, const LiteOperator& op);
void lower_strided_slice(LiteLowering& lowering, const LiteOperator& op);
void lower_blocks(LiteLowering& lowering, const LiteOperator& op);        // SPACE_TO_DEPTH and back
void lower_batch_blocks(LiteLowering& lowering, const LiteOperator& op);  // SPACE_TO_BATCH_ND and back
void lower_mirror_pad(LiteLowering& lowering, const LiteOperator& op);
void lower_repeat(LiteLowering& lowering, const LiteOperator& op);  // TILE, BROADCAST_TO
void lower_reverse(LiteLowering& lowering, const LiteOperator& op);
// negative.cpp
void lower_negative(LiteLowering& lowering, const LiteOperator& op);
// pool.cpp
void lower_average_pool(LiteLowering& lowering, const LiteOperator& op);
void lower_max_pool(LiteLowering& lowering, const LiteOperator& op);
// prelu.cpp
void lower_prelu(LiteLowering& lowering, const LiteOperator& op);
// quantize.cpp
void lower_quantize(LiteLowering& lowering, const LiteOperator& op);
void lower_dequantize(LiteLowering& lowering, const LiteOperator& op);  // at an output, where the host does it
void lower_cast(LiteLowering& lowering, const LiteOperator& op);
// reduce.cpp
void lower_mean(LiteLowering& lowering, const LiteOperator& op);             // SUM
void lower_reduced_extreme(LiteLowering& lowering, const LiteOperator& op);  // REDUCE_MAX, REDUCE_MIN
void lower_reduced_truth(LiteLowering& lowering, const LiteOperator& op);    // REDUCE_ANY, REDUCE_ALL
void lower_arg_extreme(LiteLowering& lowering, const LiteOperator& op);      // ARG_MAX, ARG_MIN
// reduced_product.cpp
void lower_reduced_product(LiteLowering& lowering, const LiteOperator& op);
// resize.cpp
void lower_resize_bilinear(LiteLowering& lowering, const LiteOperator& op);
void lower_resize_nearest(LiteLowering& lowering, const LiteOperator& op);
// softmax.cpp, softmax16.cpp
void lower_softmax(LiteLowering& lowering, const LiteOperator& op);
void lower_softmax16(LiteLowering& lowering, const LiteOperator& op);
// sequence_lstm.cpp
void lower_sequence_lstm(LiteLowering& lowering, const LiteOperator& op);
// svdf.cpp
void lower_svdf(LiteLowering& lowering, const LiteOperator& op);
// transpose_conv.cpp
void lower_transpose_conv(LiteLowering& lowering, const LiteOperator& op);
// variables.cpp
void lower_var_handle(LiteLowering& lowering, const LiteOperator& op);
void lower_read_variable(LiteLowering& lowering, const LiteOperator& op);
void lower_assign_variable(LiteLowering& lowering, const LiteOperator& op);
void lower_call_once(LiteLowering& lowering, const LiteOperator& op);

}  // namespace vernier::import::lite
