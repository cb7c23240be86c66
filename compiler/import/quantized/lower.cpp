// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/lower.hpp"

#include "compiler/import/quantized/boundary/host.hpp"
#include "compiler/import/quantized/boundary/input_formats.hpp"
#include "compiler/import/quantized/functions/code_functions.hpp"
#include "compiler/import/quantized/lowering.hpp"
#include "compiler/import/quantized/mistakes.hpp"
#include "compiler/import/quantized/operators/expand_qoperators.hpp"
#include "compiler/import/quantized/operators/fold.hpp"
#include "compiler/import/quantized/operators/known_attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"
#include "compiler/import/quantized/operators/threshold_chain.hpp"
#include "compiler/import/quantized/recurrent/recurrent.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace vernier::import::quantized {

namespace {

struct LoweringRow {
  std::string_view kind;
  LowerOperator lower;
};
constexpr std::string_view kEncoding = "Encoding";  // not an operator that a file may have
constexpr std::array kOperators{
    LoweringRow{"Abs", lower_unary},
    LoweringRow{"Add", lower_add},
    LoweringRow{"And", lower_logic},
    LoweringRow{"ArgMax", lower_argmax},
    LoweringRow{"ArgMin", lower_argmax},
    LoweringRow{"AveragePool", lower_average_pool},
    LoweringRow{"BatchNormalization", lower_batch_norm},
    LoweringRow{"BipolarQuant", lower_quant},
    LoweringRow{"Cast", lower_cast},
    LoweringRow{"Ceil", lower_unary},
    LoweringRow{"Celu", lower_unary},
    LoweringRow{"Clip", lower_unary},
    LoweringRow{"Concat", lower_concat},
    LoweringRow{"Conv", lower_conv},
    LoweringRow{"ConvTranspose", lower_conv_transpose},
    LoweringRow{"Cos", lower_unary},
    LoweringRow{"DepthToSpace", lower_depth_to_space},
    LoweringRow{"DequantizeLinear", lower_dequantize},
    LoweringRow{"Div", lower_div},
    LoweringRow{"Elu", lower_unary},
    LoweringRow{kEncoding, lower_encoding},
    LoweringRow{"Equal", lower_compare},
    LoweringRow{"Erf", lower_unary},
    LoweringRow{"Exp", lower_unary},
    LoweringRow{"Expand", lower_expand},
    LoweringRow{"Flatten", lower_reshape},
    LoweringRow{"Floor", lower_unary},
    LoweringRow{"GRU", lower_gru},
    LoweringRow{"Gather", lower_gather},
    LoweringRow{"Gelu", lower_unary},
    LoweringRow{"Gemm", lower_gemm},
    LoweringRow{"GlobalAveragePool", lower_global_average_pool},
    LoweringRow{"GlobalMaxPool", lower_global_max_pool},
    LoweringRow{"Greater", lower_compare},
    LoweringRow{"GreaterOrEqual", lower_compare},
    LoweringRow{"GroupNormalization", lower_group_norm},
    LoweringRow{"HardSigmoid", lower_unary},
    LoweringRow{"HardSwish", lower_unary},
    LoweringRow{"Identity", lower_identity},
    LoweringRow{"InstanceNormalization", lower_instance_norm},
    LoweringRow{"LSTM", lower_lstm},
    LoweringRow{"LayerNormalization", lower_layer_norm},
    LoweringRow{"LeakyRelu", lower_unary},
    LoweringRow{"Less", lower_compare},
    LoweringRow{"LessOrEqual", lower_compare},
    LoweringRow{"Log", lower_unary},
    LoweringRow{"LogSoftmax", lower_log_softmax},
    LoweringRow{"LpNormalization", lower_lp_norm},
    LoweringRow{"MatMul", lower_matmul},
    LoweringRow{"Max", lower_extreme},
    LoweringRow{"MaxPool", lower_max_pool},
    LoweringRow{"Mean", refuse_code_function},
    LoweringRow{"Min", lower_extreme},
    LoweringRow{"Mish", lower_unary},
    LoweringRow{"Mul", lower_mul},
    LoweringRow{"MultiThreshold", lower_multi_threshold},
    LoweringRow{"Neg", lower_unary},
    LoweringRow{"Not", lower_logic},
    LoweringRow{"Or", lower_logic},
    LoweringRow{"PRelu", lower_prelu},
    LoweringRow{"Pad", lower_pad},
    LoweringRow{"Pow", lower_unary},
    LoweringRow{"Quant", lower_quant},
    LoweringRow{"QuantAvgPool2d", lower_quant_average_pool},
    LoweringRow{"QuantizeLinear", lower_quantize},
    LoweringRow{"Reciprocal", lower_unary},
    LoweringRow{"ReduceMax", lower_reduce_extreme},
    LoweringRow{"ReduceMean", lower_reduce_mean},
    LoweringRow{"ReduceMin", lower_reduce_extreme},
    LoweringRow{"ReduceProd", lower_reduce_prod},
    LoweringRow{"ReduceSum", lower_reduce_mean},
    LoweringRow{"Relu", lower_unary},
    LoweringRow{"Reshape", lower_reshape},
    LoweringRow{"Resize", lower_resize},
    LoweringRow{"Round", lower_unary},
    LoweringRow{"Selu", lower_unary},
    LoweringRow{"Sigmoid", lower_unary},
    LoweringRow{"Sign", lower_unary},
    LoweringRow{"Sin", lower_unary},
    LoweringRow{"Slice", lower_slice},
    LoweringRow{"Softmax", lower_softmax},
    LoweringRow{"Softplus", lower_unary},
    LoweringRow{"Softsign", lower_unary},
    LoweringRow{"SpaceToDepth", lower_space_to_depth},
    LoweringRow{"Split", lower_split},
    LoweringRow{"Sqrt", lower_unary},
    LoweringRow{"Squeeze", lower_reshape},
    LoweringRow{"Sub", lower_sub},
    LoweringRow{"Sum", refuse_code_function},
    LoweringRow{"Tanh", lower_unary},
    LoweringRow{"ThresholdedRelu", lower_unary},
    LoweringRow{"Tile", lower_tile},
    LoweringRow{"Transpose", lower_transpose},
    LoweringRow{"Trunc", lower_trunc},
    LoweringRow{"Unsqueeze", lower_reshape},
    LoweringRow{"Where", lower_where},
    LoweringRow{"Xor", lower_logic},
};

/// Operators and attributes.
void add_unknown(const Network& network, Mistakes& mistakes) {
  const ThresholdChains chains(network);
  for (const Node& node : network.nodes) {
    const bool is_known = find_operator(node.kind) != nullptr || is_folded_only(node.kind) || is_host_operator(node.kind) ||
                          is_qoperator(node.kind);
    if (!is_known && !chains.is_inner(node)) {
      mistakes.add(node, std::string(kNotSupported));
    } else if (const auto unknown = unknown_attribute(node)) {
      mistakes.add(node, *unknown);
    }
  }
}

/// What can be told before anything is lowered. Whether the network is quantized.
bool check_operators(const Network& network, Mistakes& mistakes) {
  const bool is_quantized = std::any_of(network.nodes.begin(), network.nodes.end(), [](const Node& node) {
    return is_quantizer(node.kind) || node.kind == "DynamicQuantizeLinear";  // which is refused by its name
  });
  if (!is_quantized && mistakes.empty()) {
    mistakes.add(
        "this network is not quantized: it has no QuantizeLinear and no DequantizeLinear; --encodings takes how AIMET "
        "quantizes it");
  }
  add_unknown(network, mistakes);
  return is_quantized;
}

/// Gives the open dimensions of inputs a size; lists the inputs of which the first one became the batch.
std::vector<std::string> fill_shapes(Network& network, const Options& options, const std::string& file, Mistakes& mistakes) {
  const ir::OpenShapes& open = options.open;
  std::vector<std::string> open_inputs, names;
  for (const End& input : network.inputs) names.push_back(input.name);
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const base::UserError& error) {
      mistakes.add_line(error.what());
    }
  };
  for (const auto& named : open.named) attempt([&] { ir::check_input_name("--shape", named.first, names); });
  for (const auto& given : options.input_formats)
    attempt([&] { ir::check_input_name("--input-format", given.first, names); });
  for (size_t i = 0; i < network.inputs.size(); ++i) {
    const std::string& name = network.inputs[i].name;
    base::Shape& shape = network.inputs[i].shape;
    bool is_filled = false;
    attempt([&] {
      if (ir::fill_input_shape(shape, name, i, open, file)) open_inputs.push_back(name);
      is_filled = true;
    });
    if (!is_filled) continue;
    if (!is_addressable(shape)) {
      mistakes.add(fmt::format("input '{}' {} has a dimension of 0, or is larger than the machine's memory", name,
                               base::to_string(shape)));
    } else if (open_inputs.empty() && open.batch && (shape.empty() || shape.front() != *open.batch)) {
      mistakes.add(fmt::format("input '{}' {} has no batch of {}", name, base::to_string(shape), *open.batch));
    }
  }
  return open_inputs;
}

