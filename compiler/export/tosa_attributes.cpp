// SPDX-License-Identifier: Apache-2.0
// The attribute tables of a .tosa file.
#include "compiler/export/tosa_writer.hpp"
#include "hw/base/error.hpp"

#include <limits>

namespace vernier::exporter {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Integers pass through all operators that have this mode whatever it is; PROPAGATE is what converters write.
constexpr tosa::NanPropagationMode kNanMode = tosa::NanPropagationMode::PROPAGATE;

int32_t narrow(int64_t value) {
  VERNIER_CHECK(value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max(),
                "attribute {} fits 32 bits", value);
  return static_cast<int32_t>(value);
}

tosa::RoundingMode rounding_mode(spec::Rounding rounding) {
  VERNIER_CHECK(rounding != spec::Rounding::HalfEven, "TOSA has this rounding");
  if (rounding == spec::Rounding::Double) return tosa::RoundingMode::DOUBLE_ROUND;
  return rounding == spec::Rounding::Inexact ? tosa::RoundingMode::INEXACT_ROUND : tosa::RoundingMode::SINGLE_ROUND;
}

class AttributeWriter {
 public:
  AttributeWriter(FlatBufferBuilder& builder, const ir::Operator& op) : builder_(builder), op_(op) {}

  template <typename Table>
  Offset<void> convolution() {
    const auto& a = op_.attributes_as<ir::ConvAttributes>();
    const auto pad = list(a.pad), stride = list(a.stride), dilation = list(a.dilation);
    typename Table::Builder table(builder_);
    table.add_pad(pad);
    table.add_stride(stride);
    table.add_dilation(dilation);
    table.add_acc_type(dtype_of(a.acc_type));
    return table.Finish().Union();
  }

  Offset<void> transpose_convolution() {
    const auto& a = op_.attributes_as<ir::TransposeConvAttributes>();
    const auto out_pad = list(a.out_pad), stride = list(a.stride);
    return tosa::CreateTransposeConv2dAttribute(builder_, out_pad, stride, false, dtype_of(a.acc_type)).Union();
  }

  Offset<void> avg_pool() {
    const auto& a = op_.attributes_as<ir::PoolAttributes>();
    const auto kernel = list(a.kernel), stride = list(a.stride), pad = list(a.pad);
    return tosa::CreateAvgPool2dAttribute(builder_, kernel, stride, pad, dtype_of(a.acc_type)).Union();
  }

  Offset<void> max_pool() {
    const auto& a = op_.attributes_as<ir::PoolAttributes>();
    const auto kernel = list(a.kernel), stride = list(a.stride), pad = list(a.pad);
    return tosa::CreateMaxPool2dAttribute(builder_, kernel, stride, pad, kNanMode).Union();
  }

  Offset<void> clamp(base::ElementType type) {
    const auto& a = op_.attributes_as<ir::ClampAttributes>();
    const auto min = bound(type, a.min), max = bound(type, a.max);
    return tosa::CreateClampAttribute(builder_, min, max, kNanMode).Union();
  }

  /// REDUCE_ALL, REDUCE_ANY, REDUCE_SUM, CONCAT and REVERSE.
  template <typename Table>
  Offset<void> axis() {
    typename Table::Builder table(builder_);
    table.add_axis(axis_value());
    return table.Finish().Union();
  }

  /// ARGMAX, REDUCE_MAX and REDUCE_MIN.
  template <typename Table>
  Offset<void> axis_and_nan_mode() {
    typename Table::Builder table(builder_);
    table.add_axis(axis_value());
    table.add_nan_mode(kNanMode);
    return table.Finish().Union();
  }

  Offset<void> transpose() {
    const auto perms = list(op_.attributes_as<ir::TransposeAttributes>().perms);
    return tosa::CreateTransposeAttribute(builder_, perms).Union();
  }

  Offset<void> resize() {
    const bool is_bilinear = op_.attributes_as<ir::ResizeAttributes>().bilinear;
    return tosa::CreateResizeAttribute(builder_, is_bilinear ? tosa::ResizeMode::BILINEAR : tosa::ResizeMode::NEAREST)
        .Union();
  }

  Offset<void> rescale() {
    const auto& a = op_.attributes_as<ir::RescaleAttributes>();
    return tosa::CreateRescaleAttribute(builder_, a.scale32, rounding_mode(a.rounding), a.per_channel, a.input_unsigned,
                                        a.output_unsigned)
        .Union();
  }

