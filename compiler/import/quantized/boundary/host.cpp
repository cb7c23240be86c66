// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/boundary/host.hpp"

#include "compiler/import/quantized/boundary/host_emitter.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace vernier::import::quantized {

namespace {

/// After the last quantizer, what the machine takes of an operator before the host does: nothing, codes, sums too, or values
/// with functions that no quantizer has followed as well.
enum class Machine : uint8_t { Nothing, Codes, Sums, Functions };

struct HostRow {
  std::string_view kind;
  EmitOnHost emit;
  Machine machine = Machine::Nothing;
  bool is_at_inputs = true;  // whether it may stand before the first quantizer
};
/// The one list of what the host computes. docs/guides/onnx.md has it for readers.
constexpr std::array kRows{
    HostRow{"Abs", emit_function},
    HostRow{"Add", emit_binary},
    HostRow{"ArgMax", emit_search, Machine::Functions, false},
    HostRow{"ArgMin", emit_search, Machine::Functions, false},
    HostRow{"AveragePool", emit_pool, Machine::Codes},
    HostRow{"BatchNormalization", emit_normalization},
    HostRow{"Cast", emit_function},
    HostRow{"Ceil", emit_function},
    HostRow{"Celu", emit_function},
    HostRow{"Clip", emit_function},
    HostRow{"Concat", emit_concat, Machine::Codes},
    HostRow{"Conv", emit_conv, Machine::Sums, false},
    HostRow{"Cos", emit_function},
    HostRow{"DepthToSpace", emit_depth, Machine::Codes},
    HostRow{"Div", emit_binary},
    HostRow{"Elu", emit_function},
    HostRow{"Erf", emit_function},
    HostRow{"Exp", emit_function},
    HostRow{"Expand", emit_repeat, Machine::Codes},
    HostRow{"Flatten", emit_reshape},
    HostRow{"Floor", emit_function},
    HostRow{"Gather", emit_gather, Machine::Codes},
    HostRow{"Gelu", emit_function},
    HostRow{"Gemm", emit_matmul, Machine::Sums, false},
    HostRow{"GlobalAveragePool", emit_reduction, Machine::Sums},
    HostRow{"GlobalMaxPool", emit_reduction, Machine::Codes},
    HostRow{"HardSigmoid", emit_function},
    HostRow{"HardSwish", emit_function},
    HostRow{"Identity", emit_function},
    HostRow{"InstanceNormalization", emit_normalization},
    HostRow{"LayerNormalization", emit_normalization},
    HostRow{"LeakyRelu", emit_function},
    HostRow{"Log", emit_function},
    HostRow{"LogSoftmax", emit_softmax},
    HostRow{"MatMul", emit_matmul, Machine::Sums, false},
    HostRow{"Max", emit_binary},
    HostRow{"MaxPool", emit_pool, Machine::Codes},
    HostRow{"Mean", emit_binary},
    HostRow{"Min", emit_binary},
    HostRow{"Mish", emit_function},
    HostRow{"Mul", emit_binary},
    HostRow{"Neg", emit_function},
    HostRow{"PRelu", emit_function},
    HostRow{"Pad", emit_pad, Machine::Codes},
    HostRow{"Pow", emit_binary},
    HostRow{"Reciprocal", emit_function},
    HostRow{"ReduceMax", emit_reduction, Machine::Codes},
    HostRow{"ReduceMean", emit_reduction, Machine::Sums},
    HostRow{"ReduceMin", emit_reduction, Machine::Codes},
    HostRow{"ReduceProd", emit_reduction},
    HostRow{"ReduceSum", emit_reduction, Machine::Sums},
    HostRow{"Relu", emit_function},
    HostRow{"Reshape", emit_reshape},
    HostRow{"Resize", emit_resize, Machine::Codes},
    HostRow{"Round", emit_function},
    HostRow{"Selu", emit_function},
    HostRow{"Sigmoid", emit_function},
    HostRow{"Sign", emit_function},
    HostRow{"Sin", emit_function},
    HostRow{"Slice", emit_slice, Machine::Codes},
    HostRow{"Softmax", emit_softmax},
    HostRow{"Softplus", emit_function},
    HostRow{"Softsign", emit_function},
    HostRow{"SpaceToDepth", emit_depth, Machine::Codes},
    HostRow{"Split", emit_slice, Machine::Codes},
    HostRow{"Sqrt", emit_function},
    HostRow{"Squeeze", emit_reshape},
    HostRow{"Sub", emit_binary},
    HostRow{"Sum", emit_binary},
    HostRow{"Tanh", emit_function},
    HostRow{"ThresholdedRelu", emit_function},
    HostRow{"Tile", emit_repeat, Machine::Codes},
    HostRow{"Transpose", emit_reshape},
    HostRow{"Unsqueeze", emit_reshape},
};
constexpr std::array<std::string_view, 6> kMovement{"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};

template <typename List>
bool is_among(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const HostRow* find_host_row(std::string_view kind) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const HostRow& one) { return one.kind == kind; });
  return row == kRows.end() ? nullptr : row;
}

