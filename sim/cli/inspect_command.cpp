// SPDX-License-Identifier: Apache-2.0
// `vernier inspect`: what is in a network, and what becomes of each operator and layer on the machine.
#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/base/text.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/inspect_rescalings.hpp"
#include "sim/cli/other_commands.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/flow/boundary_values.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/model.hpp"
#include "sim/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vernier::cli {
namespace {

using base::with_thousands;
using report::Align;
using report::ColumnStyle;
using report::kNoBreak;
using report::Page;
using report::Paint;
using report::Table;

const ColumnStyle kRight{.align = Align::Right};

int64_t bytes_of(const ir::TensorInfo& tensor) { return base::num_elements(tensor.shape) * base::stored_bytes(tensor.type); }

/// Bytes of the constants that the operators read, each counted once.
int64_t constant_bytes(const ir::Graph& graph, const std::vector<ir::OpId>& ops) {
  std::set<ir::TensorId> constants;
  for (const ir::OpId op : ops) {
    for (const ir::TensorId id : graph.operators[op].inputs) {
      if (graph.is_constant(id)) constants.insert(id);
    }
  }
  int64_t bytes = 0;
  for (const ir::TensorId id : constants) bytes += bytes_of(graph.tensor(id));
  return bytes;
}

struct LivePeak {
  int64_t bytes = 0;
  ir::OpId op = -1;  // while it runs
};

/// The most that is alive at once, an operator at a time in the order of the graph: inputs, outputs and everything computed
/// that is still to be read. Constants are not in it.
LivePeak live_peak(const ir::Graph& graph) {
  const auto num_ops = static_cast<ir::OpId>(graph.operators.size());
  const base::IndexedVector<ir::TensorId, ir::OpId> producers = graph.producers();
  const auto consumers = graph.consumers();
  std::vector<int64_t> change(graph.operators.size() + 1);  // bytes that come and go with an operator
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    if (graph.tensors[id].constant) continue;
    const ir::OpId first = std::max(producers[id], 0);
    ir::OpId last = std::max(first, consumers[id].empty() ? first : consumers[id].back());
    if (std::find(graph.outputs.begin(), graph.outputs.end(), static_cast<ir::TensorId>(id)) != graph.outputs.end())
      last = num_ops - 1;
    if (first >= num_ops) continue;
    change[static_cast<size_t>(first)] += bytes_of(graph.tensors[id]);
    change[static_cast<size_t>(last) + 1] -= bytes_of(graph.tensors[id]);
  }
  LivePeak peak;
  int64_t live = 0;
  for (ir::OpId op = 0; op < num_ops; ++op) {
    live += change[static_cast<size_t>(op)];
    if (live > peak.bytes) peak = {live, op};
  }
  return peak;
}

/// "; real = (uint8 code - 122) * 0.030939601" of an end that is no plain integers.
std::string end_text(const package::BoundaryEnd& end, base::ElementType type) {
  const std::string codes = flow::codes_dtype(end, type);
  const std::string source = end.is_float ? "; float32 in the source, " : "; ";
  if (end.range) {
    const package::RangeRule& rule = *end.range;
    const std::string ranges = rule.axis ? fmt::format("{} ranges on axis {}", rule.ranges.size(), *rule.axis)
                                         : fmt::format("{} to {}", rule.ranges[0].min, rule.ranges[0].max);
    return fmt::format("{}{} codes by QuantizeV2 {} of {}", source, codes,
                       package::kRangeModeNames[static_cast<size_t>(rule.mode)], ranges);
  }
  if (end.keeps_bits && !end.is_float) return fmt::format("; {} in the source", codes);
  std::string text = end.channels.empty()
                         ? fmt::format("{}real = ({} code - {}) * {}", source, codes, end.zero_point, end.scale)
                         : fmt::format("{}real = ({} code - zero point) * scale, {} of each on axis {}", source, codes,
                                       end.channels.size(), end.axis);
  if (end.rule)
    text += fmt::format(", codes {} to {}, rounded {}", end.rule->least, end.rule->greatest,
                        base::to_string(end.rule->rounding));
  return text;
}

