// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/table.hpp"

#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>
#include <array>

namespace vernier::import::lite {

namespace {

using tflite::BuiltinOperator;

struct Row {
  BuiltinOperator code;
  Lowering lower;
};
constexpr std::array kRows{
    Row{BuiltinOperator::ABS, lower_function},
    Row{BuiltinOperator::ADD, lower_add},
    Row{BuiltinOperator::ARG_MAX, lower_arg_extreme},
    Row{BuiltinOperator::ARG_MIN, lower_arg_extreme},
    Row{BuiltinOperator::ASSIGN_VARIABLE, lower_assign_variable},
    Row{BuiltinOperator::AVERAGE_POOL_2D, lower_average_pool},
    Row{BuiltinOperator::BATCH_MATMUL, lower_batch_matmul},
    Row{BuiltinOperator::BATCH_TO_SPACE_ND, lower_batch_blocks},
    Row{BuiltinOperator::BROADCAST_TO, lower_repeat},
    Row{BuiltinOperator::CALL_ONCE, lower_call_once},
    Row{BuiltinOperator::CAST, lower_cast},
    Row{BuiltinOperator::CONCATENATION, lower_concatenation},
    Row{BuiltinOperator::CONV_2D, lower_conv},
    Row{BuiltinOperator::CUMSUM, lower_cumulative_sum},
    Row{BuiltinOperator::DEPTHWISE_CONV_2D, lower_depthwise},
    Row{BuiltinOperator::DEPTH_TO_SPACE, lower_blocks},
    Row{BuiltinOperator::DEQUANTIZE, lower_dequantize},
    Row{BuiltinOperator::DIV, lower_div},
    Row{BuiltinOperator::ELU, lower_function},
    Row{BuiltinOperator::EQUAL, lower_comparison},
    Row{BuiltinOperator::EXP, lower_function},
    Row{BuiltinOperator::EXPAND_DIMS, lower_reshape},
    Row{BuiltinOperator::FULLY_CONNECTED, lower_fully_connected},
    Row{BuiltinOperator::GATHER, lower_gather},
    Row{BuiltinOperator::GATHER_ND, lower_gather_nd},
    Row{BuiltinOperator::GELU, lower_function},
    Row{BuiltinOperator::GREATER, lower_comparison},
    Row{BuiltinOperator::GREATER_EQUAL, lower_comparison},
    Row{BuiltinOperator::HARD_SWISH, lower_function},
    Row{BuiltinOperator::IF, lower_if},
    Row{BuiltinOperator::L2_NORMALIZATION, lower_l2_normalization},
    Row{BuiltinOperator::LEAKY_RELU, lower_function},
    Row{BuiltinOperator::LESS, lower_comparison},
    Row{BuiltinOperator::LESS_EQUAL, lower_comparison},
    Row{BuiltinOperator::LOG, lower_function},
    Row{BuiltinOperator::LOGICAL_AND, lower_logical},
    Row{BuiltinOperator::LOGICAL_NOT, lower_logical},
    Row{BuiltinOperator::LOGICAL_OR, lower_logical},
    Row{BuiltinOperator::LOGISTIC, lower_function},
    Row{BuiltinOperator::LOG_SOFTMAX, lower_log_softmax},
    Row{BuiltinOperator::MAXIMUM, lower_extreme},
    Row{BuiltinOperator::MAX_POOL_2D, lower_max_pool},
    Row{BuiltinOperator::MEAN, lower_mean},
    Row{BuiltinOperator::MINIMUM, lower_extreme},
    Row{BuiltinOperator::MIRROR_PAD, lower_mirror_pad},
    Row{BuiltinOperator::MUL, lower_mul},
    Row{BuiltinOperator::NEG, lower_negative},
    Row{BuiltinOperator::NOT_EQUAL, lower_comparison},
    Row{BuiltinOperator::PACK, lower_pack},
    Row{BuiltinOperator::PAD, lower_pad},
    Row{BuiltinOperator::PADV2, lower_pad},
    Row{BuiltinOperator::PRELU, lower_prelu},
    Row{BuiltinOperator::QUANTIZE, lower_quantize},
    Row{BuiltinOperator::READ_VARIABLE, lower_read_variable},
    Row{BuiltinOperator::REDUCE_ALL, lower_reduced_truth},
    Row{BuiltinOperator::REDUCE_ANY, lower_reduced_truth},
    Row{BuiltinOperator::REDUCE_MAX, lower_reduced_extreme},
    Row{BuiltinOperator::REDUCE_MIN, lower_reduced_extreme},
    Row{BuiltinOperator::REDUCE_PROD, lower_reduced_product},
    Row{BuiltinOperator::RELU, lower_function},
    Row{BuiltinOperator::RELU6, lower_function},
    Row{BuiltinOperator::RELU_0_TO_1, lower_function},
    Row{BuiltinOperator::RELU_N1_TO_1, lower_function},
    Row{BuiltinOperator::RESHAPE, lower_reshape},
    Row{BuiltinOperator::RESIZE_BILINEAR, lower_resize_bilinear},
    Row{BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, lower_resize_nearest},
    Row{BuiltinOperator::REVERSE_V2, lower_reverse},
    Row{BuiltinOperator::RSQRT, lower_function},
    Row{BuiltinOperator::SCATTER_ND, lower_scatter_nd},
    Row{BuiltinOperator::SELECT, lower_select},
    Row{BuiltinOperator::SELECT_V2, lower_select},
    Row{BuiltinOperator::SHAPE, lower_known},
    Row{BuiltinOperator::SLICE, lower_slice},
    Row{BuiltinOperator::SOFTMAX, lower_softmax},
    Row{BuiltinOperator::SPACE_TO_BATCH_ND, lower_batch_blocks},
    Row{BuiltinOperator::SPACE_TO_DEPTH, lower_blocks},
    Row{BuiltinOperator::SPLIT, lower_split},
    Row{BuiltinOperator::SPLIT_V, lower_split},
    Row{BuiltinOperator::SQRT, lower_function},
    Row{BuiltinOperator::SQUARED_DIFFERENCE, lower_squared_difference},
    Row{BuiltinOperator::SQUEEZE, lower_reshape},
    Row{BuiltinOperator::STRIDED_SLICE, lower_strided_slice},
    Row{BuiltinOperator::SUB, lower_sub},
    Row{BuiltinOperator::SUM, lower_mean},
    Row{BuiltinOperator::SVDF, lower_svdf},
    Row{BuiltinOperator::TANH, lower_function},
    Row{BuiltinOperator::TILE, lower_repeat},
    Row{BuiltinOperator::TRANSPOSE, lower_transpose},
    Row{BuiltinOperator::TRANSPOSE_CONV, lower_transpose_conv},
    Row{BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, lower_sequence_lstm},
    Row{BuiltinOperator::UNPACK, lower_split},
    Row{BuiltinOperator::VAR_HANDLE, lower_var_handle},
    Row{BuiltinOperator::WHILE, lower_while},
};

}  // namespace

Lowering find_lowering(BuiltinOperator code) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.code == code; });
  return row == kRows.end() ? nullptr : row->lower;
}

bool has_several_outputs(BuiltinOperator code) {
  constexpr std::array kCodes{BuiltinOperator::IF, BuiltinOperator::SPLIT, BuiltinOperator::SPLIT_V, BuiltinOperator::UNPACK,
                              BuiltinOperator::WHILE};
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

}  // namespace vernier::import::lite
