// SPDX-License-Identifier: Apache-2.0
// The attribute tables of a .tosa file.
#include "compiler/import/tosa/tosa_reader.hpp"

#include "tosa_generated.h"

namespace vernier::import {

namespace {

class AttributeReader {
 public:
  AttributeReader(Source& source, ir::OpKind kind, const tosa::TosaOperator& op) : source_(source), kind_(kind), op_(op) {}

  /// The table of type T; UserError when the operator carries none, or another one.
  template <typename T>
  const T& table() const {
    const T* table = op_.attribute_as<T>();
    if (table == nullptr) source_.fail(ir::ErrorIf::WrongAttribute, "{} carries no attributes", ir::to_string(kind_));
    return *table;
  }

  std::vector<int64_t> list(const flatbuffers::Vector<int32_t>* values) {
    if (values == nullptr) return {};
    source_.charge(values->size() * sizeof(int64_t));
    return {values->begin(), values->end()};
  }

  [[nodiscard]] base::ElementType acc_type(tosa::DType type) const {
    if (is_float(type)) {
      source_.fail(ir::ErrorIf::WrongAccumulatorType, "the accumulator of {} is {}; the NPU is integer only",
                   ir::to_string(kind_), tosa::EnumNameDType(type));
    }
    return read_type(source_, "the accumulator", type);
  }

  [[nodiscard]] spec::Rounding rounding(tosa::RoundingMode mode) const {
    switch (mode) {
      case tosa::RoundingMode::SINGLE_ROUND: return spec::Rounding::Single;
      case tosa::RoundingMode::DOUBLE_ROUND: return spec::Rounding::Double;
      case tosa::RoundingMode::INEXACT_ROUND: return spec::Rounding::Inexact;
      default:
        source_.fail(ir::ErrorIf::WrongAttribute, "{} has rounding_mode number {}, allowed are 1 to 3", ir::to_string(kind_),
                     static_cast<uint32_t>(mode));
    }
  }

  /// A bound of CLAMP: the bytes of one element, possibly padded.
  int64_t bound(std::string_view name, const flatbuffers::Vector<uint8_t>* data, base::ElementType type) const {
    const auto needed = static_cast<size_t>(base::stored_bytes(type));
    if (data == nullptr || data->size() < needed) {
      source_.fail(ir::ErrorIf::WrongAttribute, "{} of CLAMP has {} bytes, a value of {} needs {}", name,
                   data == nullptr ? 0 : data->size(), base::to_string(type), needed);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < needed; ++i) bits |= uint64_t{data->Get(static_cast<uint32_t>(i))} << (8 * i);
    base::Tensor one(type, {});
    one.set(0, static_cast<int64_t>(bits));
    return one.at(0);
  }

  template <typename T>
  ir::Attributes convolution() {
    const T& a = table<T>();
    return ir::ConvAttributes{list(a.pad()), list(a.stride()), list(a.dilation()), acc_type(a.acc_type())};
  }

  ir::Attributes avg_pool() {
    const auto& a = table<tosa::AvgPool2dAttribute>();
    return ir::PoolAttributes{list(a.kernel()), list(a.stride()), list(a.pad()), acc_type(a.acc_type())};
  }

  ir::Attributes max_pool() {
    const auto& a = table<tosa::MaxPool2dAttribute>();
    return ir::PoolAttributes{list(a.kernel()), list(a.stride()), list(a.pad()), base::ElementType::Int32};
  }

  ir::Attributes transpose_convolution() {
    const auto& a = table<tosa::TransposeConv2dAttribute>();
    return ir::TransposeConvAttributes{list(a.out_pad()), list(a.stride()), acc_type(a.acc_type())};
  }

  ir::Attributes transpose() { return ir::TransposeAttributes{list(table<tosa::TransposeAttribute>().perms())}; }

  [[nodiscard]] ir::Attributes resize() const {
    const tosa::ResizeMode mode = table<tosa::ResizeAttribute>().mode();
    if (mode != tosa::ResizeMode::NEAREST && mode != tosa::ResizeMode::BILINEAR) {
      source_.fail(ir::ErrorIf::WrongAttribute, "RESIZE has mode number {}, allowed are 1 and 2",
                   static_cast<uint32_t>(mode));
    }
    return ir::ResizeAttributes{mode == tosa::ResizeMode::BILINEAR};
  }