/// What the host runs at an end, in its order.
void put_steps(Page& page, const package::BoundaryEnd& end, package::Side side) {
  const bool is_input = side == package::Side::Input;
  for (const package::HostStep& step : end.steps)
    page.paragraph(
        Paint::None, fmt::format("{:<8}", "host"),
        fmt::format("{} '{}': {} ({})", is_input ? "before" : "after", end.tensor, package::to_text(step), step.name));
  if (!end.steps.empty())
    page.paragraph(Paint::None, fmt::format("{:<8}", "host"),
                   fmt::format("{} float32 {}", is_input ? "takes" : "gives", base::to_string(end.source_shape)));
}

void put_tensors(Page& page, const std::vector<flow::End>& ends, package::Side side) {
  for (const flow::End& end : ends) {
    page.paragraph(Paint::None, fmt::format("{:<8}", side == package::Side::Input ? "input" : "output"),
                   fmt::format("{} {} {}{}", end.name, base::to_string(end.type), base::to_string(end.shape),
                               end.source ? end_text(*end.source, end.type) : ""));
    if (end.source) put_steps(page, *end.source, side);
  }
}

void put_network(Page& page, const ir::Graph& graph, const flow::Ends& ends) {
  put_tensors(page, ends.inputs, package::Side::Input);
  put_tensors(page, ends.outputs, package::Side::Output);
  std::map<std::string_view, std::pair<int64_t, int64_t>> counts;  // operators, MACs
  int64_t constants = 0, largest = 0, total = 0;
  for (const ir::Operator& op : graph.operators) {
    auto& [number, macs] = counts[ir::to_string(op.kind)];
    ++number;
    macs += ir::macs_of(graph, op);
    total += ir::macs_of(graph, op);
  }
  for (const ir::TensorInfo& tensor : graph.tensors) {
    (tensor.constant ? constants : largest) =
        tensor.constant ? constants + bytes_of(tensor) : std::max(largest, bytes_of(tensor));
  }
  Table table(page.width_columns());
  table.add_column("operator", {});
  table.add_column("count", kRight);
  table.add_column("MACs", kRight);
  for (const auto& [name, count] : counts)
    table.add_row({std::string(name), with_thousands(count.first), with_thousands(count.second)});
  page.empty_line();
  page.table(table);
  page.empty_line();
  page.aside(Paint::None, fmt::format("{} in {}, {} MACs, constants {}{}B, largest feature map {}{}B",
                                      base::counted(std::ssize(graph.operators), "operator"),
                                      base::counted(std::ssize(ir::layers_of(graph)), "layer"), with_thousands(total),
                                      with_thousands(constants), kNoBreak, with_thousands(largest), kNoBreak));
  const LivePeak peak = live_peak(graph);
  if (peak.op < 0) return;
  const ir::Operator& op = graph.operators[peak.op];
  page.aside(Paint::None,
             fmt::format("an operator at a time, at most {}{}B of feature maps are alive at once: at operator {}, {} {}",
                         with_thousands(peak.bytes), kNoBreak, peak.op, ir::to_string(op.kind),
                         graph.tensor(op.outputs.front()).name));
}

/// "3", "3-5", "3-5 and 3 more": indices that ascend.
std::string ranges_text(const std::vector<int64_t>& indices) {
  size_t end = 1;
  while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
  std::string text = fmt::format("{}", indices.front());
  if (end > 1) text += fmt::format("-{}", indices[end - 1]);
  if (end < indices.size()) text += fmt::format(" and {} more", indices.size() - end);
  return text;
}

/// What a package does for each tensor and layer.
class Placement {
 public:
  /// `graph` is null for a package without one.
  Placement(const package::Package& package, const ir::Graph* graph) : commands_(package::list_commands(package)) {
    if (graph != nullptr) consumers_ = graph->consumers();
    for (const package::Piece& piece : package.pieces) {
      std::vector<int64_t>& commands = by_tensor_[package.tensors[piece.tensor_idx].name];
      if (commands.empty() || commands.back() != piece.command_idx) commands.push_back(piece.command_idx);
    }
    for (const package::FoldedTensor& folded : package.folded) folded_[folded.name] = folded.reason;
  }