std::string names_of_rows(bool is_at_inputs) {
  std::string text;
  for (const HostRow& row : kRows) {
    if (row.is_at_inputs || !is_at_inputs) text += fmt::format("{}{}", text.empty() ? "" : " ", row.kind);
  }
  return text;
}

/// What a node reads that is no constant.
struct HostReads {
  std::vector<const Value*> values;
  std::vector<std::string> names;

  [[nodiscard]] bool all_of(Value::Kind kind) const {
    return std::all_of(values.begin(), values.end(), [&](const Value* value) { return value->kind == kind; });
  }
  [[nodiscard]] bool are_real() const {
    return std::all_of(values.begin(), values.end(), [](const Value* value) { return value->is_real; });
  }
};

HostReads reads_on_host(const Lowering& lowering, const Node& node) {
  HostReads operands;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lowering.has_input(node, i) || lowering.is_constant(node, i)) continue;
    operands.values.push_back(&lowering.value(node, i));
    operands.names.push_back(node.inputs[i]);
  }
  return operands;
}

/// The machine's, of a node from which no quantizer is reached and that reads integers only.
bool is_machines(Lowering& lowering, const Node& node, const HostRow& row, const HostReads& operands) {
  if (is_among(kMovement, node.kind)) {
    const Value& value = *operands.values.front();
    const bool keeps_axis = node.kind == "Identity" || node.kind == "Transpose";
    return !value.format.is_per_axis() || value.is_wide() || keeps_axis;
  }
  if (node.kind == "Add" && exact_bias(lowering, node)) return true;
  return std::all_of(operands.values.begin(), operands.values.end(), [&](const Value* value) {
    if (row.machine == Machine::Nothing) return false;
    if (row.machine == Machine::Functions) return true;
    return !value->has_function() && (row.machine == Machine::Sums || !value->is_wide());
  });
}

void define_on_host(Lowering& lowering, const Node& node, const HostRow& row, Value::Kind kind) {
  const std::vector<size_t> results = row.emit(HostEmitter(lowering, node));
  for (size_t i = 0; i < results.size(); ++i) {
    Value value;
    value.kind = kind;
    value.host = results[i];
    value.shape = lowering.host.shape(results[i]);
    if (kind == Value::Kind::Input) {
      const std::optional<size_t> input = lowering.host.only_input(results[i]);
      if (!input) refuse("it joins values of several inputs before any quantizer, allowed is one input");
      value.input = *input;
    }
    lowering.define(node, std::move(value), i);
  }
}

[[noreturn]] void refuse_on_host(const std::string& name, bool is_input) {
  refuse("'{}' is computed by the host {}, allowed there are {}", name,
         is_input ? "before any quantizer" : "after the last quantizer", names_of_rows(is_input));
}