/// Codes that no DequantizeLinear has made numbers may be moved and compared, and that is all.
void check_reads_numbers(const Lowering& lowering, const Node& node) {
  constexpr std::array<std::string_view, 36> kTakeCodes{"And",
                                                        "ArgMax",
                                                        "ArgMin",
                                                        "Cast",
                                                        "Clip",
                                                        "Concat",
                                                        "DepthToSpace",
                                                        "DequantizeLinear",
                                                        "Equal",
                                                        "Expand",
                                                        "Flatten",
                                                        "Gather",
                                                        "GlobalMaxPool",
                                                        "Greater",
                                                        "GreaterOrEqual",
                                                        "Identity",
                                                        "Less",
                                                        "LessOrEqual",
                                                        "MaxPool",
                                                        "Not",
                                                        "Or",
                                                        "Pad",
                                                        "ReduceMax",
                                                        "ReduceMin",
                                                        "Relu",
                                                        "Reshape",
                                                        "Resize",
                                                        "Slice",
                                                        "SpaceToDepth",
                                                        "Split",
                                                        "Squeeze",
                                                        "Tile",
                                                        "Transpose",
                                                        "Unsqueeze",
                                                        "Where",
                                                        "Xor"};
  if (std::find(kTakeCodes.begin(), kTakeCodes.end(), node.kind) != kTakeCodes.end()) return;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lowering.has_input(node, i)) continue;
    const Value& value = lowering.value(node, i);
    if (value.kind != Value::Kind::Constant && !value.is_real)
      refuse("'{}' holds integers, expected numbers", node.inputs[i]);
  }
}