  /// The commands that write the tensor, or those that it is fused into, or why there are none.
  [[nodiscard]] std::string where(const ir::Graph& graph, ir::TensorId id) const {
    const std::string& name = graph.tensor(id).name;
    const std::string commands = commands_of(graph, id);
    const auto folded = folded_.find(name);
    if (folded == folded_.end()) return commands.empty() ? "-" : commands;
    const std::string& reason = folded->second;
    if (commands.empty() || !reason.starts_with("fused")) return reason;
    const bool is_first = reason.ends_with(" " + name);  // it is what the others are fused into
    return fmt::format("{}: {}", commands, is_first ? "fused with what follows" : reason);
  }

  /// Commands of a layer (-1: of all) by unit: "mac 2, vec 1"; END is none.
  [[nodiscard]] std::string commands_text(int32_t layer) const {
    std::map<std::string, int64_t> counts;
    for (const package::ListedCommand& command : commands_) {
      const bool is_work = !command.unit.empty() && command.unit != "end";
      if (is_work && (layer < 0 || command.layer_idx == layer)) ++counts[command.unit];
    }
    std::string text;
    for (const auto& [unit, number] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", unit, number);
    return text.empty() ? "none" : text;
  }

 private:
  /// "mac 3-5": who reads what is not written does so in the same command, up to one that is written.
  [[nodiscard]] std::string commands_of(const ir::Graph& graph, ir::TensorId id) const {
    while (true) {
      if (const auto found = by_tensor_.find(graph.tensor(id).name); found != by_tensor_.end())
        return fmt::format("{} {}", unit_of(found->second.front()), ranges_text(found->second));
      const std::vector<ir::OpId>& readers = consumers_[id];
      if (readers.empty()) return "";
      id = graph.operators[readers.front()].outputs.front();
    }
  }
  [[nodiscard]] std::string unit_of(int64_t command) const {
    return command < static_cast<int64_t>(commands_.size()) ? commands_[static_cast<size_t>(command)].unit : "?";
  }
  std::vector<package::ListedCommand> commands_;
  base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers_;  // by tensor
  std::map<std::string, std::vector<int64_t>> by_tensor_;
  std::map<std::string, std::string> folded_;
};

/// Names, of which the end tells most.
ColumnStyle names_style(const std::vector<std::string>& names, int64_t wanted_columns) {
  return {.wanted_columns = wanted_columns, .least_columns = 12, .fitted = [names](int64_t columns) {
            std::vector<std::string> fitted;
            for (const std::string& name : names) fitted.push_back(fit(name, columns, report::Cut::Front));
            return fitted;
          }};
}

void put_layers(Page& page, const ir::Graph& graph, const package::Package& package, const Placement& placement) {
  const std::vector<ir::Layer> layers = ir::layers_of(graph);
  std::vector<std::string> names;
  for (const ir::Layer& layer : layers) names.push_back(base::printable(base::first_name(layer.name)));
  Table table(page.width_columns());
  table.add_column("#", kRight);
  table.add_column("layer", names_style(names, 36));
  table.add_column("ops", {.align = Align::Right, .drop_rank = 1});
  table.add_column("MACs", kRight);
  table.add_column("constants B", {.align = Align::Right, .drop_rank = 2});
  table.add_column("result B", {.align = Align::Right, .drop_rank = 3});
  table.add_column("commands", {});
  for (size_t i = 0; i < layers.size(); ++i) {
    const ir::Layer& layer = layers[i];
    const auto owner = std::find_if(package.layers.begin(), package.layers.end(),
                                    [&](const package::LayerEntry& entry) { return entry.name == layer.name; });
    int64_t macs = 0;
    for (const ir::OpId op : layer.ops) macs += ir::macs_of(graph, graph.operators[op]);
    const ir::Operator& last = graph.operators[layer.ops.back()];
    const bool is_owner = owner != package.layers.end();
    const auto index = static_cast<int32_t>(owner - package.layers.begin());
    table.add_row({is_owner ? std::to_string(index) : "-", names[i], std::to_string(layer.ops.size()), with_thousands(macs),
                   with_thousands(constant_bytes(graph, layer.ops)),
                   with_thousands(bytes_of(graph.tensor(last.outputs.front()))),
                   is_owner ? placement.commands_text(index) : "none of its own"});
  }
  page.empty_line();
  page.table(table);
}

void put_operators(Page& page, const ir::Graph& graph, const Placement& placement) {
  std::vector<std::string> names;
  for (const ir::Operator& op : graph.operators) names.push_back(base::printable(graph.tensor(op.outputs.front()).name));
  Table table(page.width_columns());
  table.add_column("op", kRight);
  table.add_column("operator", {});
  table.add_column("result", names_style(names, 20));
  table.add_column("type", {.drop_rank = 1});
  table.add_column("shape", {.drop_rank = 2});
  table.add_column("MACs", {.align = Align::Right, .drop_rank = 3});
  table.add_column("constants B", {.align = Align::Right, .drop_rank = 5});
  table.add_column("result B", {.align = Align::Right, .drop_rank = 4});
  table.add_column("runs in commands", {.wanted_columns = 24, .least_columns = 16});
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const ir::Operator& op = graph.operators[i];
    const ir::TensorInfo& result = graph.tensor(op.outputs.front());
    table.add_row({std::to_string(i), std::string(ir::to_string(op.kind)), names[i],
                   std::string(base::to_string(result.type)), base::to_string(result.shape),
                   with_thousands(ir::macs_of(graph, op)), with_thousands(constant_bytes(graph, {static_cast<ir::OpId>(i)})),
                   with_thousands(bytes_of(result)), base::printable(placement.where(graph, op.outputs.front()))});
  }
  page.empty_line();
  page.table(table);
}

