// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/mlir/attributes.hpp"

#include "compiler/import/mlir/constants.hpp"

#include "tosa_generated.h"
#include <algorithm>
#include <array>
#include <limits>

namespace vernier::import::mlir {

namespace {

template <typename Enum>
struct EnumWord {
  std::string_view word;
  Enum value;
};
constexpr std::array kRoundings{EnumWord<tosa::RoundingMode>{"SINGLE_ROUND", tosa::RoundingMode::SINGLE_ROUND},
                                EnumWord<tosa::RoundingMode>{"INEXACT_ROUND", tosa::RoundingMode::INEXACT_ROUND},
                                EnumWord<tosa::RoundingMode>{"DOUBLE_ROUND", tosa::RoundingMode::DOUBLE_ROUND}};
constexpr std::array kResizeModes{EnumWord<tosa::ResizeMode>{"NEAREST_NEIGHBOR", tosa::ResizeMode::NEAREST},
                                  EnumWord<tosa::ResizeMode>{"BILINEAR", tosa::ResizeMode::BILINEAR}};
constexpr std::array kNanModes{EnumWord<tosa::NanPropagationMode>{"PROPAGATE", tosa::NanPropagationMode::PROPAGATE},
                               EnumWord<tosa::NanPropagationMode>{"IGNORE", tosa::NanPropagationMode::IGNORE}};

class AttributeReader {
 public:
  AttributeReader(const Source& source, const Operation& operation) : source_(source), operation_(operation) {}

  /// Null where the operation does not have it.
  const Attribute* optional(std::string_view name) {
    known_.push_back(name);
    return find(operation_.attributes, name);
  }
  const Attribute& needed(std::string_view name) {
    const Attribute* attribute = optional(name);
    if (attribute == nullptr) source_.fail(operation_.position, "{} has no attribute '{}'", operation_.name, name);
    return *attribute;
  }

  std::vector<int32_t> integers(std::string_view name) {
    const Attribute& attribute = needed(name);
    if (attribute.kind != Attribute::Kind::Integers) fail(attribute, name, "array<i64: ...>");
    std::vector<int32_t> values;
    for (const int64_t value : attribute.integers) values.push_back(narrow(attribute, name, value));
    return values;
  }
  int32_t integer(std::string_view name) {
    const Attribute& attribute = needed(name);
    if (attribute.kind != Attribute::Kind::Integer) fail(attribute, name, "a whole number");
    return narrow(attribute, name, attribute.integer);
  }
  bool boolean(std::string_view name) {
    const Attribute& attribute = needed(name);
    if (attribute.kind != Attribute::Kind::Boolean) fail(attribute, name, "true or false");
    return attribute.integer != 0;
  }
  /// Whether it is there and true.
  bool flag(std::string_view name) { return optional(name) != nullptr && boolean(name); }
  std::string string(std::string_view name) {
    const Attribute& attribute = needed(name);
    if (attribute.kind != Attribute::Kind::String) fail(attribute, name, "a string");
    return attribute.text;
  }
  tosa::DType acc_type() {
    const Attribute& attribute = needed("acc_type");
    if (attribute.kind != Attribute::Kind::Type || attribute.type.kind != Type::Kind::Scalar)
      fail(attribute, "acc_type", "a type");
    return dtype_of(attribute.type.element);
  }
  template <typename Words>
  auto word(std::string_view name, const Words& words) {
    const Attribute& attribute = needed(name);
    const bool is_word = attribute.kind == Attribute::Kind::Word || attribute.kind == Attribute::Kind::String;
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const auto& candidate) { return is_word && candidate.word == attribute.text; });
    if (found != words.end()) return found->value;
    std::string allowed;
    for (const auto& candidate : words) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", candidate.word);
    fail(attribute, name, allowed);
  }
  tosa::NanPropagationMode nan_mode() {
    return optional("nan_mode") == nullptr ? tosa::NanPropagationMode::PROPAGATE : word("nan_mode", kNanModes);
  }
  /// A bound of CLAMP, eight bytes; of floats zeros, because no machine takes them.
  std::vector<uint8_t> bound(std::string_view name) {
    const Attribute& attribute = needed(name);
    std::vector<uint8_t> bytes(8);
    if (attribute.kind == Attribute::Kind::Other && attribute.type.kind == Type::Kind::Scalar) return bytes;
    if (attribute.kind != Attribute::Kind::Integer) fail(attribute, name, "a whole number");
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(attribute.integer) >> (8 * i));
    return bytes;
  }

  /// What was given and never asked for.
  void refuse_others() const {
    for (const auto& [name, attribute] : operation_.attributes) {
      if (name.find('.') != std::string::npos || std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      source_.fail(attribute.position, "attribute '{}' of {} is none of TOSA 1.0, which has {}", name, operation_.name,
                   known_.empty() ? "no attribute here" : fmt::format("{}", fmt::join(known_, ", ")));
    }
  }

 private:
  [[noreturn]] void fail(const Attribute& attribute, std::string_view name, std::string_view allowed) const {
    source_.fail(attribute.position, "attribute '{}' of {} has another value, allowed is {}", name, operation_.name,
                 allowed);
  }
  [[nodiscard]] int32_t narrow(const Attribute& attribute, std::string_view name, int64_t value) const {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
      source_.fail(attribute.position, "attribute '{}' of {} is {}, allowed are numbers of 32 bits", name, operation_.name,
                   value);
    return static_cast<int32_t>(value);
  }

  const Source& source_;
  const Operation& operation_;
  std::vector<std::string_view> known_;
};