  Offset<void> shift() {
    return tosa::CreateArithmeticRightShiftAttribute(builder_, op_.attributes_as<ir::ShiftAttributes>().round).Union();
  }

  Offset<void> cond_if() {
    const auto& a = op_.attributes_as<ir::CondIfAttributes>();
    const auto then_graph = builder_.CreateString(a.then_graph), else_graph = builder_.CreateString(a.else_graph);
    return tosa::CreateCondIfAttribute(builder_, then_graph, else_graph).Union();
  }

  Offset<void> while_loop() {
    const auto& a = op_.attributes_as<ir::WhileLoopAttributes>();
    const auto cond_graph = builder_.CreateString(a.cond_graph), body_graph = builder_.CreateString(a.body_graph);
    return tosa::CreateWhileLoopAttribute(builder_, cond_graph, body_graph).Union();
  }

  /// Tables without fields are all alike.
  Offset<void> empty() { return tosa::CreateIdentityAttribute(builder_).Union(); }

 private:
  Offset<flatbuffers::Vector<int32_t>> list(const std::vector<int64_t>& values) {
    std::vector<int32_t> narrowed;
    for (const int64_t value : values) narrowed.push_back(narrow(value));
    return builder_.CreateVector(narrowed);
  }

  Offset<flatbuffers::Vector<uint8_t>> bound(base::ElementType type, int64_t value) {
    base::Tensor one(type, {});
    one.set(0, value);
    return write_data(builder_, one);
  }

  [[nodiscard]] int32_t axis_value() const { return narrow(op_.attributes_as<ir::AxisAttributes>().axis); }

  FlatBufferBuilder& builder_;
  const ir::Operator& op_;
};

Offset<void> write_table(AttributeWriter writer, FlatBufferBuilder& builder, ir::OpKind kind, base::ElementType input_type) {
  switch (kind) {
    case ir::OpKind::Conv2d: return writer.convolution<tosa::Conv2dAttribute>();
    case ir::OpKind::DepthwiseConv2d: return writer.convolution<tosa::DepthwiseConv2dAttribute>();
    case ir::OpKind::Conv3d: return writer.convolution<tosa::Conv3dAttribute>();
    case ir::OpKind::TransposeConv2d: return writer.transpose_convolution();
    case ir::OpKind::AvgPool2d: return writer.avg_pool();
    case ir::OpKind::MaxPool2d: return writer.max_pool();
    case ir::OpKind::Clamp: return writer.clamp(input_type);
    case ir::OpKind::Rescale: return writer.rescale();
    case ir::OpKind::ArithmeticRightShift: return writer.shift();
    case ir::OpKind::Maximum: return tosa::CreateMaximumAttribute(builder, kNanMode).Union();
    case ir::OpKind::Minimum: return tosa::CreateMinimumAttribute(builder, kNanMode).Union();
    case ir::OpKind::ArgMax: return writer.axis_and_nan_mode<tosa::ArgMaxAttribute>();
    case ir::OpKind::ReduceMax: return writer.axis_and_nan_mode<tosa::ReduceMaxAttribute>();
    case ir::OpKind::ReduceMin: return writer.axis_and_nan_mode<tosa::ReduceMinAttribute>();
    case ir::OpKind::ReduceAll: return writer.axis<tosa::ReduceAllAttribute>();
    case ir::OpKind::ReduceAny: return writer.axis<tosa::ReduceAnyAttribute>();
    case ir::OpKind::ReduceSum: return writer.axis<tosa::ReduceSumAttribute>();
    case ir::OpKind::Concat: return writer.axis<tosa::ConcatAttribute>();
    case ir::OpKind::Reverse: return writer.axis<tosa::ReverseAttribute>();
    case ir::OpKind::Transpose: return writer.transpose();
    case ir::OpKind::Resize: return writer.resize();
    case ir::OpKind::CondIf: return writer.cond_if();
    case ir::OpKind::WhileLoop: return writer.while_loop();
    default: return writer.empty();
  }
}

}  // namespace

AttributeTable write_attributes(FlatBufferBuilder& builder, const ir::Operator& op, base::ElementType input_type) {
  // The member of the union has the operator's number.
  return {static_cast<tosa::Attribute>(op.kind), write_table({builder, op}, builder, op.kind, input_type)};
}

}  // namespace vernier::exporter