/// Before the first quantizer. An input that a quantizer reads at once, or an operator of the machine, is no node of an end.
bool lower_at_input(Lowering& lowering, const Node& node, const HostRow* row, const HostReads& operands) {
  const bool is_taken = row != nullptr && row->is_at_inputs && operands.all_of(Value::Kind::Input) && operands.are_real();
  if (is_taken) {
    const size_t input = operands.values.front()->input;
    const bool is_one = std::all_of(operands.values.begin(), operands.values.end(),
                                    [&](const Value* value) { return value->input == input; });
    if (is_one) {
      define_on_host(lowering, node, *row, Value::Kind::Input);
      return true;
    }
  }
  for (size_t i = 0; i < operands.values.size(); ++i) {
    const Value& value = *operands.values[i];
    const bool is_quantized = is_quantizer(node.kind) && operands.names[i] == node.inputs.front();
    if (value.kind != Value::Kind::Input || !value.host || is_quantized) continue;
    if (is_taken) refuse("it joins values of several inputs before any quantizer, allowed is one input");
    refuse_on_host(operands.names[i], true);
  }
  return false;
}

}  // namespace

std::vector<size_t> emit_node(Lowering& lowering, const Node& node) {
  const std::optional<Node> clip = as_clip(lowering, node);
  const Node& emitted = clip ? *clip : node;
  const HostRow* row = find_host_row(emitted.kind);
  return row == nullptr ? std::vector<size_t>() : row->emit(HostEmitter(lowering, emitted));
}

bool is_host_operator(const std::string& kind) { return find_host_row(kind) != nullptr; }

bool lower_on_host(Lowering& lowering, const Node& node) {
  const HostReads operands = reads_on_host(lowering, node);
  const HostRow* row = find_host_row(node.kind);
  if (operands.values.empty()) return false;
  const auto found = std::find_if(operands.values.begin(), operands.values.end(),
                                  [](const Value* value) { return value->kind == Value::Kind::Host; });
  if (found != operands.values.end()) {
    if (row == nullptr) refuse_on_host(operands.names[static_cast<size_t>(found - operands.values.begin())], false);
    define_on_host(lowering, node, *row, Value::Kind::Host);
    return true;
  }
  if (!operands.all_of(Value::Kind::Integers)) return lower_at_input(lowering, node, row, operands);
  if (row == nullptr || !operands.are_real() || lowering.reaches_quantizer(node)) return false;
  if (is_machines(lowering, node, *row, operands)) return false;
  define_on_host(lowering, node, *row, Value::Kind::Host);
  return true;
}

bool lower_refused_on_host(Lowering& lowering, const Node& node) {
  const HostReads operands = reads_on_host(lowering, node);
  const HostRow* row = find_host_row(node.kind);
  const bool is_taken = row != nullptr && !operands.values.empty() && operands.all_of(Value::Kind::Integers) &&
                        operands.are_real() && !lowering.reaches_codes(node);
  if (!is_taken) return false;
  try {
    define_on_host(lowering, node, *row, Value::Kind::Host);
  } catch (const NodeMistake&) {
    return false;  // the machine's own mistake says more
  }
  return true;
}

size_t host_value_of_output(Lowering& lowering, const std::string& name) { return host_value_of(lowering, name); }

bool meets_quantizer(const Network& network, const std::string& input) {
  constexpr std::array<std::string_view, 15> kSeenThrough{"Add",      "BatchNormalization",
                                                          "Clip",     "Div",
                                                          "Flatten",  "Identity",
                                                          "Mul",      "Relu",
                                                          "Reshape",  "Sigmoid",
                                                          "Softmax",  "Squeeze",
                                                          "Sub",      "Transpose",
                                                          "Unsqueeze"};
  std::set<std::string> reached{input};
  for (const Node& node : network.nodes) {
    if (std::none_of(node.inputs.begin(), node.inputs.end(),
                     [&](const std::string& name) { return reached.contains(name); }))
      continue;
    if (is_quantizer(node.kind)) return true;
    if (is_among(kSeenThrough, node.kind)) reached.insert(node.outputs.begin(), node.outputs.end());
  }
  return false;
}

}  // namespace vernier::import::quantized
