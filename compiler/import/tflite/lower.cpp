// SPDX-License-Identifier: Apache-2.0
// From a file to a graph: all operators in the order of the file, and all mistakes of a step at once.
#include "compiler/import/tflite/lite_lowering.hpp"
#include "compiler/import/tflite/tflite.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <array>

namespace vernier::import {

namespace {

using lite::LiteLowering;
using lite::LiteNetwork;
using lite::LiteOperator;
using tflite::BuiltinOperator;

struct LiteRow {
  BuiltinOperator code;
  void (*lower)(LiteLowering&, const LiteOperator&);
};
constexpr std::array kLiteRows{
    LiteRow{BuiltinOperator::ADD, lite::lower_add},
    LiteRow{BuiltinOperator::AVERAGE_POOL_2D, lite::lower_average_pool},
    LiteRow{BuiltinOperator::CONCATENATION, lite::lower_concatenation},
    LiteRow{BuiltinOperator::CONV_2D, lite::lower_conv},
    LiteRow{BuiltinOperator::DEPTHWISE_CONV_2D, lite::lower_depthwise},
    LiteRow{BuiltinOperator::FULLY_CONNECTED, lite::lower_fully_connected},
    LiteRow{BuiltinOperator::MAX_POOL_2D, lite::lower_max_pool},
    LiteRow{BuiltinOperator::MEAN, lite::lower_mean},
    LiteRow{BuiltinOperator::PAD, lite::lower_pad},
    LiteRow{BuiltinOperator::QUANTIZE, lite::lower_quantize},
    LiteRow{BuiltinOperator::RESHAPE, lite::lower_reshape},
    LiteRow{BuiltinOperator::SOFTMAX, lite::lower_softmax},
    LiteRow{BuiltinOperator::TRANSPOSE, lite::lower_transpose},
};

const LiteRow* row_of(BuiltinOperator code) {
  const auto* row = std::find_if(kLiteRows.begin(), kLiteRows.end(), [&](const LiteRow& one) { return one.code == code; });
  return row == kLiteRows.end() ? nullptr : row;
}

std::string read_operators() {
  std::string text;
  for (const LiteRow& row : kLiteRows)
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : " ", tflite::EnumNameBuiltinOperator(row.code));
  return text;
}

class LiteImport {
 public:
  LiteImport(const std::string& file, const LiteNetwork& network, const Options& options)
      : file_(file), network_(network), options_(options), lowering_(network) {}

  ImportResult run() {
    check_options();
    add_inputs();
    add_unread();
    if (mistakes_.empty()) {
      for (const LiteOperator& op : network_.operators) lower(op);
    }
    if (mistakes_.empty()) add_outputs();
    ImportResult result;
    if (mistakes_.empty()) {
      ir::Graph& graph = lowering_.graph.graph();
      for (const std::string& mistake : ir::find_mistakes(graph, file_, options_.level)) mistakes_.push_back(mistake);
      for (const ir::Operator& op : graph.operators) result.names.push_back(op.location);
      if (mistakes_.empty()) result.graph = std::move(graph);
    }
    for (const std::string& mistake : mistakes_) result.findings.push_back({Finding::Severity::Error, mistake});
    return result;
  }

 private:
  void add(const std::string& text) {
    if (mistakes_.size() < ir::kMostMistakes) mistakes_.emplace_back(base::UserError(file_, std::string_view(text)).what());
  }
  void add(const LiteOperator& op, const std::string& text) {
    const std::string name = op.outputs.empty() ? "" : network_.tensors[static_cast<size_t>(op.outputs[0])].name;
    add(fmt::format("operator {} {} '{}': {}", op.number, op.kind, name, text));
  }

  void check_options() {
    std::vector<std::string> names;
    for (const int32_t index : network_.inputs) names.push_back(network_.tensors[static_cast<size_t>(index)].name);
    for (const auto& [name, shape] : options_.open.named) ir::check_input_name("--shape", name, names);
    for (const auto& [name, format] : options_.input_formats) {
      ir::check_input_name("--input-format", name, names);
      throw base::UserError("--input-format", "input '{}' holds integers, allowed are inputs of float32", name);
    }
  }

