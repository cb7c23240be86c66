// SPDX-License-Identifier: Apache-2.0
// The rules of TOSA 1.0 that a graph may break, by name: a message about one ends with its name in brackets, as in
// "max_val 2 is less than min_val 3 [MaxSmallerMin]". The names are those of the official conformance suite, where it has
// one: a test that expects an error is called after it.
#pragma once

#include "hw/base/error.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace vernier::ir {

/// ERROR_IFs of the operators, what the Arguments and Supported Data Types tables ask for, and LEVEL_CHECKs.
enum class ErrorIf : uint8_t {
  // Names of tests that the suite has.
  ArgmaxOutputRankMismatch,
  ArgmaxOutputShapeMismatch,
  AxisLargerRank,
  AxisSmallerZero,
  BatchMismatch,
  BorderLargerEqualMax,
  BorderSmallerMin,
  BroadcastShapesMismatch,
  ChannelMismatch,
  ConcatInputDimMismatch,
  ConcatInputRankMismatch,
  ConcatNoInputList,
  ConcatShapeSumMismatch,
  CondGraphOutputNotMatchingBool,
  CondGraphOutputShapeNotSizeOne,
  CondIfCondNotMatchingBool,
  CondIfCondShapeNotSizeOne,
  CondIfInputListElseGraphMismatch,
  CondIfInputListThenGraphMismatch,
  CondIfOutputListElseGraphMismatch,
  CondIfOutputListThenGraphMismatch,
  ConvBiasShapeMismatch,
  ConvOutputShapeMismatch,
  ConvOutputShapeNonInteger,
  DilationSmallerOne,
  DimensionMismatch,
  IndexOutsideBounds,
  IndexUsedTwice,
  InputListBodyGraphInputMismatch,
  InputListBodyGraphOutputMismatch,
  InputListCondGraphMismatch,
  InputListOutputListMismatch,
  InputRank1WrongRank,
  InputSizeStartLengthMismatch,
  InputZeroPointNotZero,
  KernelSmallerOne,
  MaxDimExceeded,
  MaxSmallerMin,
  OffsetLargerEqualMax,
  OffsetSmallerMin,
  OutputZeroPointNotZero,
  PadLargerEqualKernel,
  PadOutputShapeMismatch,
  PadSmallerZero,
  PoolingOutputShapeMismatch,
  PoolingOutputShapeNonInteger,
  RankMismatch,
  RescaleI32InputOutputUnsigned,
  RescaleI32InputUnsigned,
  RescaleI32OutputInputUnsigned,
  RescaleI32OutputUnsigned,
  RescaleI48InputOutputUnsigned,
  RescaleI48InputUnsigned,
  RescaleInputUnsignedOutputUnsigned,
  RescalePerChannelRank0,
  ResizeOutputShapeMismatch,
  ResizeOutputShapeNonInteger,
  ScaleDLargerMax,
  ScaleNLargerMax,
  ScaleNotTrue,
  ScaleSmallerEqualZero,
  ScaleTrue,
  ShapeOfAxisNotOne,
  SizeOutputShapeMismatch,
  SizeSmallerEqualZero,
  StartSizeOutsideBounds,
  StartSmallerZero,
  StrideSmallerOne,
  TensorSizeInputOutputMismatch,
  TileMultiplesOutputShapeMismatch,
  TransposePermsOutputShapeMismatch,
  U16InputZeroPointNotValid,
  U16OutputZeroPointNotValid,
  WrongInputList,
  WrongOutputList,
  WrongRank,
  // Names that the suite's generator knows without a test of TOSA 1.0.
  InputDimensionMismatch,
  ReshapeNewShapeOutputMismatch,
  WeightZeroPointNotZero,
  WrongAccumulatorType,
  WrongBiasType,
  WrongInputType,
  WrongOutputType,
  // Our own, made alike.
  ComputedOperand,
  MaxKernelExceeded,
  MaxNestingExceeded,
  MaxScaleExceeded,
  MaxStrideExceeded,
  MaxTensorListExceeded,
  MaxTensorSizeExceeded,
  OperandLengthMismatch,
  WrongAttribute,
};

/// Who gave the name.
enum class ErrorIfOrigin : uint8_t { Suite, Generator, Ours };

struct ErrorIfInfo {
  ErrorIf rule;
  std::string_view name;
  std::string_view meaning;  // what holds where the rule is broken
  ErrorIfOrigin origin;
};

/// A row for each rule, in the order of the enumeration.
std::span<const ErrorIfInfo> error_if_table();
/// The name without brackets.
std::string_view to_string(ErrorIf rule);

/// The error of a broken rule: as the UserError of the same arguments, with the name behind the message.
template <typename... Args>
base::UserError broken_rule(ErrorIf rule, std::string_view subject, fmt::format_string<Args...> format, Args&&... args) {
  const std::string message = fmt::format(format, std::forward<Args>(args)...);
  return {subject, std::string_view(fmt::format("{} [{}]", message, to_string(rule)))};
}

}  // namespace vernier::ir