template <typename Table>
Table convolution(AttributeReader& reader) {
  Table table;
  table.pad = reader.integers("pad");
  table.stride = reader.integers("stride");
  table.dilation = reader.integers("dilation");
  table.acc_type = reader.acc_type();
  table.local_bound = reader.flag("local_bound");
  return table;
}

tosa::TransposeConv2dAttributeT transpose_convolution(AttributeReader& reader) {
  tosa::TransposeConv2dAttributeT table;
  table.out_pad = reader.integers("out_pad");
  table.stride = reader.integers("stride");
  table.acc_type = reader.acc_type();
  table.local_bound = reader.flag("local_bound");
  return table;
}

tosa::AvgPool2dAttributeT avg_pool(AttributeReader& reader) {
  tosa::AvgPool2dAttributeT table;
  table.kernel = reader.integers("kernel");
  table.stride = reader.integers("stride");
  table.pad = reader.integers("pad");
  table.acc_type = reader.acc_type();
  return table;
}

tosa::MaxPool2dAttributeT max_pool(AttributeReader& reader) {
  tosa::MaxPool2dAttributeT table;
  table.kernel = reader.integers("kernel");
  table.stride = reader.integers("stride");
  table.pad = reader.integers("pad");
  table.nan_mode = reader.nan_mode();
  return table;
}

tosa::ClampAttributeT clamp(AttributeReader& reader) {
  tosa::ClampAttributeT table;
  table.min_val = reader.bound("min_val");
  table.max_val = reader.bound("max_val");
  table.nan_mode = reader.nan_mode();
  return table;
}

tosa::RescaleAttributeT rescale(AttributeReader& reader) {
  tosa::RescaleAttributeT table;
  table.scale32 = reader.boolean("scale32");
  table.rounding_mode = reader.word("rounding_mode", kRoundings);
  table.per_channel = reader.boolean("per_channel");
  table.input_unsigned = reader.flag("input_unsigned");
  table.output_unsigned = reader.flag("output_unsigned");
  return table;
}

template <typename Table>
Table axis(AttributeReader& reader) {
  Table table;
  table.axis = reader.integer("axis");
  return table;
}

template <typename Table>
Table axis_and_nan_mode(AttributeReader& reader) {
  Table table = axis<Table>(reader);
  table.nan_mode = reader.nan_mode();
  return table;
}

template <typename Table>
Table nan_mode(AttributeReader& reader) {
  Table table;
  table.nan_mode = reader.nan_mode();
  return table;
}

