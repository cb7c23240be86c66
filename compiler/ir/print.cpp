// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/text_format.hpp"
#include "hw/base/checksum.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::ir {

bool is_bare_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_' || character == '.' || character == '/' ||
         character == ':';
}

bool is_bare_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_bare_character);
}

Attributes default_attributes(OpKind kind) {
  switch (kind) {
    case OpKind::Conv2d:
    case OpKind::Conv3d:
    case OpKind::DepthwiseConv2d: return ConvAttributes{};
    case OpKind::TransposeConv2d: return TransposeConvAttributes{};
    case OpKind::AvgPool2d:
    case OpKind::MaxPool2d: return PoolAttributes{};
    case OpKind::Clamp: return ClampAttributes{};
    case OpKind::ArgMax:
    case OpKind::ReduceAll:
    case OpKind::ReduceAny:
    case OpKind::ReduceMax:
    case OpKind::ReduceMin:
    case OpKind::ReduceProduct:
    case OpKind::ReduceSum:
    case OpKind::Concat:
    case OpKind::Reverse: return AxisAttributes{};
    case OpKind::Rescale: return RescaleAttributes{};
    case OpKind::ArithmeticRightShift: return ShiftAttributes{};
    case OpKind::Transpose: return TransposeAttributes{};
    case OpKind::Resize: return ResizeAttributes{};
    case OpKind::CondIf: return CondIfAttributes{};
    case OpKind::WhileLoop: return WhileLoopAttributes{};
    case OpKind::VariableRead:
    case OpKind::VariableWrite: return VariableAttributes{};
    default: return std::monostate{};
  }
}

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (character < 0x20 || character > 0x7e) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(character)));
    } else {
      result += character;
    }
  }
  return result + '"';
}

std::string name_text(const std::string& name) { return is_bare_name(name) ? name : quoted(name); }
std::string name_text(const Graph& graph, TensorId id) { return name_text(graph.tensor(id).name); }

std::string name_list(const Graph& graph, const std::vector<TensorId>& ids, std::string_view separator) {
  std::string text;
  for (const TensorId id : ids) {
    if (!text.empty()) text += separator;
    text += name_text(graph, id);
  }
  return text;
}

std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(int64_t value) { return fmt::format("{}", value); }
std::string value_text(const std::vector<int64_t>& value) { return base::to_string(value); }
std::string value_text(const std::string& value) { return name_text(value); }
std::string value_text(base::ElementType value) { return std::string(base::to_string(value)); }
std::string value_text(spec::Rounding value) { return std::string(kRoundingNames[static_cast<size_t>(value)]); }

void append_hex(std::string& text, std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text.reserve(text.size() + 2 * bytes.size() + 4);
  text += " = 0x";
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<size_t>(byte >> 4)];
    text += kDigits[std::to_integer<size_t>(byte & std::byte{15})];
  }
}

/// " = 1, 2, 3"; of a long one the beginning.
void append_first_elements(std::string& text, const base::Tensor& constant) {
  constexpr int64_t kElements = 8;
  for (int64_t i = 0; i < std::min(constant.size(), kElements); ++i) {
    text += fmt::format("{}{}", i == 0 ? " = " : ", ", constant.at(i));
  }
  if (constant.size() > kElements)
    text += fmt::format(", ... ({} elements, CRC-32 {:08x})", constant.size(), base::crc32(constant.bytes()));
}

std::string operator_text(const Graph& graph, const Operator& op) {
  std::string text = fmt::format("{}({}) -> ({})", to_string(op.kind), name_list(graph, op.inputs, ", "),
                                 name_list(graph, op.outputs, ", "));
  std::string fields;
  visit_attributes(op.attributes, [&fields](std::string_view name, const auto& value) {
    fields += fmt::format("{}{} = {}", fields.empty() ? "" : ", ", name, value_text(value));
  });
  if (!fields.empty()) text += fmt::format(" {{{}}}", fields);
  if (!op.location.empty()) text += " @ " + quoted(op.location);
  return text;
}

using ConstantText = void (*)(std::string&, const base::Tensor&);

void append_graph(std::string& text, const Graph& graph, ConstantText append_constant) {
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const TensorInfo& tensor = graph.tensors[i];
    text += fmt::format("tensor {} {}{}", name_text(graph, static_cast<TensorId>(i)), base::to_string(tensor.type),
                        base::to_string(tensor.shape));
    if (tensor.constant) append_constant(text, *tensor.constant);
    text += '\n';
  }
  for (const TensorId id : graph.inputs) text += fmt::format("input {}\n", name_text(graph, id));
  for (const TensorId id : graph.outputs) text += fmt::format("output {}\n", name_text(graph, id));
  for (const Operator& op : graph.operators) text += operator_text(graph, op) + '\n';
}

std::string print_with(const Graph& graph, ConstantText append_constant) {
  std::string text = "vernier-ir 1\n";
  for (const Variable& variable : graph.variables) {
    text += fmt::format("variable {} {}{}", name_text(variable.name), base::to_string(variable.type),
                        base::to_string(variable.shape));
    if (variable.initial) append_constant(text, *variable.initial);
    text += '\n';
  }
  append_graph(text, graph, append_constant);
  for (const Region& region : graph.regions) {
    text += fmt::format("region {}\n", name_text(region.name));
    append_graph(text, region.graph, append_constant);
  }
  return text;
}

}  // namespace

std::string print(const Graph& graph) {
  return print_with(graph, [](std::string& text, const base::Tensor& constant) { append_hex(text, constant.bytes()); });
}

std::string print_shortened(const Graph& graph) { return print_with(graph, append_first_elements); }

}  // namespace vernier::ir
