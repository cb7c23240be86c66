// SPDX-License-Identifier: Apache-2.0
// From a file to a graph: all operators in the order of the file, and all mistakes of a step at once.
#include "compiler/import/tflite/lite_batch.hpp"
#include "compiler/import/tflite/lite_lowering.hpp"
#include "compiler/import/tflite/lite_signatures.hpp"
#include "compiler/import/tflite/operators/fold.hpp"
#include "compiler/import/tflite/operators/table.hpp"
#include "compiler/import/tflite/real_tensors.hpp"
#include "compiler/import/tflite/tflite.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <set>

namespace vernier::import {

namespace {

using lite::LiteLowering;
using lite::LiteNetwork;
using lite::LiteOperator;
using tflite::BuiltinOperator;

constexpr size_t kMostNesting = 16;  // of control flow; TOSA's level 8k allows 6

/// What the lowerings of all subgraphs share.
struct Common {
  const std::string& file;
  const lite::LiteFile& content;
  int32_t main;  // the subgraph that is the network
  TfliteRounding flavour = TfliteRounding::LitertRef;
  std::vector<ir::Region> regions = {};
  std::vector<ir::Variable> variables = {};
  std::vector<int32_t> running =
      {};  // subgraphs that are being lowered: each but the first by an operator of the one before
  std::vector<std::string> mistakes = {}, warnings = {},
                           dependent = {};  // the last: layers whose values depend on the flavour
};

/// One subgraph: the network, or what IF and WHILE run.
class SubgraphImport {
 public:
  SubgraphImport(Common& common, int32_t number)
      : common_(common),
        number_(number),
        network_(common.content[static_cast<size_t>(number)]),
        lowering_(
            common.content, network_, common.variables, [this](int32_t index) { return region(index); }, common.flavour) {}

  /// The graph, where there are no mistakes.
  ir::Graph run() {
    add_inputs();
    look_at_kinds();
    for (const LiteOperator& op : network_.operators) lower(op);
    add_outputs();
    return std::move(lowering_.graph.graph());
  }

  /// What can be said of a file whose structure has mistakes: operators that are not read.
  void look_at_kinds() {
    add_unread();
    add_floats();
  }

  [[nodiscard]] const package::Boundary& boundary() const { return boundary_; }
  [[nodiscard]] std::vector<RealTensor> real_tensors(const ir::Graph& graph) const {
    return lite::real_tensors(network_, lowering_, graph);
  }

 private:
  [[nodiscard]] bool is_main() const { return number_ == common_.main; }
  void add(const std::string& text) {
    if (common_.mistakes.size() < ir::kMostMistakes)
      common_.mistakes.emplace_back(
          base::UserError(common_.file, "{}{}", is_main() ? "" : fmt::format("subgraph {}: ", number_), text).what());
  }
  void add(const LiteOperator& op, const std::string& text) {
    const std::string name = op.outputs.empty() ? "" : network_.tensors[static_cast<size_t>(op.outputs[0])].name;
    add(fmt::format("operator {} {} '{}': {}", op.number, op.kind, name, text));
  }

  void add_inputs() {
    for (const lite::LiteTensor& tensor : network_.tensors) lowering_.graph.reserve_name(tensor.name);
    for (const int32_t index : network_.inputs) {
      const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
      if (tensor.is_constant || lowering_.find(index)) {
        add(fmt::format("input '{}' {}", tensor.name, tensor.is_constant ? "is a constant" : "is listed twice"));
        continue;  // it has a value
      }
      if (is_main() && tensor.type == tflite::TensorType::FLOAT32) {
        if (!add_float_input(index)) lowering_.fail(index);
        continue;
      }
      const std::optional<base::ElementType> type = lite::element_type_of(tensor.type);
      if (!type || *type == base::ElementType::Int4) {
        add(fmt::format("input '{}' is {}, allowed are INT8, UINT8, INT16, INT32, BOOL, and FLOAT32 in front of QUANTIZE",
                        tensor.name, lite::type_in_file(tensor)));
        lowering_.fail(index);
        continue;
      }
      lowering_.define(index, add_input(*type, tensor));
      if (tensor.is_unsigned) boundary_.inputs.push_back(end_of(tensor.name, tensor));
    }
  }

  ir::TensorId add_input(base::ElementType type, const lite::LiteTensor& tensor) {
    const ir::TensorId id = lowering_.graph.add_tensor(type, tensor.shape, tensor.name);
    lowering_.graph.rename(id, tensor.name);
    lowering_.graph.graph().inputs.push_back(id);
    return id;
  }

