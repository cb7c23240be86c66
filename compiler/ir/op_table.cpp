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
constexpr size_t kTransposeConv = index_of<TransposeConvAttributes>();
constexpr size_t kTranspose = index_of<TransposeAttributes>();
constexpr size_t kResize = index_of<ResizeAttributes>();
constexpr size_t kCondIf = index_of<CondIfAttributes>();
constexpr size_t kWhileLoop = index_of<WhileLoopAttributes>();
constexpr size_t kVariable = index_of<VariableAttributes>();

constexpr std::string_view kConvModes[] = {"int8 int8 int32 int8 int8 -> int32", "int8 int4 int32 int8 int4 -> int32",
                                           "int16 int8 int48 int16 int8 -> int48"};
constexpr std::string_view kMatMul[] = {"int8 int8 int8 int8 -> int32", "int16 int16 int16 int16 -> int48"};
constexpr std::string_view kMaxPool[] = {"int8 -> int8", "int16 -> int16"};
constexpr std::string_view kArgMax[] = {"int8 -> int32", "int16 -> int32"};
constexpr std::string_view kCompare[] = {"int32 int32 -> bool"};
constexpr std::string_view kLogical2[] = {"bool bool -> bool"};
constexpr std::string_view kLogical1[] = {"bool -> bool"};
constexpr std::string_view kSelect[] = {"bool bool bool -> bool", "bool int8 int8 -> int8", "bool int16 int16 -> int16",
                                        "bool int32 int32 -> int32"};
constexpr std::string_view kCast[] = {"bool -> int8",   "bool -> int16", "bool -> int32", "int8 -> bool",
                                      "int8 -> int16",  "int8 -> int32", "int16 -> bool", "int16 -> int8",
                                      "int16 -> int32", "int32 -> bool", "int32 -> int8", "int32 -> int16"};
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
constexpr std::string_view kMove[] = {"bool -> bool", "int8 -> int8", "int16 -> int16", "int32 -> int32"};
constexpr std::string_view kPad[] = {"bool shape bool -> bool", "int8 shape int8 -> int8", "int16 shape int16 -> int16",
                                     "int32 shape int32 -> int32"};
constexpr std::string_view kGather[] = {"int8 int32 -> int8", "int16 int32 -> int16", "int32 int32 -> int32"};
constexpr std::string_view kScatter[] = {"int8 int32 int8 -> int8", "int16 int32 int16 -> int16",
                                         "int32 int32 int32 -> int32"};
constexpr std::string_view kResizeModes[] = {"int8 shape shape shape -> int8", "int8 shape shape shape -> int32",
                                             "int16 shape shape shape -> int16", "int16 shape shape shape -> int48"};
constexpr std::string_view kIdentity[] = {"bool -> bool",   "int4 -> int4",   "int8 -> int8",
                                          "int16 -> int16", "int32 -> int32", "int48 -> int48"};

constexpr std::string_view kConvOperands = "input weight bias input_zp? weight_zp?";
constexpr std::string_view kTwo = "input1 input2";
constexpr std::string_view kOne = "input";
constexpr std::string_view kAny2 = "0+ 0+ -> 0+";
constexpr std::string_view kAny1 = "0+ -> 0+";

