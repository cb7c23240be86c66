// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"
#include "sim/flow/look/inspect.hpp"
#include "sim/flow/model/boundary_values.hpp"
#include "sim/report/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vernier::flow {
namespace {

using base::with_thousands;
using import::Rescaling;
using report::Align;
using report::ColumnStyle;
using report::kNoBreak;
using report::Page;
using report::Paint;
using report::Table;

const ColumnStyle kRight{.align = Align::Right};

/// "; real = (uint8 code - 122) * 0.030939601" of an end that is no plain integers.
std::string end_text(const package::BoundaryEnd& end, base::ElementType type) {
  const std::string codes = codes_dtype(end, type);
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
  if (end.rounds_away) text += ", halves away from 0";
  return text;
}

/// The steps at an end where one reads more than the step before it: they have numbers, by which others name them.
class NumberedSteps {
 public:
  NumberedSteps(const package::BoundaryEnd& end, package::Side side)
      : end_(end), num_given_(side == package::Side::Input ? 1 : 1 + end.reads.size()) {
    for (const package::HostStep& step : end.steps) is_graph_ = is_graph_ || !step.operands.empty();
  }

  [[nodiscard]] std::string text_of(size_t index) const {
    const package::HostStep& step = end_.steps[index];
    std::string text = is_graph_ ? fmt::format("{}: ", index + 1) : "";
    text += fmt::format("{} ({})", package::to_text(step), step.name);
    for (size_t i = 0; i < step.operands.size(); ++i)
      text += fmt::format("{} {}", i == 0 ? " of" : ",", name_of(static_cast<size_t>(step.operands[i])));
    return text;
  }

 private:
  [[nodiscard]] std::string name_of(size_t value) const {
    if (value >= num_given_) return fmt::format("{}", value - num_given_ + 1);
    return fmt::format("'{}'", value == 0 ? end_.tensor : end_.reads[value - 1]);
  }