  /// An input of floats: its codes are those that all of its readers make of it. False where something is wrong with it.
  bool add_float_input(int32_t index) {
    const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
    const lite::LiteTensor* codes = nullptr;
    std::vector<int32_t> results;
    for (const LiteOperator& op : network_.operators) {
      if (std::find(op.inputs.begin(), op.inputs.end(), index) == op.inputs.end()) continue;
      if (op.code != BuiltinOperator::QUANTIZE) {
        if (is_end(op)) add(fmt::format("input '{}' is FLOAT32 and read by {}, allowed is QUANTIZE", tensor.name, op.kind));
        return false;  // of other readers look_at_kinds() tells
      }
      const lite::LiteTensor& result = network_.tensors[static_cast<size_t>(op.outputs.at(0))];
      if (codes != nullptr &&
          (result.type != codes->type || result.scales != codes->scales || result.zero_points != codes->zero_points))
        return wrong(fmt::format("input '{}' becomes codes of different scales, allowed is one", tensor.name));
      if (result.shape != tensor.shape)
        return wrong(fmt::format("input '{}' is {}, and '{}' {}", tensor.name, base::to_string(tensor.shape), result.name,
                                 base::to_string(result.shape)));
      codes = &result;
      results.push_back(op.outputs[0]);
    }
    if (codes == nullptr) return wrong(fmt::format("input '{}' is FLOAT32, and no QUANTIZE makes codes of it", tensor.name));
    try {
      static_cast<void>(lowering_.codes(*codes));
    } catch (const lite::LiteMistake& mistake) {
      return wrong(mistake.what());
    }
    const ir::TensorId id = add_input(*lite::element_type_of(codes->type), tensor);
    for (const int32_t result : results) lowering_.define(result, id);
    package::BoundaryEnd end = end_of(tensor.name, *codes);
    end.is_float = end.rounds_away = true;
    boundary_.inputs.push_back(std::move(end));
    return true;
  }

  bool wrong(const std::string& text) {
    add(text);
    return false;
  }

  /// Dynamic-range quantization leaves activations in floats.
  [[nodiscard]] bool has_quantized_weights(const LiteOperator& op) const {
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](int32_t index) {
      if (index < 0) return false;
      const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
      return tensor.is_constant && !tensor.scales.empty();
    });
  }

  static bool is_end(const LiteOperator& op) {
    return op.code == BuiltinOperator::QUANTIZE || op.code == BuiltinOperator::DEQUANTIZE;
  }

  /// Operators between the ends that compute with floats: all of them, or one line for a network that is not quantized.
  void add_floats() {
    const auto is_float = [&](int32_t index) {
      return index >= 0 && network_.tensors[static_cast<size_t>(index)].type == tflite::TensorType::FLOAT32;
    };
    std::vector<const LiteOperator*> floats;
    for (const LiteOperator& op : network_.operators) {
      if (is_end(op) || lite::find_lowering(op.code) == nullptr) continue;
      if (std::any_of(op.inputs.begin(), op.inputs.end(), is_float) ||
          std::any_of(op.outputs.begin(), op.outputs.end(), is_float))
        floats.push_back(&op);
    }
    for (const LiteOperator* op : floats) refused_.insert(op->number);
    // A DEQUANTIZE that one of them reads is part of the same mistake.
    for (const LiteOperator& op : network_.operators) {
      if (op.code == BuiltinOperator::DEQUANTIZE && is_read_by_refused(op)) refused_.insert(op.number);
    }
    if (floats.empty()) return;
    if (!has_codes()) {
      const bool has_quantized =
          std::any_of(floats.begin(), floats.end(), [&](const auto* op) { return has_quantized_weights(*op); });
      const std::string which = floats.size() == 1 ? "its operator computes with FLOAT32"
                                                   : fmt::format("its {} operators compute with FLOAT32", floats.size());
      return add(fmt::format(
          "not quantized: {}{} (docs/guides/your-own-network.md)", which,
          has_quantized ? ": weights alone are quantized, needed are activations too" : ", needed are integers"));
    }
    for (const LiteOperator* op : floats)
      add(*op, fmt::format("computes with FLOAT32{}: floats stand at the ends of a network alone "
                           "(docs/guides/your-own-network.md)",
                           has_quantized_weights(*op) ? ", and its weights alone are quantized" : ""));
  }

  [[nodiscard]] bool is_read_by_refused(const LiteOperator& op) const {
    return std::any_of(network_.operators.begin(), network_.operators.end(), [&](const LiteOperator& reader) {
      return refused_.contains(reader.number) &&
             std::find_first_of(reader.inputs.begin(), reader.inputs.end(), op.outputs.begin(), op.outputs.end()) !=
                 reader.inputs.end();
    });
  }

