// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/op_table.hpp"

#include <array>

namespace vernier::ir {

namespace {

using Modes = std::span<const std::string_view>;

/// Index of alternative T in ir::Attributes.
template <typename T, size_t I = 0>
constexpr size_t index_of() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Attributes>, T>)
    return I;
  else
    return index_of<T, I + 1>();
}
constexpr size_t kNone = index_of<std::monostate>();
constexpr size_t kConv = index_of<ConvAttributes>();
constexpr size_t kPool = index_of<PoolAttributes>();
constexpr size_t kClamp = index_of<ClampAttributes>();
constexpr size_t kAxis = index_of<AxisAttributes>();
constexpr size_t kRescale = index_of<RescaleAttributes>();
constexpr size_t kShift = index_of<ShiftAttributes>();

constexpr std::string_view kConv8[] = {"int8 int8 int32 int8 int8 -> int32"};
constexpr std::string_view kConvLater[] = {"int16 int8 int48 int16 int8 -> int48", "int8 int4 int32 int8 int4 -> int32"};
constexpr std::string_view kAvgPool[] = {"int8 int8 int8 -> int8", "int16 int16 int16 -> int16"};
constexpr std::string_view kClampModes[] = {"int8 -> int8", "int16 -> int16"};
constexpr std::string_view kBinary32[] = {"int32 int32 -> int32"};
constexpr std::string_view kBinaryAll[] = {"int8 int8 -> int8", "int16 int16 -> int16", "int32 int32 -> int32"};
constexpr std::string_view kMul[] = {"int8 int8 int8 -> int32", "int16 int16 int8 -> int32", "int32 int32 int8 -> int32"};
constexpr std::string_view kUnary32[] = {"int32 -> int32"};
constexpr std::string_view kUnaryAll[] = {"int8 -> int8", "int16 -> int16", "int32 -> int32"};
constexpr std::string_view kNegate[] = {"int8 int8 int8 -> int8", "int16 int16 int16 -> int16",
                                        "int32 int32 int32 -> int32"};
constexpr std::string_view kTable[] = {"int8 int8 -> int8", "int16 int16 -> int32"};
constexpr std::string_view kRescaleModes[] = {
    "int8 * int8 int8 int8 -> int8",   "int8 * int8 int8 int16 -> int16",   "int8 * int8 int8 int32 -> int32",
    "int16 * int8 int16 int8 -> int8", "int16 * int8 int16 int16 -> int16", "int16 * int8 int16 int32 -> int32",
    "int32 * int8 int32 int8 -> int8", "int32 * int8 int32 int16 -> int16", "int32 * int8 int32 int32 -> int32",
    "int48 * int8 int48 int8 -> int8", "int48 * int8 int48 int16 -> int16", "int48 * int8 int48 int32 -> int32"};
constexpr std::string_view kReshape[] = {"bool shape -> bool", "int8 shape -> int8", "int16 shape -> int16",
                                         "int32 shape -> int32"};
constexpr std::string_view kSlice[] = {"bool shape shape -> bool", "int8 shape shape -> int8", "int16 shape shape -> int16",
                                       "int32 shape shape -> int32"};
constexpr std::string_view kIdentity[] = {"bool -> bool",   "int4 -> int4",   "int8 -> int8",
                                          "int16 -> int16", "int32 -> int32", "int48 -> int48"};

constexpr std::string_view kConvOperands = "input weight bias input_zp! weight_zp!";
constexpr std::string_view kTwo = "input1 input2";
constexpr std::string_view kOne = "input";
constexpr std::string_view kAny2 = "0+ 0+ -> 0+";
constexpr std::string_view kAny1 = "0+ -> 0+";

const std::array kTable1p0 = {
    OpInfo{OpKind::AvgPool2d, kPool, "input input_zp! output_zp!", "4 1 1 -> 4", kAvgPool, {}, check_avg_pool2d},
    OpInfo{OpKind::Conv2d, kConv, kConvOperands, "4 4 1 1 1 -> 4", kConv8, kConvLater, check_conv2d},
    OpInfo{OpKind::DepthwiseConv2d, kConv, kConvOperands, "4 4 1 1 1 -> 4", kConv8, kConvLater, check_depthwise_conv2d},
    OpInfo{OpKind::Clamp, kClamp, kOne, kAny1, kClampModes, {}, check_clamp},
    OpInfo{OpKind::Add, kNone, kTwo, kAny2, kBinary32, {}, check_binary},
    OpInfo{OpKind::Sub, kNone, kTwo, kAny2, kBinary32, {}, check_binary},
    OpInfo{OpKind::Mul, kNone, "input1 input2 shift!", "0+ 0+ 1 -> 0+", kMul, {}, check_mul},
    OpInfo{OpKind::Maximum, kNone, kTwo, kAny2, kBinary32, {}, check_binary},
    OpInfo{OpKind::Minimum, kNone, kTwo, kAny2, kBinary32, {}, check_binary},
    OpInfo{OpKind::ArithmeticRightShift, kShift, kTwo, kAny2, kBinaryAll, {}, check_binary},
    OpInfo{OpKind::LogicalLeftShift, kNone, kTwo, kAny2, kBinaryAll, {}, check_binary},
    OpInfo{OpKind::LogicalRightShift, kNone, kTwo, kAny2, kBinaryAll, {}, check_binary},
    OpInfo{OpKind::BitwiseAnd, kNone, kTwo, kAny2, kBinaryAll, {}, check_binary},
    OpInfo{OpKind::BitwiseOr, kNone, kTwo, kAny2, kBinaryAll, {}, check_binary},
    OpInfo{OpKind::BitwiseXor, kNone, kTwo, kAny2, kBinaryAll, {}, check_binary},
    OpInfo{OpKind::BitwiseNot, kNone, kOne, kAny1, kUnaryAll, {}, check_unary},
    OpInfo{OpKind::Table, kNone, "input table!", "0+ 1 -> 0+", kTable, {}, check_table},
    OpInfo{OpKind::Abs, kNone, kOne, kAny1, kUnary32, {}, check_unary},
    OpInfo{OpKind::Clz, kNone, kOne, kAny1, kUnary32, {}, check_unary},
    OpInfo{OpKind::Negate, kNone, "input input_zp! output_zp!", "0+ 1 1 -> 0+", kNegate, {}, check_negate},
    OpInfo{OpKind::ReduceMax, kAxis, kOne, "1+ -> 1+", kUnaryAll, {}, check_reduce},
    OpInfo{OpKind::ReduceMin, kAxis, kOne, "1+ -> 1+", kUnaryAll, {}, check_reduce},
    OpInfo{OpKind::ReduceSum, kAxis, kOne, "1+ -> 1+", kUnary32, {}, check_reduce},
    OpInfo{OpKind::Reshape, kNone, "input shape!", "0+ 1 -> 0+", kReshape, {}, check_reshape},
    OpInfo{OpKind::Slice, kNone, "input start! size!", "1+ 1 1 -> 1+", kSlice, {}, check_slice},
    OpInfo{OpKind::Rescale,
           kRescale,
           "input multiplier! shift! input_zp! output_zp!",
           "0+ 1 1 1 1 -> 0+",
           kRescaleModes,
           {},
           check_rescale},
    OpInfo{OpKind::Identity, kNone, kOne, kAny1, kIdentity, {}, check_unary},
};

}  // namespace

const OpInfo* find_op_info(OpKind kind) {
  for (const OpInfo& info : kTable1p0) {
    if (info.kind == kind) return &info;
  }
  return nullptr;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace vernier::ir