/// What the machine does not take may be the host's.
void lower_on_machine(Lowering& lowering, const Node& node) {
  try {
    check_reads_numbers(lowering, node);
    if (lower_code_function(lowering, node)) return;
    find_operator(node.kind)(lowering, node);
  } catch (const NodeMistake&) {
    if (!lower_refused_on_host(lowering, node)) throw;
  }
}

void lower_node(Lowering& lowering, const Node& node, Mistakes& mistakes) {
  if (mistakes.has(node) || lowering.reads_failed(node)) return;
  try {
    if (fold(lowering, node)) return;
    const std::optional<Node> clip = as_clip(lowering, node);
    const Node& lowered = clip ? *clip : node;
    if (lower_on_host(lowering, lowered)) return;
    lower_on_machine(lowering, lowered);
  } catch (const NodeMistake& mistake) {
    mistakes.add(node, mistake.what());
  }
}

/// What is computed of constants alone, before anything else: scales and zero points that later nodes look ahead to.
/// The nodes that are done.
std::set<const Node*> fold_constants(Lowering& lowering, const Network& network, Mistakes& mistakes) {
  std::set<const Node*> done;
  for (const Node& node : network.nodes) {
    if (lowering.reads_failed(node)) continue;  // it reads what is computed
    bool is_constant = true;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      is_constant = is_constant && (!lowering.has_input(node, i) || lowering.is_constant(node, i));
    constexpr std::array<std::string_view, 6> kMove{"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
    const bool is_moved = std::find(kMove.begin(), kMove.end(), node.kind) != kMove.end();
    try {
      if (is_constant && is_moved) find_operator(node.kind)(lowering, node);
      if (is_constant && (is_moved || fold(lowering, node))) done.insert(&node);
    } catch (const NodeMistake& mistake) {
      mistakes.add(node, mistake.what());
      done.insert(&node);
    }
  }
  return done;
}

void lower_nodes(Lowering& lowering, const Network& network, Mistakes& mistakes) {
  const ThresholdChains chains(network);
  const std::set<const Node*> folded = fold_constants(lowering, network, mistakes);
  for (const Node& node : network.nodes) {
    if (folded.contains(&node)) continue;
    if (chains.is_inner(node) || lowering.reads_failed(chains.first_of(node))) continue;
    const std::vector<const Node*>& before = chains.before(node);
    if (mistakes.has(node) || std::any_of(before.begin(), before.end(), [&](const Node* one) { return mistakes.has(*one); }))
      continue;
    try {
      if (chains.lower(lowering, node)) continue;
    } catch (const NodeMistake& mistake) {
      mistakes.add(node, mistake.what());
      continue;
    }
    for (const Node* one : before) lower_node(lowering, *one, mistakes);
    lower_node(lowering, node, mistakes);
  }
}

/// The graph and its boundary; nothing where there are mistakes, which come of all nodes at once.
void lower_network(ImportResult& result, const Network& network, const Options& options, Mistakes& mistakes,
                   std::vector<std::string> warnings) {
  Lowering lowering(network);
  lower_nodes(lowering, network, mistakes);
  if (mistakes.empty()) {
    for (const std::string& mistake : lowering.finish()) mistakes.add(mistake);
  }
  if (!mistakes.empty()) return;
  ir::Graph& graph = lowering.graph.graph();
  remove_unread(graph);
  merge_tables(lowering.graph);
  for (const std::string& mistake : ir::find_mistakes(graph, mistakes.file(), options.level)) mistakes.add_line(mistake);
  if (!mistakes.empty()) return;
  for (const ir::Operator& op : graph.operators) result.names.push_back(op.location);
  result.source_tensors = lowering.source_tensors();
  result.real_tensors = lowering.real_tensors();
  result.graph = std::move(graph);
  result.boundary = std::move(lowering.boundary);
  result.rescalings = std::move(lowering.rescalings);
  warnings.insert(warnings.end(), lowering.warnings.begin(), lowering.warnings.end());
  for (const std::string& warning : warnings)
    result.findings.push_back(
        {Finding::Severity::Warning, base::UserError(mistakes.file(), std::string_view(warning)).what()});
}

}  // namespace