  /// Whether any operator reads or gives codes that are no constants.
  [[nodiscard]] bool has_codes() const {
    const auto is_code = [&](int32_t index) {
      if (index < 0) return false;
      const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
      return !tensor.is_constant && !tensor.scales.empty() && tensor.type != tflite::TensorType::FLOAT32;
    };
    return std::any_of(network_.operators.begin(), network_.operators.end(), [&](const LiteOperator& op) {
      return std::any_of(op.inputs.begin(), op.inputs.end(), is_code) ||
             std::any_of(op.outputs.begin(), op.outputs.end(), is_code);
    });
  }

  /// Which add_float_input() has seen to.
  [[nodiscard]] bool is_quantize_of_input(const LiteOperator& op) const {
    return op.code == BuiltinOperator::QUANTIZE && !op.inputs.empty() && op.inputs[0] >= 0 && is_main() &&
           network_.tensors[static_cast<size_t>(op.inputs[0])].type == tflite::TensorType::FLOAT32 &&
           lowering_.find(op.outputs.at(0)).has_value();
  }

  /// What a tensor's codes stand for. Unsigned ones lie in the graph less 128.
  static package::BoundaryEnd end_of(const std::string& name, const lite::LiteTensor& tensor) {
    package::BoundaryEnd end;
    end.tensor = name;
    end.is_float = false;
    end.is_signed = !tensor.is_unsigned;
    if (!tensor.scales.empty()) end.scale = tensor.scales.front();
    if (!tensor.zero_points.empty()) end.zero_point = tensor.zero_points.front() + (tensor.is_unsigned ? 128 : 0);
    return end;
  }

  /// Operators that are not read, all of them, each kind once.
  void add_unread() {
    std::vector<std::string> told;
    for (const LiteOperator& op : network_.operators) {
      if (lite::find_lowering(op.code) != nullptr) continue;
      refused_.insert(op.number);
      if (std::find(told.begin(), told.end(), op.kind) != told.end()) continue;
      told.push_back(op.kind);
      add(op,
          "is not read; docs/reference/tflite.md lists what is, and ./dev tosa may take it "
          "(docs/guides/your-own-network.md)");
    }
  }

  void lower(const LiteOperator& op) {
    if (refused_.contains(op.number) || lowering_.reads_failed(op)) return lowering_.fail(op);
    try {
      if (op.outputs.size() > 1 && !lite::has_several_outputs(op.code))
        lite::refuse("has {} outputs, expected one", op.outputs.size());
      if (is_quantize_of_input(op)) return;
      for (const int32_t output : op.outputs) {
        if (lowering_.find(output) || !given_.insert(output).second)
          lite::refuse("gives '{}', which has a value already", network_.tensors[static_cast<size_t>(output)].name);
      }
      if (lite::fold(lowering_, op)) return;
      check_flavour(op);
      lite::find_lowering(op.code)(lowering_, op);
      if (!lowering_.warning.empty())
        common_.warnings.push_back(
            fmt::format("{}: operator {} {}: {}", common_.file, op.number, op.kind, lowering_.warning));
      lowering_.warning.clear();
    } catch (const lite::LiteMistake& mistake) {
      add(op, mistake.what());
      lowering_.fail(op);
    }
  }

  /// LiteMistake where the flavour computes something that is not built; else notes that the layer depends on it.
  void check_flavour(const LiteOperator& op) {
    if (lowering_.rule(op) == lite::Rule::Refused)
      lite::refuse("is not read with --tflite-rounding {}, allowed is litert-ref", to_string(common_.flavour));
    if (!op.outputs.empty() && lite::depends_on_flavour(network_, op))
      common_.dependent.push_back(network_.tensors[static_cast<size_t>(op.outputs[0])].name);
  }

  /// The name of the region that a subgraph becomes.
  std::string region(int32_t index) {
    if (index < 0 || index == common_.main || index >= std::ssize(common_.content))
      lite::refuse("runs subgraph {}, {}", index, lite::others_of(common_.content));
    std::vector<int32_t>& running = common_.running;
    if (index == number_ || std::find(running.begin(), running.end(), index) != running.end())
      lite::refuse("runs subgraph {}, which runs it", index);
    if (running.size() >= kMostNesting) lite::refuse("nests control flow more than {} deep", kMostNesting);
    const std::string name = fmt::format("subgraph_{}", index);
    const auto is_it = [&](const ir::Region& one) { return one.name == name; };
    if (std::any_of(common_.regions.begin(), common_.regions.end(), is_it)) return name;
    running.push_back(number_);
    ir::Region region{name, SubgraphImport(common_, index).run()};
    running.pop_back();
    common_.regions.push_back(std::move(region));
    return name;
  }