tosa::ArithmeticRightShiftAttributeT shift(AttributeReader& reader) {
  tosa::ArithmeticRightShiftAttributeT table;
  table.round = reader.boolean("round");
  return table;
}

tosa::TransposeAttributeT transpose(AttributeReader& reader) {
  tosa::TransposeAttributeT table;
  table.perms = reader.integers("perms");
  return table;
}

tosa::ResizeAttributeT resize(AttributeReader& reader) {
  tosa::ResizeAttributeT table;
  table.mode = reader.word("mode", kResizeModes);
  return table;
}

tosa::CustomAttributeT custom(AttributeReader& reader) {
  tosa::CustomAttributeT table;
  table.operator_name = reader.string("operator_name");
  table.domain_name = reader.string("domain_name");
  reader.optional("implementation_attrs");
  return table;
}

void read(AttributeReader& reader, tosa::Op kind, tosa::AttributeUnion& result) {
  switch (kind) {
    case tosa::Op::CONV2D: return result.Set(convolution<tosa::Conv2dAttributeT>(reader));
    case tosa::Op::CONV3D: return result.Set(convolution<tosa::Conv3dAttributeT>(reader));
    case tosa::Op::DEPTHWISE_CONV2D: return result.Set(convolution<tosa::DepthwiseConv2dAttributeT>(reader));
    case tosa::Op::TRANSPOSE_CONV2D: return result.Set(transpose_convolution(reader));
    case tosa::Op::AVG_POOL2D: return result.Set(avg_pool(reader));
    case tosa::Op::MAX_POOL2D: return result.Set(max_pool(reader));
    case tosa::Op::CLAMP: return result.Set(clamp(reader));
    case tosa::Op::RESCALE: return result.Set(rescale(reader));
    case tosa::Op::ARITHMETIC_RIGHT_SHIFT: return result.Set(shift(reader));
    case tosa::Op::ARGMAX: return result.Set(axis_and_nan_mode<tosa::ArgMaxAttributeT>(reader));
    case tosa::Op::REDUCE_MAX: return result.Set(axis_and_nan_mode<tosa::ReduceMaxAttributeT>(reader));
    case tosa::Op::REDUCE_MIN: return result.Set(axis_and_nan_mode<tosa::ReduceMinAttributeT>(reader));
    case tosa::Op::REDUCE_ALL: return result.Set(axis<tosa::ReduceAllAttributeT>(reader));
    case tosa::Op::REDUCE_ANY: return result.Set(axis<tosa::ReduceAnyAttributeT>(reader));
    case tosa::Op::REDUCE_SUM: return result.Set(axis<tosa::ReduceSumAttributeT>(reader));
    case tosa::Op::REDUCE_PRODUCT: return result.Set(axis<tosa::ReduceProductAttributeT>(reader));
    case tosa::Op::CONCAT: return result.Set(axis<tosa::ConcatAttributeT>(reader));
    case tosa::Op::REVERSE: return result.Set(axis<tosa::ReverseAttributeT>(reader));
    case tosa::Op::MAXIMUM: return result.Set(nan_mode<tosa::MaximumAttributeT>(reader));
    case tosa::Op::MINIMUM: return result.Set(nan_mode<tosa::MinimumAttributeT>(reader));
    case tosa::Op::TRANSPOSE: return result.Set(transpose(reader));
    case tosa::Op::RESIZE: return result.Set(resize(reader));
    case tosa::Op::CUSTOM: return result.Set(custom(reader));
    case tosa::Op::FFT2D:
    case tosa::Op::RFFT2D:  // of floats alone, and refused by its name
      reader.optional("inverse");
      reader.optional("local_bound");
      return;
    default: return;
  }
}

}  // namespace

void read_attributes(const Source& source, const Operation& operation, tosa::Op kind, tosa::AttributeUnion& result) {
  AttributeReader reader(source, operation);
  read(reader, kind, result);
  reader.refuse_others();
}

}  // namespace vernier::import::mlir