  template <typename T>
  [[nodiscard]] ir::Attributes axis() const {
    return ir::AxisAttributes{table<T>().axis()};
  }

  ir::Attributes clamp(base::ElementType type) const {
    const auto& a = table<tosa::ClampAttribute>();
    return ir::ClampAttributes{bound("min_val", a.min_val(), type), bound("max_val", a.max_val(), type)};
  }

  ir::Attributes rescale() const {
    const auto& a = table<tosa::RescaleAttribute>();
    return ir::RescaleAttributes{a.scale32(), rounding(a.rounding_mode()), a.per_channel(), a.input_unsigned(),
                                 a.output_unsigned()};
  }

  [[nodiscard]] std::string region_name(std::string_view attribute, const flatbuffers::String* name) const {
    if (name == nullptr || name->size() == 0) source_.fail("{} of {} names no region", attribute, ir::to_string(kind_));
    source_.charge(name->size());
    return name->str();
  }

  [[nodiscard]] ir::Attributes cond_if() const {
    const auto& a = table<tosa::CondIfAttribute>();
    return ir::CondIfAttributes{region_name("then_graph", a.then_graph()), region_name("else_graph", a.else_graph())};
  }

  [[nodiscard]] ir::Attributes while_loop() const {
    const auto& a = table<tosa::WhileLoopAttribute>();
    return ir::WhileLoopAttributes{region_name("cond_graph", a.cond_graph()), region_name("body_graph", a.body_graph())};
  }

 private:
  Source& source_;
  ir::OpKind kind_;
  const tosa::TosaOperator& op_;
};

}  // namespace

ir::Attributes read_attributes(Source& source, ir::OpKind kind, const tosa::TosaOperator& op, base::ElementType input_type) {
  const auto member = static_cast<uint8_t>(op.attribute_type());
  if (member != 0 && member != static_cast<uint8_t>(kind)) {
    source.fail(ir::ErrorIf::WrongAttribute, "{} carries the attributes of operator number {}", ir::to_string(kind), member);
  }
  AttributeReader reader(source, kind, op);
  switch (kind) {
    case ir::OpKind::Conv2d: return reader.convolution<tosa::Conv2dAttribute>();
    case ir::OpKind::DepthwiseConv2d: return reader.convolution<tosa::DepthwiseConv2dAttribute>();
    case ir::OpKind::Conv3d: return reader.convolution<tosa::Conv3dAttribute>();
    case ir::OpKind::TransposeConv2d: return reader.transpose_convolution();
    case ir::OpKind::AvgPool2d: return reader.avg_pool();
    case ir::OpKind::MaxPool2d: return reader.max_pool();
    case ir::OpKind::Clamp: return reader.clamp(input_type);
    case ir::OpKind::Rescale: return reader.rescale();
    case ir::OpKind::ArithmeticRightShift:
      return ir::ShiftAttributes{reader.table<tosa::ArithmeticRightShiftAttribute>().round()};
    case ir::OpKind::ArgMax: return reader.axis<tosa::ArgMaxAttribute>();
    case ir::OpKind::ReduceAll: return reader.axis<tosa::ReduceAllAttribute>();
    case ir::OpKind::ReduceAny: return reader.axis<tosa::ReduceAnyAttribute>();
    case ir::OpKind::ReduceMax: return reader.axis<tosa::ReduceMaxAttribute>();
    case ir::OpKind::ReduceMin: return reader.axis<tosa::ReduceMinAttribute>();
    case ir::OpKind::ReduceSum: return reader.axis<tosa::ReduceSumAttribute>();
    case ir::OpKind::Concat: return reader.axis<tosa::ConcatAttribute>();
    case ir::OpKind::Reverse: return reader.axis<tosa::ReverseAttribute>();
    case ir::OpKind::Transpose: return reader.transpose();
    case ir::OpKind::Resize: return reader.resize();
    case ir::OpKind::CondIf: return reader.cond_if();
    case ir::OpKind::WhileLoop: return reader.while_loop();
    default: return std::monostate{};
  }
}

}  // namespace vernier::import