  void add_outputs() {
    for (const int32_t index : network_.outputs) {
      if (lowering_.has_failed(index)) continue;
      const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
      if (!is_main()) lowering_.materialise(index);
      const auto found = lowering_.find(index);
      ir::Graph& graph = lowering_.graph.graph();
      const bool is_input = found && std::find(graph.inputs.begin(), graph.inputs.end(), *found) != graph.inputs.end();
      if (!found || (is_main() && (tensor.is_constant || is_input))) {
        add(fmt::format("output '{}' is {}", tensor.name,
                        tensor.is_constant       ? "a constant"
                        : is_input               ? "an input of the network"
                        : given_.contains(index) ? "known before the network runs"
                                                 : "given by no operator"));
        continue;
      }
      graph.outputs.push_back(*found);
      if (const auto codes = lowering_.dequantized.find(index); codes != lowering_.dequantized.end()) {
        boundary_.outputs.push_back(end_of(tensor.name, network_.tensors[static_cast<size_t>(codes->second)]));
        boundary_.outputs.back().is_float = true;
      } else if (tensor.is_unsigned) {
        boundary_.outputs.push_back(end_of(tensor.name, tensor));
      }
    }
  }

  Common& common_;
  int32_t number_;  // of the subgraph
  const LiteNetwork& network_;
  LiteLowering lowering_;
  package::Boundary boundary_;
  std::set<int32_t> given_;    // tensors that operators have given
  std::set<int64_t> refused_;  // numbers of operators that are not lowered, of which look_at_kinds() tells
};

void check_options(const LiteNetwork& network, const Options& options) {
  std::vector<std::string> names;
  for (const int32_t index : network.inputs) names.push_back(network.tensors[static_cast<size_t>(index)].name);
  for (const auto& [name, shape] : options.open.named) ir::check_input_name("--shape", name, names);
  for (const auto& [name, format] : options.input_formats) {
    ir::check_input_name("--input-format", name, names);
    throw base::UserError("--input-format", "input '{}' holds integers, allowed are inputs of float32", name);
  }
}

ImportResult import_file(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  auto [content, mistakes] = lite::read_file(file, bytes);
  if (!mistakes.empty()) {
    Common kinds{file, content, 0};
    SubgraphImport(kinds, 0).look_at_kinds();
    mistakes.insert(mistakes.end(), kinds.mistakes.begin(), kinds.mistakes.end());
    throw base::UserErrors(mistakes);
  }
  const std::vector<lite::LiteSignature> signatures = lite::read_signatures(file, bytes, content);
  const std::optional<lite::LiteSignature> signature = lite::choose_signature(signatures, options.signature, content);
  Common common{file, content, signature ? signature->subgraph : 0,
                options.tflite_rounding.value_or(TfliteRounding::LitertRef)};
  check_options(content[static_cast<size_t>(common.main)], options);
  ImportResult result;
  result.open_inputs = lite::set_batch(content, common.main, options.open, file);
  SubgraphImport main(common, common.main);
  ir::Graph graph = main.run();
  if (common.mistakes.empty()) {
    graph.regions = std::move(common.regions);
    graph.variables = std::move(common.variables);
    for (const std::string& mistake : ir::find_mistakes(graph, file, options.level)) common.mistakes.push_back(mistake);
    for (const ir::Operator& op : graph.operators) result.names.push_back(op.location);
  }
  if (common.mistakes.empty()) {
    result.real_tensors = main.real_tensors(graph);
    result.graph = std::move(graph);
    result.boundary = main.boundary();
    result.tflite_rounding = TfliteRoundingUse{std::string(to_string(common.flavour)), std::move(common.dependent)};
  }
  if (const std::string note = lite::note_of_signatures(file, signatures); !note.empty() && !options.signature)
    result.findings.push_back({Finding::Severity::Note, note});
  for (const std::string& note : common.warnings) result.findings.push_back({Finding::Severity::Warning, note});
  for (const std::string& mistake : common.mistakes) result.findings.push_back({Finding::Severity::Error, mistake});
  return result;
}

}  // namespace

ImportResult import_tflite(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  ImportResult result;
  try {
    return import_file(file, bytes, options);
  } catch (const base::UserErrors& errors) {
    result.findings.push_back({Finding::Severity::Error, errors.what()});
  } catch (const base::UserError& error) {
    result.findings.push_back({Finding::Severity::Error, error.what()});
  }
  return result;
}

}  // namespace vernier::import
