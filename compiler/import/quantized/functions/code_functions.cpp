// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/code_functions.hpp"

#include "compiler/import/quantized/functions/float_functions.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kLeastByte = -128, kNumBytes = 256;

/// Codes of a tensor as a function of those of another one, from the least code.
using CodeMap = std::vector<int64_t>;

size_t index_of(int64_t code) { return static_cast<size_t>(code - kLeastByte); }

CodeMap same_codes() {
  CodeMap codes(kNumBytes);
  std::iota(codes.begin(), codes.end(), kLeastByte);
  return codes;
}

CodeMap composed(const CodeMap& first, const CodeMap& second) {
  CodeMap result;
  for (const int64_t code : first) result.push_back(second[index_of(code)]);
  return result;
}

/// The tensors that a tensor is a function of, the nearest first; itself is the first one.
struct Ancestor {
  ir::TensorId tensor;
  CodeMap codes;  // of the tensor that it is asked for
};
std::vector<Ancestor> ancestors_of(const Lowering& lowering, ir::TensorId tensor) {
  std::vector<Ancestor> result{{tensor, same_codes()}};
  while (const Lowering::CodeOrigin* origin = lowering.code_origin(result.back().tensor))
    result.push_back({origin->source, composed(origin->codes, result.back().codes)});
  return result;
}

/// Codes of 8 or 16 bits with one scale, and a function of them.
bool is_coded(const Value& value) {
  return value.kind == Value::Kind::Integers && value.is_real && !value.is_wide() && !value.format.is_per_axis();
}

/// The number of a constant whose elements are all the same, and which gives a value of that shape no other shape.
std::optional<float> single_number(const Value& constant, const base::Shape& shape, bool is_exponent) {
  const base::Shape& own = constant.shape;
  const bool is_integer = !constant.constant->type.is_float && !constant.is_real;
  if (own.size() > shape.size() || (is_integer && !is_exponent)) return std::nullopt;
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[own.size() - 1 - i] != 1 && own[own.size() - 1 - i] != shape[shape.size() - 1 - i]) return std::nullopt;
  }
  const std::vector<int64_t>& integers = constant.constant->integers;
  const std::vector<float> numbers =
      is_integer ? std::vector<float>(integers.begin(), integers.end()) : real_numbers(constant);
  const bool is_single = !numbers.empty() && std::all_of(numbers.begin(), numbers.end(),
                                                         [&](float number) { return number == numbers.front(); });
  return is_single ? std::optional(numbers.front()) : std::nullopt;
}

/// What an operand is for each code of the common tensor: a list, or one number.
struct CodeOperand {
  const Value* value = nullptr;  // null for a constant
  float number = 0;
  std::vector<float> reals;

  [[nodiscard]] float at(size_t code) const { return value == nullptr ? number : reals[code]; }
};

std::optional<std::vector<CodeOperand>> code_operands(const Lowering& lowering, const Node& node) {
  std::vector<CodeOperand> operands;
  const Value* first = nullptr;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (lowering.is_constant(node, i)) continue;
    const Value& value = lowering.value(node, i);
    if (!is_coded(value)) return std::nullopt;
    if (first != nullptr &&
        (value.shape != first->shape || value.order != first->order || value.format.bits != first->format.bits))
      return std::nullopt;
    if (first == nullptr) first = &value;
  }
  if (first == nullptr) return std::nullopt;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& value = lowering.value(node, i);
    if (value.kind != Value::Kind::Constant) {
      operands.push_back({&value, 0, {}});
      continue;
    }
    const std::optional<float> number = single_number(value, first->shape, node.kind == "Pow" && i == 1);
    if (!number) return std::nullopt;
    operands.push_back({nullptr, *number, {}});
  }
  return operands;
}

/// The nearest tensor of which all operands are functions, and what they are of its codes.
std::optional<ir::TensorId> joined_code(const Lowering& lowering, std::vector<CodeOperand>& operands) {
  std::vector<std::vector<Ancestor>> all;
  for (const CodeOperand& operand : operands) {
    if (operand.value == nullptr) continue;
    all.push_back(operand.value->format.bits == 8 ? ancestors_of(lowering, operand.value->tensor)
                                                  : std::vector<Ancestor>{{operand.value->tensor, {}}});
  }
  const auto find_in = [](const std::vector<Ancestor>& line, ir::TensorId tensor) {
    return std::find_if(line.begin(), line.end(), [&](const Ancestor& one) { return one.tensor == tensor; });
  };
  for (const Ancestor& candidate : all.front()) {
    const bool is_common = std::all_of(all.begin(), all.end(), [&](const std::vector<Ancestor>& line) {
      return find_in(line, candidate.tensor) != line.end();
    });
    if (!is_common) continue;
    size_t line = 0;
    for (CodeOperand& operand : operands) {
      if (operand.value == nullptr) continue;
      const CodeMap& codes = find_in(all[line++], candidate.tensor)->codes;
      const Value& value = *operand.value;
      std::vector<float> reals = reals_of(value);
      for (float& real : reals) real = std::clamp(real, value.low, value.high);
      if (codes.empty()) {
        operand.reals = std::move(reals);
        continue;
      }
      for (const int64_t code : codes) operand.reals.push_back(reals[index_of(code)]);
    }
    return candidate.tensor;
  }
  return std::nullopt;
}

