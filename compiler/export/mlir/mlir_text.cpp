// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/mlir/mlir_text.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace vernier::exporter::mlir {

namespace {

/// MLIR prints longer ones than 100 elements with hexadecimal digits; here it is those that nobody reads.
constexpr int64_t kMostListed = 16;

std::string_view element_text(base::ElementType type) {
  switch (type) {
    case base::ElementType::Bool: return "i1";
    case base::ElementType::Int4: return "i4";
    case base::ElementType::Int8: return "i8";
    case base::ElementType::Int16: return "i16";
    case base::ElementType::Int32: return "i32";
    case base::ElementType::Int48: return "i48";
    case base::ElementType::Shape: return "index";
  }
  VERNIER_CHECK(false, "element type {} is one of TOSA's", static_cast<int>(type));
}

/// Bytes of an element in hexadecimal digits: one at least.
int64_t raw_bytes(base::ElementType type) { return type == base::ElementType::Int48 ? 6 : base::stored_bytes(type); }

std::string element_text(const base::Tensor& value, int64_t index) {
  if (value.type() == base::ElementType::Bool) return value.at(index) != 0 ? "true" : "false";
  return std::to_string(value.at(index));
}

/// Elements from `index` on, in brackets for each dimension from `depth` on.
std::string list_text(const base::Tensor& value, size_t depth, int64_t& index) {
  if (depth == value.shape().size()) return element_text(value, index++);
  std::string text = "[";
  for (int64_t i = 0; i < value.shape()[depth]; ++i) text += (i == 0 ? "" : ", ") + list_text(value, depth + 1, index);
  return text + "]";
}

std::string hexadecimal_text(const base::Tensor& value) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const int64_t bytes = raw_bytes(value.type());
  std::string text = "\"0x";
  text.reserve(static_cast<size_t>(2 * bytes * value.size() + 4));
  const bool is_int4 = value.type() == base::ElementType::Int4;
  for (int64_t i = 0; i < value.size(); ++i) {
    const auto bits = static_cast<uint64_t>(value.at(i)) & (is_int4 ? 15U : ~uint64_t{0});
    for (int64_t byte = 0; byte < bytes; ++byte) {
      text += kDigits[bits >> (8 * byte + 4) & 15];
      text += kDigits[bits >> (8 * byte) & 15];
    }
  }
  return text + '"';
}

template <typename List>
std::string array_text(std::string_view type, const List& values) {
  return values.empty() ? fmt::format("array<{}>", type) : fmt::format("array<{}: {}>", type, fmt::join(values, ", "));
}

std::string_view rounding_text(spec::Rounding rounding) {
  VERNIER_CHECK(rounding != spec::Rounding::HalfEven, "TOSA has this rounding");
  if (rounding == spec::Rounding::Double) return "DOUBLE_ROUND";
  return rounding == spec::Rounding::Inexact ? "INEXACT_ROUND" : "SINGLE_ROUND";
}

/// NAME = VALUE, separated by ", ".
struct AttributePrinter {
  base::ElementType input_type;
  ir::OpKind kind;

  std::string operator()(const ir::ConvAttributes& a) const {
    return fmt::format("acc_type = {}, dilation = {}, pad = {}, stride = {}", element_text(a.acc_type),
                       array_text("i64", a.dilation), array_text("i64", a.pad), array_text("i64", a.stride));
  }
  std::string operator()(const ir::TransposeConvAttributes& a) const {
    return fmt::format("acc_type = {}, out_pad = {}, stride = {}", element_text(a.acc_type), array_text("i64", a.out_pad),
                       array_text("i64", a.stride));
  }
  std::string operator()(const ir::PoolAttributes& a) const {
    const std::string acc_type =
        kind == ir::OpKind::AvgPool2d ? fmt::format("acc_type = {}, ", element_text(a.acc_type)) : "";
    return fmt::format("{}kernel = {}, pad = {}, stride = {}", acc_type, array_text("i64", a.kernel),
                       array_text("i64", a.pad), array_text("i64", a.stride));
  }
  std::string operator()(const ir::ClampAttributes& a) const {
    const std::string_view type = element_text(input_type);
    return fmt::format("max_val = {} : {}, min_val = {} : {}", a.max, type, a.min, type);
  }
  std::string operator()(const ir::AxisAttributes& a) const { return fmt::format("axis = {} : i32", a.axis); }
  std::string operator()(const ir::RescaleAttributes& a) const {
    return fmt::format("input_unsigned = {}, output_unsigned = {}, per_channel = {}, rounding_mode = {}, scale32 = {}",
                       a.input_unsigned, a.output_unsigned, a.per_channel, rounding_text(a.rounding), a.scale32);
  }
  std::string operator()(const ir::ShiftAttributes& a) const { return fmt::format("round = {}", a.round); }
  std::string operator()(const ir::TransposeAttributes& a) const {
    return fmt::format("perms = {}", array_text("i32", a.perms));
  }
  std::string operator()(const ir::ResizeAttributes& a) const {
    return fmt::format("mode = {}", a.bilinear ? "BILINEAR" : "NEAREST_NEIGHBOR");
  }
  // Operators without attributes, and those whose attributes name regions and variables: they have forms of their own.
  std::string operator()(const std::monostate& /*none*/) const { return ""; }
  std::string operator()(const ir::CondIfAttributes& /*regions*/) const { return ""; }
  std::string operator()(const ir::WhileLoopAttributes& /*regions*/) const { return ""; }
  std::string operator()(const ir::VariableAttributes& /*name*/) const { return ""; }
};

}  // namespace

std::string value_type_text(base::ElementType type, const base::Shape& shape) {
  std::string text = "tensor<";
  for (const int64_t dim : shape) text += fmt::format("{}x", dim);
  return fmt::format("{}{}>", text, element_text(type));
}

std::string type_text(const ir::TensorInfo& tensor) {
  if (tensor.type == base::ElementType::Shape) return fmt::format("!tosa.shape<{}>", base::num_elements(tensor.shape));
  return value_type_text(tensor.type, tensor.shape);
}

std::string dense_text(const base::Tensor& value) {
  bool is_splat = value.size() > 0;
  for (int64_t i = 1; i < value.size() && is_splat; ++i) is_splat = value.at(i) == value.at(0);
  int64_t index = 0;
  const std::string body = value.size() == 0             ? ""
                           : is_splat                    ? element_text(value, 0)
                           : value.size() <= kMostListed ? list_text(value, 0, index)
                                                         : hexadecimal_text(value);
  return fmt::format("dense<{}> : {}", body, value_type_text(value.type(), value.shape()));
}

std::string attributes_text(const ir::Operator& op, base::ElementType input_type) {
  const std::string text = std::visit(AttributePrinter{input_type, op.kind}, op.attributes);
  return text.empty() ? "" : fmt::format(" {{{}}}", text);
}

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte >= 0x80 || std::isprint(byte) == 0) {
      result += fmt::format("\\{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace vernier::exporter::mlir
