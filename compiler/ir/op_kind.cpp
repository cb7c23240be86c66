// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/op_kind.hpp"

#include "compiler/ir/op_table.hpp"

#include <algorithm>
#include <array>

namespace vernier::ir {

namespace {

constexpr std::array<std::string_view, kNumOpKinds + 1> kNames{"UNKNOWN",
                                                               "ARGMAX",
                                                               "AVG_POOL2D",
                                                               "CONV2D",
                                                               "CONV3D",
                                                               "DEPTHWISE_CONV2D",
                                                               "FFT2D",
                                                               "MATMUL",
                                                               "MAX_POOL2D",
                                                               "RFFT2D",
                                                               "TRANSPOSE_CONV2D",
                                                               "CLAMP",
                                                               "ERF",
                                                               "SIGMOID",
                                                               "TANH",
                                                               "ADD",
                                                               "ARITHMETIC_RIGHT_SHIFT",
                                                               "BITWISE_AND",
                                                               "BITWISE_OR",
                                                               "BITWISE_XOR",
                                                               "INTDIV",
                                                               "LOGICAL_AND",
                                                               "LOGICAL_LEFT_SHIFT",
                                                               "LOGICAL_RIGHT_SHIFT",
                                                               "LOGICAL_OR",
                                                               "LOGICAL_XOR",
                                                               "MAXIMUM",
                                                               "MINIMUM",
                                                               "MUL",
                                                               "POW",
                                                               "SUB",
                                                               "TABLE",
                                                               "ABS",
                                                               "BITWISE_NOT",
                                                               "CEIL",
                                                               "CLZ",
                                                               "COS",
                                                               "EXP",
                                                               "FLOOR",
                                                               "LOG",
                                                               "LOGICAL_NOT",
                                                               "NEGATE",
                                                               "RECIPROCAL",
                                                               "RSQRT",
                                                               "SIN",
                                                               "SELECT",
                                                               "EQUAL",
                                                               "GREATER",
                                                               "GREATER_EQUAL",
                                                               "REDUCE_ALL",
                                                               "REDUCE_ANY",
                                                               "REDUCE_MAX",
                                                               "REDUCE_MIN",
                                                               "REDUCE_PRODUCT",
                                                               "REDUCE_SUM",
                                                               "CONCAT",
                                                               "PAD",
                                                               "RESHAPE",
                                                               "REVERSE",
                                                               "SLICE",
                                                               "TILE",
                                                               "TRANSPOSE",
                                                               "GATHER",
                                                               "SCATTER",
                                                               "RESIZE",
                                                               "CAST",
                                                               "RESCALE",
                                                               "CONST",
                                                               "IDENTITY",
                                                               "CUSTOM",
                                                               "COND_IF",
                                                               "WHILE_LOOP",
                                                               "VARIABLE",
                                                               "VARIABLE_WRITE",
                                                               "VARIABLE_READ",
                                                               "CONST_SHAPE"};
static_assert(kNames[66] == "RESCALE" && kNames[kNumOpKinds] == "CONST_SHAPE");

constexpr std::array kFloatOnly{OpKind::Fft2d, OpKind::Rfft2d, OpKind::Erf,   OpKind::Sigmoid,    OpKind::Tanh,
                                OpKind::Pow,   OpKind::Ceil,   OpKind::Cos,   OpKind::Exp,        OpKind::Floor,
                                OpKind::Log,   OpKind::Sin,    OpKind::Rsqrt, OpKind::Reciprocal, OpKind::ReduceProduct};

}  // namespace

std::string_view to_string(OpKind kind) { return kNames.at(static_cast<size_t>(kind)); }

std::optional<OpKind> op_kind_from_name(std::string_view name) {
  for (size_t i = 1; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<OpKind>(i);
  }
  return std::nullopt;
}

bool is_float_only(OpKind kind) { return std::find(kFloatOnly.begin(), kFloatOnly.end(), kind) != kFloatOnly.end(); }

bool is_supported(OpKind kind) {
  // Those that are no operators of ir::Graph are in no row.
  return kind == OpKind::Const || kind == OpKind::ConstShape || kind == OpKind::Variable || find_op_info(kind) != nullptr;
}

std::string supported_operators() {
  std::string text;
  for (int i = 1; i <= kNumOpKinds; ++i) {
    const auto kind = static_cast<OpKind>(i);
    if (!is_supported(kind)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(kind);
  }
  return text;
}

}  // namespace vernier::ir