/// Whether no lowering of its own takes the operator with these operands, or takes it dearer. Of 16 bits sums and products
/// are exact in integers, where a quantizer follows at once.
bool gains(const Lowering& lowering, const Node& node, const std::vector<CodeOperand>& operands) {
  const auto first =
      std::find_if(operands.begin(), operands.end(), [](const CodeOperand& operand) { return operand.value != nullptr; });
  const auto num_computed =
      std::count_if(operands.begin(), operands.end(), [](const CodeOperand& operand) { return operand.value != nullptr; });
  const bool is_sum = node.kind == "Add" || node.kind == "Sub", is_arithmetic = is_sum || node.kind == "Mul";
  const bool has_8_bits = first->value->format.bits == 8;
  if (num_computed == 1 && is_sum) {
    const Value& constant = lowering.value(node, lowering.is_constant(node, 0) ? 0 : 1);
    const bool is_open = constant.constant->type.is_float;  // 8 bits and one element have a lowering of their own
    if (has_8_bits) return is_open && base::num_elements(constant.shape) != 1;
    return is_open || first->value->has_function();
  }
  if (num_computed == 1) return !is_arithmetic && (node.kind != "Div" || operands.front().value == nullptr);
  const bool has_function = std::any_of(operands.begin(), operands.end(), [](const CodeOperand& operand) {
    return operand.value != nullptr && operand.value->has_function();
  });
  return !is_arithmetic || has_8_bits || has_function ||
         !quantizer_after(lowering, node.outputs.at(0), first->value->shape).has_value();
}

/// Sums without or with a function, whose scales have the same ratio to those of another one for all channels; the ratio.
std::optional<double> ratio_of(const Value& value, const Value& first) {
  const Format &own = value.format, &other = first.format;
  const bool is_same = value.kind == Value::Kind::Integers && value.is_real && value.is_wide() &&
                       value.tensor == first.tensor && value.shape == first.shape && value.order == first.order &&
                       own.scales.size() == other.scales.size() && own.axis == other.axis;
  if (!is_same) return std::nullopt;
  const double ratio = own.scales.front() / other.scales.front();
  for (size_t i = 0; i < own.scales.size(); ++i) {
    if (std::fabs(own.scales[i] - ratio * other.scales[i]) > 0x1p-30 * own.scales[i]) return std::nullopt;
  }
  return ratio;
}

enum class Pending : uint8_t { Nothing, Limits, Function };

/// Whether sums without a function of their own, or one of them and a constant, have an exact lowering: another bias,
/// another scale, a sum of sums.
bool has_own_lowering(const Lowering& lowering, const Node& node, std::optional<float> constant, Pending pending) {
  const bool is_scale = node.kind == "Mul" || node.kind == "Div", is_sum = node.kind == "Add" || node.kind == "Sub";
  if (!constant) return is_sum && pending == Pending::Nothing;
  if (is_scale)
    return pending != Pending::Function && *constant > 0 && !(node.kind == "Div" && lowering.is_constant(node, 0));
  const size_t operand = lowering.is_constant(node, 0) ? 1 : 0;
  const bool is_quantized = !lowering.value(node, 1 - operand).constant->type.is_float;
  return is_sum && pending == Pending::Nothing && (is_quantized || lowering.is_read_once(node.inputs[operand]));
}

/// The same for sums that no quantizer has met.
bool lower_sum_function(Lowering& lowering, const Node& node) {
  if (!takes_numbers(node.kind, node.inputs.size()) || !lowering.reaches_quantizer(node)) return false;
  const Value* first = nullptr;
  size_t num_computed = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lowering.has_input(node, i)) return false;
    if (lowering.is_constant(node, i)) continue;
    ++num_computed;
    if (first == nullptr) first = &lowering.value(node, i);
  }
  if (first == nullptr) return false;
  std::vector<std::function<float(float)>> functions;
  std::optional<float> constant;
  Pending has_function = Pending::Nothing;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& value = lowering.value(node, i);
    if (value.kind == Value::Kind::Constant) {
      const std::optional<float> number = single_number(value, first->shape, node.kind == "Pow" && i == 1);
      if (!number) return false;
      constant = number;
      functions.emplace_back([number = *number](float) { return number; });
      continue;
    }
    const std::optional<double> ratio = ratio_of(value, *first);
    if (!ratio) return false;
    if (value.has_function()) has_function = std::max(has_function, value.of_sum ? Pending::Function : Pending::Limits);
    functions.emplace_back([of_sum = pending_function(value), factor = static_cast<float>(*ratio)](float x) {
      return of_sum(factor == 1 ? x : x * factor);
    });
  }
  if (has_own_lowering(lowering, node, num_computed == 1 ? constant : std::nullopt, has_function)) return false;
  Value value = *first;
  value.of_sum = nullptr;
  value.low = -kInfinity;
  value.high = kInfinity;
  value.layer = node.name;
  value = with_function(std::move(value), [functions, function = numbers_function(node.kind)](float x) {
    std::vector<float> numbers;
    for (const auto& one : functions) numbers.push_back(one(x));
    return function(numbers);
  });
  lowering.define(node, std::move(value));
  return true;
}