  /// Dimensions are those of the file. An open one has a size in it too, 1 for a batch.
  void check_shape(const lite::LiteTensor& tensor, size_t index) {
    base::Shape shape = tensor.shape;
    ir::fill_input_shape(shape, tensor.name, index, options_.open, file_);
    if (options_.open.batch && (shape.empty() || shape[0] != *options_.open.batch))
      add(fmt::format("dimension 0 of graph input '{}' is {}; --batch {} goes with networks that ./dev tosa has converted",
                      tensor.name, shape.empty() ? "missing" : std::to_string(shape[0]), *options_.open.batch));
  }

  void add_inputs() {
    for (const lite::LiteTensor& tensor : network_.tensors) lowering_.graph.reserve_name(tensor.name);
    for (const int32_t index : network_.inputs) {
      const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
      check_shape(tensor, lowering_.graph.graph().inputs.size());
      if (tensor.is_constant || lowering_.find(index)) {
        add(fmt::format("input '{}' {}", tensor.name, tensor.is_constant ? "is a constant" : "is listed twice"));
        continue;
      }
      if (tensor.type != tflite::TensorType::INT8) {
        add(fmt::format("input '{}' is {}, allowed is INT8: ./dev tosa takes other types (docs/guides/your-own-network.md)",
                        tensor.name, lite::to_string(tensor.type)));
        continue;
      }
      ir::Graph& graph = lowering_.graph.graph();
      const ir::TensorId id = lowering_.graph.add_tensor(base::ElementType::Int8, tensor.shape, tensor.name);
      lowering_.graph.rename(id, tensor.name);
      lowering_.define(index, id);
      graph.inputs.push_back(id);
    }
  }

  /// Operators that are not read, all of them, each kind once.
  void add_unread() {
    std::vector<std::string> told;
    for (const LiteOperator& op : network_.operators) {
      if (row_of(op.code) != nullptr || std::find(told.begin(), told.end(), op.kind) != told.end()) continue;
      told.push_back(op.kind);
      add(op, fmt::format("is not read, allowed are {}; ./dev tosa takes more (docs/guides/your-own-network.md)",
                          read_operators()));
    }
  }

  void lower(const LiteOperator& op) {
    if (lowering_.reads_failed(op)) return lowering_.fail(op);
    try {
      if (op.outputs.size() != 1) lite::refuse("has {} outputs, expected one", op.outputs.size());
      row_of(op.code)->lower(lowering_, op);
    } catch (const lite::LiteMistake& mistake) {
      add(op, mistake.what());
      lowering_.fail(op);
    }
  }

  void add_outputs() {
    for (const int32_t index : network_.outputs) {
      const lite::LiteTensor& tensor = network_.tensors[static_cast<size_t>(index)];
      const auto found = lowering_.find(index);
      ir::Graph& graph = lowering_.graph.graph();
      const bool is_input = found && std::find(graph.inputs.begin(), graph.inputs.end(), *found) != graph.inputs.end();
      if (!found || tensor.is_constant || is_input) {
        add(fmt::format("output '{}' is {}", tensor.name,
                        tensor.is_constant ? "a constant"
                        : is_input         ? "an input of the network"
                                           : "given by no operator"));
        continue;
      }
      graph.outputs.push_back(*found);
    }
  }

  std::string file_;
  const LiteNetwork& network_;
  const Options& options_;
  LiteLowering lowering_;
  std::vector<std::string> mistakes_;
};

}  // namespace

ImportResult import_tflite(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  ImportResult result;
  try {
    const LiteNetwork network = lite::read_network(file, bytes);
    return LiteImport(file, network, options).run();
  } catch (const base::UserErrors& errors) {
    result.findings.push_back({Finding::Severity::Error, errors.what()});
  } catch (const base::UserError& error) {
    result.findings.push_back({Finding::Severity::Error, error.what()});
  }
  return result;
}

}  // namespace vernier::import