void put_machine(Page& page, const package::Package& package, const Placement& placement) {
  page.empty_line();
  page.aside(
      Paint::None,
      fmt::format("on {} (memory {}, optimize {}): {} commands ({}), {} B of {} of SRAM, weights and parameters {}{}B",
                  package.config.name, spec::kMemoryModeNames[static_cast<size_t>(package.config.memory_mode)],
                  package.optimize, package.command_layers.size(), placement.commands_text(-1),
                  with_thousands(package.sram_peak_bytes), base::bytes_text(package.config.sram_bytes),
                  with_thousands(package.weight_bytes), kNoBreak));
}

int inspect_model(const InspectCommand& command) {
  const flow::Model model = flow::load_model(command.model, command.machine);
  const report::TextStyle style = style_of(stdout);
  Page page(style);
  page.aside(Paint::None, model.package
                              ? fmt::format("{}: package of {}", model.file, model.package->model_name)
                              : fmt::format("{}: {} network", model.file, model.network.empty() ? "TOSA" : "ONNX"));
  for (const std::string& note : model.notes) page.aside(Paint::None, "note: " + note);
  if (model.graph) put_network(page, *model.graph, flow::ends_of(*model.graph, model.boundary));
  put_rescalings(page, model.rescalings);
  const config::MachineConfig config =
      flow::config_of(command.machine);  // what is wrong with the options is no matter of the network
  try {
    const package::Package package = flow::package_of(model, command.machine);
    const Placement placement(package, model.graph ? &*model.graph : nullptr);
    put_machine(page, package, placement);
    if (!model.package) {
      for (const std::string& note : flow::notes_of(config, command.machine)) page.aside(Paint::None, "note: " + note);
    }
    if (model.graph) {
      put_layers(page, *model.graph, package, placement);
      put_operators(page, *model.graph, placement);
    }
  } catch (const base::UserError& error) {
    if (model.package) throw;
    page.empty_line();
    page.aside(Paint::None, fmt::format("does not run on {}: {}", config.name, error.what()));
  }
  print_text(stdout, page.text(), style.has_color);
  return kExitSuccess;
}

}  // namespace

int inspect(const InspectCommand& command) {
  set_activity("inspecting");
  return with_memory_errors(command.model, [&] { return inspect_model(command); });
}

}  // namespace vernier::cli