/// What a TABLE or CLAMP of 8-bit codes makes of each code; none for another operator.
std::optional<CodeMap> codes_of_table(const ir::Graph& graph, const ir::Operator& op) {
  if (op.inputs.empty()) return std::nullopt;
  const bool is_8_bits = graph.tensor(op.inputs[0]).type == base::ElementType::Int8 &&
                         graph.tensor(op.outputs[0]).type == base::ElementType::Int8;
  if (!is_8_bits) return std::nullopt;
  if (op.kind == ir::OpKind::Table) {
    const auto& table = graph.tensor(op.inputs[1]).constant;
    if (table == nullptr) return std::nullopt;
    CodeMap codes;
    for (int64_t i = 0; i < kNumBytes; ++i) codes.push_back(table->at(i));
    return codes;
  }
  if (op.kind != ir::OpKind::Clamp) return std::nullopt;
  const auto& limits = op.attributes_as<ir::ClampAttributes>();
  CodeMap codes = same_codes();
  for (int64_t& code : codes) code = std::clamp(code, limits.min, limits.max);
  return codes;
}

}  // namespace

bool is_code_function(const std::string& kind) { return numbers_function(kind) != nullptr; }

bool lower_code_function(Lowering& lowering, const Node& node) {
  if (lower_sum_function(lowering, node)) return true;
  if (!takes_numbers(node.kind, node.inputs.size()) || !lowering.reaches_quantizer(node)) return false;
  if (std::any_of(node.inputs.begin(), node.inputs.end(), [](const std::string& name) { return name.empty(); }))
    return false;
  std::optional<std::vector<CodeOperand>> operands = code_operands(lowering, node);
  if (!operands || !gains(lowering, node, *operands)) return false;
  const std::optional<ir::TensorId> common = joined_code(lowering, *operands);
  if (!common) return false;
  const auto first =
      std::find_if(operands->begin(), operands->end(), [](const CodeOperand& operand) { return operand.value != nullptr; });
  Value value = *first->value;
  value.tensor = *common;
  value.low = -kInfinity;
  value.high = kInfinity;
  value.layer = node.name;
  const NumbersFunction function = numbers_function(node.kind);
  std::vector<float> numbers(operands->size()), reals;
  for (size_t code = 0; code < first->reals.size(); ++code) {
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = (*operands)[i].at(code);
    reals.push_back(function(numbers));
  }
  value.reals = std::move(reals);
  lowering.define(node, std::move(value));
  return true;
}

void refuse_code_function(Lowering& lowering, const Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lowering.has_input(node, i)) refuse("input {} is missing", i);
  }
  if (!lowering.reaches_quantizer(node)) refuse("no quantizer follows, expected QuantizeLinear after the result");
  refuse("allowed are operands that are functions of one quantized value, element by element, and constants of one number");
}

void merge_tables(GraphBuilder& builder) {
  ir::Graph& graph = builder.graph();
  std::vector<int64_t> num_readers(graph.tensors.size(), 0);
  for (const ir::TensorId id : graph.outputs) num_readers[static_cast<size_t>(id)] += 2;  // which stays
  for (const ir::Operator& op : graph.operators) {
    for (const ir::TensorId id : op.inputs) ++num_readers[static_cast<size_t>(id)];
  }
  std::map<ir::TensorId, size_t> producers;
  std::vector<bool> is_merged(graph.operators.size(), false);
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    producers[graph.operators[i].outputs[0]] = i;
    const std::optional<CodeMap> second = codes_of_table(graph, graph.operators[i]);
    const auto producer = producers.find(graph.operators[i].inputs.empty() ? -1 : graph.operators[i].inputs[0]);
    if (!second || producer == producers.end() || num_readers[static_cast<size_t>(producer->first)] != 1) continue;
    const std::optional<CodeMap> first = codes_of_table(graph, graph.operators[producer->second]);
    if (!first) continue;
    const CodeMap codes = composed(*first, *second);
    const ir::TensorId source = graph.operators[producer->second].inputs[0];
    is_merged[producer->second] = true;
    const auto [low, high] = std::minmax_element(codes.begin(), codes.end());
    CodeMap clamped = same_codes();
    for (int64_t& code : clamped) code = std::clamp(code, *low, *high);
    const bool is_clamp = clamped == codes;
    std::vector<ir::TensorId> inputs{source};
    if (!is_clamp) inputs.push_back(builder.add_constant(base::ElementType::Int8, {kNumBytes}, codes));
    ir::Operator& op = graph.operators[i];
    op.kind = is_clamp ? ir::OpKind::Clamp : ir::OpKind::Table;
    op.attributes = is_clamp ? ir::Attributes(ir::ClampAttributes{*low, *high}) : ir::Attributes();
    op.inputs = std::move(inputs);
  }
  size_t index = 0;
  std::erase_if(graph.operators, [&](const ir::Operator&) { return is_merged[index++]; });
}

}  // namespace vernier::import::quantized