  const package::BoundaryEnd& end_;
  size_t num_given_;
  bool is_graph_ = false;
};

/// What the host runs at an end, in its order.
void put_steps(Page& page, const package::BoundaryEnd& end, package::Side side) {
  const bool is_input = side == package::Side::Input;
  const std::string place = fmt::format("{} '{}'", is_input ? "before" : "after", end.tensor);
  const auto put = [&](const std::string& text) { page.paragraph(Paint::None, fmt::format("{:<8}", "host"), text); };
  if (!end.reads.empty())
    put(fmt::format("{} reads '{}'{}", place, fmt::join(end.reads, "', '"), is_input ? ", whose floats it takes" : " too"));
  const NumberedSteps steps(end, side);
  for (size_t i = 0; i < end.steps.size(); ++i) put(fmt::format("{}: {}", place, steps.text_of(i)));
  if (!end.steps.empty()) put(fmt::format("{} float32 {}", is_input ? "takes" : "gives", base::to_string(end.source_shape)));
}

void put_tensors(Page& page, const std::vector<End>& ends, package::Side side) {
  for (const End& end : ends) {
    page.paragraph(Paint::None, fmt::format("{:<8}", side == package::Side::Input ? "input" : "output"),
                   fmt::format("{} {} {}{}", end.name, base::to_string(end.type), base::to_string(end.shape),
                               end.source ? end_text(*end.source, end.type) : ""));
    if (end.source) put_steps(page, *end.source, side);
  }
}

void put_network(Page& page, const InspectedNetwork& network) {
  put_tensors(page, network.ends.inputs, package::Side::Input);
  put_tensors(page, network.ends.outputs, package::Side::Output);
  for (const StartingVariable& variable : network.variables) {
    page.paragraph(Paint::None, fmt::format("{:<8}", "variable"),
                   fmt::format("{} {} {}, {}{}B, first value: {}", variable.name, base::to_string(variable.value.type()),
                               base::to_string(variable.value.shape()), with_thousands(variable.value.size_bytes()),
                               kNoBreak, variable.source));
  }
  Table table(page.width_columns());
  table.add_column("operator", {});
  table.add_column("count", kRight);
  table.add_column("MACs", kRight);
  for (const OperatorCount& kind : network.kinds)
    table.add_row({kind.kind, with_thousands(kind.count), with_thousands(kind.macs)});
  page.empty_line();
  page.table(table);
  page.empty_line();
  page.aside(Paint::None,
             fmt::format("{} in {}, {} MACs, constants {}{}B, largest feature map {}{}B",
                         base::counted(network.num_operators, "operator"), base::counted(network.num_layers, "layer"),
                         with_thousands(network.macs), with_thousands(network.constant_bytes), kNoBreak,
                         with_thousands(network.largest_map_bytes), kNoBreak));
  const LivePeak& peak = network.live_peak;
  if (peak.op_idx < 0) return;
  page.aside(Paint::None,
             fmt::format("an operator at a time, at most {}{}B of feature maps are alive at once: at operator {}, {} {}",
                         with_thousands(peak.bytes), kNoBreak, peak.op_idx, peak.kind, peak.result));
}

std::string ties_text(const Rescaling& rescaling) {
  if (rescaling.num_powers_of_two == 0) return "rare";
  const std::string how = rescaling.rounds_to_even ? "half to even, exactly" : "up";
  return rescaling.num_powers_of_two == rescaling.num_ratios
             ? fmt::format("frequent: {}", how)
             : fmt::format("frequent in {} channels: {}", rescaling.num_powers_of_two, how);
}

void put_rescalings(Page& page, const std::vector<Rescaling>& rescalings) {
  if (rescalings.empty()) return;
  std::vector<std::string> names;
  for (const Rescaling& one : rescalings) names.push_back(base::printable(base::first_name(one.layer)));
  Table table(page.width_columns());
  table.add_column("rescaled layer", {.wanted_columns = 36, .least_columns = 12});
  table.add_column("ratios", {.align = Align::Right});
  table.add_column("multiplier off by", {.align = Align::Right});
  table.add_column("ties", {});
  for (size_t i = 0; i < rescalings.size(); ++i) {
    const Rescaling& one = rescalings[i];
    table.add_row({names[i], std::to_string(one.num_ratios),
                   one.greatest_error == 0 ? "0" : fmt::format("{:.1e}", one.greatest_error), ties_text(one)});
  }
  page.empty_line();
  page.table(table);
}

/// Each layer that another flavour may change, in a line of its own.
void put_tflite_rounding(Page& page, const std::optional<import::TfliteRoundingUse>& use) {
  if (!use) return;
  page.empty_line();
  page.aside(Paint::None, fmt::format("rounds as {} (--tflite-rounding), {}", use->flavour,
                                      use->layers.empty() ? "no layer changes with it"
                                                          : fmt::format("{} may change with it:",
                                                                        base::counted(std::ssize(use->layers), "layer"))));
  for (const std::string& layer : use->layers) page.aside(Paint::None, "  " + base::printable(base::first_name(layer)));
}

/// Names, of which the end tells most.
ColumnStyle names_style(const std::vector<std::string>& names, int64_t wanted_columns) {
  return {.wanted_columns = wanted_columns, .least_columns = 12, .fitted = [names](int64_t columns) {
            std::vector<std::string> fitted;
            for (const std::string& name : names) fitted.push_back(fit(name, columns, report::Cut::Front));
            return fitted;
          }};
}

void put_layers(Page& page, const std::vector<InspectedLayer>& layers) {
  std::vector<std::string> names;
  for (const InspectedLayer& layer : layers) names.push_back(base::printable(base::first_name(layer.name)));
  Table table(page.width_columns());
  table.add_column("#", kRight);
  table.add_column("layer", names_style(names, 36));
  table.add_column("ops", {.align = Align::Right, .drop_rank = 1});
  table.add_column("MACs", kRight);
  table.add_column("constants B", {.align = Align::Right, .drop_rank = 2});
  table.add_column("result B", {.align = Align::Right, .drop_rank = 3});
  table.add_column("commands", {});
  for (size_t i = 0; i < layers.size(); ++i) {
    const InspectedLayer& layer = layers[i];
    table.add_row({layer.layer_idx ? std::to_string(*layer.layer_idx) : "-", names[i], std::to_string(layer.num_operators),
                   with_thousands(layer.macs), with_thousands(layer.constant_bytes), with_thousands(layer.result_bytes),
                   layer.layer_idx ? layer.commands : "none of its own"});
  }
  page.empty_line();
  page.table(table);
}

void put_operators(Page& page, const std::vector<InspectedOperator>& operators) {
  std::vector<std::string> names;
  for (const InspectedOperator& op : operators) names.push_back(base::printable(op.result));
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
  for (size_t i = 0; i < operators.size(); ++i) {
    const InspectedOperator& op = operators[i];
    table.add_row({std::to_string(i), op.kind, names[i], std::string(base::to_string(op.type)), base::to_string(op.shape),
                   with_thousands(op.macs), with_thousands(op.constant_bytes), with_thousands(op.result_bytes),
                   base::printable(op.where)});
  }
  page.empty_line();
  page.table(table);
}

void put_program(Page& page, const InspectedProgram& program, const config::MachineConfig& config) {
  page.empty_line();
  page.aside(
      Paint::None,
      fmt::format("on {} (memory {}, optimize {}): {} commands ({}), {} B of {} of SRAM, weights and parameters {}{}B",
                  config.name, spec::kMemoryModeNames[static_cast<size_t>(config.memory_mode)], program.optimize,
                  program.num_commands, program.commands, with_thousands(program.sram_peak_bytes),
                  base::bytes_text(config.sram_bytes), with_thousands(program.weight_bytes), kNoBreak));
}

}  // namespace

std::string to_text(const Inspection& inspection, const report::TextStyle& style) {
  Page page(style);
  page.aside(Paint::None, inspection.format.empty()
                              ? fmt::format("{}: package of {}", inspection.file, inspection.package_of)
                              : fmt::format("{}: {} network", inspection.file, inspection.format));
  for (const std::string& note : inspection.notes) page.aside(Paint::None, "note: " + note);
  if (inspection.network) put_network(page, *inspection.network);
  put_tflite_rounding(page, inspection.tflite_rounding);
  put_rescalings(page, inspection.rescalings);
  if (!inspection.program) {
    page.empty_line();
    page.aside(Paint::None, fmt::format("does not run on {}: {}", inspection.config.name, inspection.refusal));
    return page.text();
  }
  put_program(page, *inspection.program, inspection.config);
  for (const std::string& note : inspection.machine_notes) page.aside(Paint::None, "note: " + note);
  if (!inspection.network) return page.text();
  put_layers(page, inspection.program->layers);
  put_operators(page, inspection.program->operators);
  return page.text();
}

}  // namespace vernier::flow
