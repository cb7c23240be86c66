// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/flavours.hpp"

#include <algorithm>
#include <array>

namespace vernier::import::lite {

namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

constexpr Rule kSame = Rule::Reference, kInteger = Rule::Integer, kFloat32 = Rule::Float32, kFixed8 = Rule::Fixed8,
               kRefused = Rule::Refused;

struct FlavourRow {
  BuiltinOperator code;
  std::string_view types;  // of its codes
  Rule integer, xnnpack;   // the rule of litert-ref is Reference
};

// Measured by tests/live/tflite_operators_test.py --flavour, 40 drawn networks for each row and type:
// - litert-ref: the reference kernels of ai-edge-litert 2.3.0;
// - litert-ref-int: FULLY_CONNECTED by the reference kernels of ai-edge-litert 1.0.1, all else as litert-ref;
// - xnnpack: the default interpreter of ai-edge-litert 2.3.0 (XNNPACK, and where it takes an operator not, the default
// kernel). kSame says that no element differed from litert-ref's. Operators without a row move codes, or have no codes.
// tests/live/tflite_flavours.py reads these rows: each keeps a line of its own.
// clang-format off
constexpr std::array kRows{
    FlavourRow{BuiltinOperator::ABS, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::ADD, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::ARG_MAX, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::ARG_MIN, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::AVERAGE_POOL_2D, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::BATCH_MATMUL, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::BATCH_TO_SPACE_ND, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::BROADCAST_TO, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::CAST, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::CONCATENATION, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::CONV_2D, "int8 uint8", kSame, kFloat32},
    FlavourRow{BuiltinOperator::CONV_2D, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::CUMSUM, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::DEPTHWISE_CONV_2D, "int8 uint8", kSame, kFloat32},
    FlavourRow{BuiltinOperator::DEPTHWISE_CONV_2D, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::DEPTH_TO_SPACE, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::DIV, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::ELU, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::EQUAL, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::EXP, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::FULLY_CONNECTED, "int8 uint8", kInteger, kFloat32},
    FlavourRow{BuiltinOperator::FULLY_CONNECTED, "int16", kInteger, kSame},
    FlavourRow{BuiltinOperator::GATHER, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::GATHER_ND, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::GELU, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::GREATER, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::GREATER_EQUAL, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::HARD_SWISH, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::IF, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::L2_NORMALIZATION, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::LEAKY_RELU, "int8", kSame, kFixed8},
    FlavourRow{BuiltinOperator::LEAKY_RELU, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::LEAKY_RELU, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::LESS, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::LESS_EQUAL, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::LOG, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::LOGICAL_AND, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::LOGICAL_NOT, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::LOGICAL_OR, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::LOGISTIC, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::LOGISTIC, "int16", kSame, kRefused},
    FlavourRow{BuiltinOperator::LOG_SOFTMAX, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::LOG_SOFTMAX, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::MAXIMUM, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::MAX_POOL_2D, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::MEAN, "int8 uint8", kSame, kFloat32},
    FlavourRow{BuiltinOperator::MEAN, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::MINIMUM, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::MIRROR_PAD, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::MUL, "int8 uint8", kSame, kFloat32},
    FlavourRow{BuiltinOperator::MUL, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::NEG, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::NOT_EQUAL, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::PACK, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::PAD, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::PRELU, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::QUANTIZE, "int8", kSame, kFixed8},
    FlavourRow{BuiltinOperator::QUANTIZE, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::QUANTIZE, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::REDUCE_ALL, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::REDUCE_ANY, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::REDUCE_MAX, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::REDUCE_MIN, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::REDUCE_PROD, "int8 int16", kSame, kRefused},
    FlavourRow{BuiltinOperator::RELU, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::RELU6, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::RELU_0_TO_1, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::RELU_N1_TO_1, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::RESHAPE, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::RESIZE_BILINEAR, "int8 uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::RESIZE_BILINEAR, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::REVERSE_V2, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::RSQRT, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SCATTER_ND, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::SELECT_V2, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SLICE, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SOFTMAX, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SOFTMAX, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::SPACE_TO_BATCH_ND, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SPACE_TO_DEPTH, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::SPLIT, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SPLIT_V, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SQRT, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SQUARED_DIFFERENCE, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::STRIDED_SLICE, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SUB, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SUB, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::SUM, "int8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::SUM, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::SVDF, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::TANH, "int8 uint8", kSame, kSame},
    FlavourRow{BuiltinOperator::TANH, "int16", kSame, kRefused},
    FlavourRow{BuiltinOperator::TILE, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::TRANSPOSE, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::TRANSPOSE_CONV, "int8", kSame, kFloat32},
    FlavourRow{BuiltinOperator::TRANSPOSE_CONV, "uint8", kSame, kRefused},
    FlavourRow{BuiltinOperator::TRANSPOSE_CONV, "int16", kSame, kSame},
    FlavourRow{BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, "int8", kSame, kSame},
    FlavourRow{BuiltinOperator::UNPACK, "int8 uint8 int16", kSame, kSame},
    FlavourRow{BuiltinOperator::WHILE, "int8", kSame, kSame},
};
// clang-format on

/// The type of the operator's first tensor of codes that is no constant, as the rows have it; empty where there is none.
std::string_view type_of_codes(const LiteNetwork& network, const LiteOperator& op) {
  std::vector<int32_t> all = op.inputs;
  all.insert(all.end(), op.outputs.begin(), op.outputs.end());
  for (const int32_t index : all) {
    if (index < 0) continue;
    const LiteTensor& tensor = network.tensors[static_cast<size_t>(index)];
    if (tensor.is_constant) continue;
    if (tensor.type == TensorType::INT16) return "int16";
    if (tensor.type == TensorType::INT8 || tensor.is_unsigned) return tensor.is_unsigned ? "uint8" : "int8";
  }
  return {};
}

bool has_type(std::string_view types, std::string_view type) {
  for (size_t at = types.find(type); at != std::string_view::npos; at = types.find(type, at + 1)) {
    if (at == 0 || types[at - 1] == ' ') return true;
  }
  return false;
}

/// QUANTIZE of codes that keep their scale: their zero point moves, and nothing is rounded.
bool keeps_scale(const LiteNetwork& network, const LiteOperator& op) {
  if (op.code != BuiltinOperator::QUANTIZE || op.inputs.empty() || op.outputs.empty() || op.inputs[0] < 0) return false;
  const LiteTensor& from = network.tensors[static_cast<size_t>(op.inputs[0])];
  return from.scales == network.tensors[static_cast<size_t>(op.outputs[0])].scales || from.type == TensorType::FLOAT32;
}

const FlavourRow* find_row(const LiteNetwork& network, const LiteOperator& op) {
  const std::string_view type = type_of_codes(network, op);
  if (type.empty() || keeps_scale(network, op)) return nullptr;
  const auto* row = std::find_if(kRows.begin(), kRows.end(),
                                 [&](const FlavourRow& one) { return one.code == op.code && has_type(one.types, type); });
  return row == kRows.end() ? nullptr : row;
}

/// XNNPACK leaves a TRANSPOSE_CONV with padding SAME whose stride is greater than its window to the default kernel, which
/// equals the reference: 53 of 53 drawn ones, and none of 147 others.
bool is_left_by_xnnpack(const LiteNetwork& network, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_TransposeConvOptions();
  if (op.code != BuiltinOperator::TRANSPOSE_CONV || options == nullptr || op.inputs.size() < 2 || op.inputs[1] < 0)
    return false;
  const base::Shape& weights = network.tensors[static_cast<size_t>(op.inputs[1])].shape;
  return weights.size() == 4 && options->padding() == tflite::Padding::SAME &&
         (options->stride_h() > weights[1] || options->stride_w() > weights[2]);
}

}  // namespace

Rule rule_of(const LiteNetwork& network, const LiteOperator& op, TfliteRounding flavour) {
  const FlavourRow* row = flavour == TfliteRounding::LitertRef ? nullptr : find_row(network, op);
  if (row == nullptr) return Rule::Reference;
  if (flavour == TfliteRounding::LitertRefInt) return row->integer;
  return row->xnnpack == kFloat32 && is_left_by_xnnpack(network, op) ? Rule::Reference : row->xnnpack;
}

bool depends_on_flavour(const LiteNetwork& network, const LiteOperator& op) {
  const FlavourRow* row = find_row(network, op);
  return row != nullptr && (row->integer != Rule::Reference || row->xnnpack != Rule::Reference);
}

}  // namespace vernier::import::lite