std::vector<Finding> settle_shapes(const std::string& file, Network& network, const Options& options) {
  ImportResult result;
  Mistakes mistakes(file, result);
  fill_shapes(network, options, file, mistakes);
  return std::move(result.findings);
}

LowerOperator find_operator(const std::string& kind) {
  for (const LoweringRow& row : kOperators) {
    if (row.kind == kind) return row.lower;
  }
  return nullptr;
}

std::string supported_operators() {
  std::string text;
  for (const LoweringRow& row : kOperators) {
    if (row.kind != kEncoding) text += fmt::format("{} ", row.kind);
  }
  return text + supported_qoperators();
}

std::vector<Finding> unknown_operators(const std::string& file, const Network& network) {
  ImportResult result;
  Mistakes mistakes(file, result);
  add_unknown(network, mistakes);
  mistakes.finish();
  return std::move(result.findings);
}

ImportResult lower(const std::string& file, Network network, const Options& options) {
  ImportResult result;
  Mistakes mistakes(file, result);
  for (const std::string& mistake : expand_qoperators(network)) mistakes.add(mistake);
  std::vector<std::string> open_inputs = fill_shapes(network, options, file, mistakes);
  std::vector<std::string> warnings;
  for (const std::string& line : add_annotated_formats(network, options.input_formats, warnings)) mistakes.add_line(line);
  const bool has_ends = mistakes.empty();
  const bool is_quantized = check_operators(network, mistakes);
  if (has_ends && is_quantized) {
    lower_network(result, network, options, mistakes, warnings);
    result.open_inputs = std::move(open_inputs);
  }
  mistakes.finish();
  return result;
}

}  // namespace vernier::import::quantized