const std::array kTable1p0 = {
    OpInfo{OpKind::ArgMax, kAxis, kOne, "1+ -> 0+", kArgMax, check_argmax},
    OpInfo{OpKind::AvgPool2d, kPool, "input input_zp? output_zp?", "4 1 1 -> 4", kAvgPool, check_avg_pool2d},
    OpInfo{OpKind::Conv2d, kConv, kConvOperands, "4 4 1 1 1 -> 4", kConvModes, check_conv2d},
    OpInfo{OpKind::Conv3d, kConv, kConvOperands, "5 5 1 1 1 -> 5", kConvModes, check_conv3d},
    OpInfo{OpKind::DepthwiseConv2d, kConv, kConvOperands, "4 4 1 1 1 -> 4", kConvModes, check_depthwise_conv2d},
    OpInfo{OpKind::MatMul, kNone, "a b a_zp? b_zp?", "3 3 1 1 -> 3", kMatMul, check_matmul},
    OpInfo{OpKind::MaxPool2d, kPool, kOne, "4 -> 4", kMaxPool, check_max_pool2d},
    OpInfo{OpKind::TransposeConv2d, kTransposeConv, kConvOperands, "4 4 1 1 1 -> 4", kConvModes, check_transpose_conv2d},
    OpInfo{OpKind::Clamp, kClamp, kOne, kAny1, kClampModes, check_clamp},
    OpInfo{OpKind::Add, kNone, kTwo, kAny2, kBinary32, check_binary},
    OpInfo{OpKind::Sub, kNone, kTwo, kAny2, kBinary32, check_binary},
    OpInfo{OpKind::Mul, kNone, "input1 input2 shift?", "0+ 0+ 1 -> 0+", kMul, check_mul},
    OpInfo{OpKind::IntDiv, kNone, kTwo, kAny2, kBinary32, check_binary},
    OpInfo{OpKind::Maximum, kNone, kTwo, kAny2, kBinary32, check_binary},
    OpInfo{OpKind::Minimum, kNone, kTwo, kAny2, kBinary32, check_binary},
    OpInfo{OpKind::ArithmeticRightShift, kShift, kTwo, kAny2, kBinaryAll, check_binary},
    OpInfo{OpKind::LogicalLeftShift, kNone, kTwo, kAny2, kBinaryAll, check_binary},
    OpInfo{OpKind::LogicalRightShift, kNone, kTwo, kAny2, kBinaryAll, check_binary},
    OpInfo{OpKind::BitwiseAnd, kNone, kTwo, kAny2, kBinaryAll, check_binary},
    OpInfo{OpKind::BitwiseOr, kNone, kTwo, kAny2, kBinaryAll, check_binary},
    OpInfo{OpKind::BitwiseXor, kNone, kTwo, kAny2, kBinaryAll, check_binary},
    OpInfo{OpKind::BitwiseNot, kNone, kOne, kAny1, kUnaryAll, check_unary},
    OpInfo{OpKind::LogicalAnd, kNone, kTwo, kAny2, kLogical2, check_binary},
    OpInfo{OpKind::LogicalOr, kNone, kTwo, kAny2, kLogical2, check_binary},
    OpInfo{OpKind::LogicalXor, kNone, kTwo, kAny2, kLogical2, check_binary},
    OpInfo{OpKind::Table, kNone, "input table?", "0+ 1 -> 0+", kTable, check_table},
    OpInfo{OpKind::Abs, kNone, kOne, kAny1, kUnary32, check_unary},
    OpInfo{OpKind::Clz, kNone, kOne, kAny1, kUnary32, check_unary},
    OpInfo{OpKind::Negate, kNone, "input input_zp? output_zp?", "0+ 1 1 -> 0+", kNegate, check_negate},
    OpInfo{OpKind::LogicalNot, kNone, kOne, kAny1, kLogical1, check_unary},
    OpInfo{OpKind::Select, kNone, "condition on_true on_false", "0+ 0+ 0+ -> 0+", kSelect, check_select},
    OpInfo{OpKind::Equal, kNone, kTwo, kAny2, kCompare, check_binary},
    OpInfo{OpKind::Greater, kNone, kTwo, kAny2, kCompare, check_binary},
    OpInfo{OpKind::GreaterEqual, kNone, kTwo, kAny2, kCompare, check_binary},
    OpInfo{OpKind::ReduceAll, kAxis, kOne, "1+ -> 1+", kLogical1, check_reduce},
    OpInfo{OpKind::ReduceAny, kAxis, kOne, "1+ -> 1+", kLogical1, check_reduce},
    OpInfo{OpKind::ReduceMax, kAxis, kOne, "1+ -> 1+", kUnaryAll, check_reduce},
    OpInfo{OpKind::ReduceMin, kAxis, kOne, "1+ -> 1+", kUnaryAll, check_reduce},
    OpInfo{OpKind::ReduceSum, kAxis, kOne, "1+ -> 1+", kUnary32, check_reduce},
    OpInfo{OpKind::Concat, kAxis, "inputs...", "1+ -> 1+", kMove, check_concat},
    OpInfo{OpKind::Pad, kNone, "input padding! pad_const?", "1+ 1 1 -> 1+", kPad, check_pad},
    OpInfo{OpKind::Reshape, kNone, "input shape!", "0+ 1 -> 0+", kReshape, check_reshape},
    OpInfo{OpKind::Reverse, kAxis, kOne, "1+ -> 1+", kMove, check_reverse},
    OpInfo{OpKind::Slice, kNone, "input start! size!", "1+ 1 1 -> 1+", kSlice, check_slice},
    OpInfo{OpKind::Tile, kNone, "input multiples!", "1+ 1 -> 1+", kReshape, check_tile},
    OpInfo{OpKind::Transpose, kTranspose, kOne, "1+ -> 1+", kMove, check_transpose},
    OpInfo{OpKind::Gather, kNone, "values indices", "3 2 -> 3", kGather, check_gather},
    OpInfo{OpKind::Scatter, kNone, "values_in indices input", "3 2 3 -> 3", kScatter, check_scatter},
    OpInfo{OpKind::Resize, kResize, "input scale! offset! border!", "4 1 1 1 -> 4", kResizeModes, check_resize},
    OpInfo{OpKind::Cast, kNone, kOne, kAny1, kCast, check_unary},
    OpInfo{OpKind::Rescale, kRescale, "input multiplier? shift? input_zp? output_zp?", "0+ 1 1 1 1 -> 0+", kRescaleModes,
           check_rescale},
    OpInfo{OpKind::Identity, kNone, kOne, kAny1, kIdentity, check_unary},
    OpInfo{OpKind::VariableRead, kVariable, "", "-> 0+", {}, check_variable_read},
    OpInfo{OpKind::VariableWrite, kVariable, kOne, kAny1, {}, check_variable_write},
    OpInfo{OpKind::CondIf, kCondIf, "operands...", kAny1, {}, check_cond_if},
    OpInfo{OpKind::WhileLoop, kWhileLoop, "operands...", kAny1, {}, check_while_loop},
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

bool takes_list(const OpInfo& info) { return info.operands.ends_with("..."); }

std::vector<std::string_view> split_words(const OpInfo& info, std::string_view text, size_t num_operands) {
  std::vector<std::string_view> words = split_words(text);
  if (takes_list(info)) {
    const std::string_view word = words[0];
    words[0] = word.substr(0, word.find("..."));
    words.insert(words.begin(), num_operands - 1, words[0]);
  }
  return words;
}

}  // namespace vernier::ir
