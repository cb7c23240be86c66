// SPDX-License-Identifier: Apache-2.0
// The operators of TOSA 1.0, by the numbers that its flatbuffer schema gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::ir {

enum class OpKind : uint8_t {
  ArgMax = 1,
  AvgPool2d,
  Conv2d,
  Conv3d,
  DepthwiseConv2d,
  Fft2d,
  MatMul,
  MaxPool2d,
  Rfft2d,
  TransposeConv2d,
  Clamp,
  Erf,
  Sigmoid,
  Tanh,
  Add,
  ArithmeticRightShift,
  BitwiseAnd,
  BitwiseOr,
  BitwiseXor,
  IntDiv,
  LogicalAnd,
  LogicalLeftShift,
  LogicalRightShift,
  LogicalOr,
  LogicalXor,
  Maximum,
  Minimum,
  Mul,
  Pow,
  Sub,
  Table,
  Abs,
  BitwiseNot,
  Ceil,
  Clz,
  Cos,
  Exp,
  Floor,
  Log,
  LogicalNot,
  Negate,
  Reciprocal,
  Rsqrt,
  Sin,
  Select,
  Equal,
  Greater,
  GreaterEqual,
  ReduceAll,
  ReduceAny,
  ReduceMax,
  ReduceMin,
  ReduceProduct,
  ReduceSum,
  Concat,
  Pad,
  Reshape,
  Reverse,
  Slice,
  Tile,
  Transpose,
  Gather,
  Scatter,
  Resize,
  Cast,
  Rescale,
  Const,
  Identity,
  Custom,
  CondIf,
  WhileLoop,
  Variable,
  VariableWrite,
  VariableRead,
  ConstShape
};
inline constexpr int kNumOpKinds = 75;
static_assert(static_cast<int>(OpKind::ConstShape) == kNumOpKinds && static_cast<int>(OpKind::Rescale) == 66);

/// TOSA's spelling: "DEPTHWISE_CONV2D".
std::string_view to_string(OpKind kind);
/// The operator of that spelling, if any.
std::optional<OpKind> op_kind_from_name(std::string_view name);
/// Whether importer, reference and NPU know the operator in this version.
bool is_supported(OpKind kind);
/// Names of the supported operators, separated by spaces, for messages.
std::string supported_operators();
/// Whether TOSA defines the operator for floating-point types alone.
bool is_float_only(OpKind kind);

}  // namespace vernier::ir
