// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::report {
namespace {

using base::with_thousands;

constexpr int64_t kBarColumns = 10;
constexpr int64_t kWantedNameColumns = 20, kLeastNameColumns = 8, kLeastCostliestColumns = 12;

std::string bar(double percent) {
  const auto filled =
      static_cast<size_t>(std::clamp(percent / 100.0 * kBarColumns + 0.5, 0.0, static_cast<double>(kBarColumns)));
  return std::string(filled, '#') + std::string(static_cast<size_t>(kBarColumns) - filled, '.');
}

/// Kernel, stride where it is not 1, output channels: "3x3/2 32".
std::string sizes_text(const package::MainOperator& op) {
  std::string text;
  if (!op.kernel.empty()) text = fmt::format(" {}", fmt::join(op.kernel, "x"));
  const bool is_even = std::adjacent_find(op.stride.begin(), op.stride.end(), std::not_equal_to<>()) == op.stride.end();
  if (!op.stride.empty() && (!is_even || op.stride.front() != 1)) {
    text += is_even ? fmt::format("/{}", op.stride.front()) : fmt::format("/{}", fmt::join(op.stride, "x"));
  }
  if (op.output_channels > 0) text += fmt::format(" {}", op.output_channels);
  return text;
}

/// Names that are told from each other, and from TRANSPOSE, in fewer columns.
std::string abbreviated(const std::string& name) {
  if (name == "DEPTHWISE_CONV2D") return "DEPTHWISE";
  if (name == "TRANSPOSE_CONV2D") return "TRANSPOSE_CONV";
  return name;
}

/// An operator cell, the longest form first.
enum class Form : uint8_t { Whole, Alone, Short };
std::string operator_text(const Layer& layer, Form form) {
  const std::string& main = layer.main_operator.name;
  const std::string& name = !main.empty() ? main : layer.operators.empty() ? main : layer.operators.front();
  const std::string text = (form == Form::Short ? abbreviated(name) : name) + sizes_text(layer.main_operator);
  return form == Form::Whole && layer.operators.size() > 1 ? fmt::format("{} +{}", text, layer.operators.size() - 1) : text;
}

std::vector<std::string> operator_texts(const Report& report, Form form) {
  std::vector<std::string> texts;
  for (const Layer& layer : report.layers) texts.push_back(base::printable(operator_text(layer, form)));
  return texts;
}

int64_t widest(const std::vector<std::string>& texts) {
  int64_t width = 0;
  for (const std::string& text : texts) width = std::max(width, num_columns(text));
  return width;
}

std::vector<std::string> fitted_operators(const Report& report, int64_t columns) {
  std::vector<std::string> texts;
  for (const Form form : {Form::Whole, Form::Alone, Form::Short}) {
    texts = operator_texts(report, form);
    if (widest(texts) <= columns) return texts;
  }
  for (std::string& text : texts) text = fit(text, columns, Cut::Back);
  return texts;
}

/// The room that nine names in ten fit into, within what is wanted.
int64_t wanted_name_columns(const std::vector<std::string>& names) {
  std::vector<int64_t> widths{kLeastNameColumns};
  for (const std::string& name : names) widths.push_back(num_columns(name));
  std::sort(widths.begin(), widths.end());
  return std::clamp(widths[(widths.size() - 1) * 9 / 10], kLeastNameColumns, kWantedNameColumns);
}

Table layer_table(const Report& report, const ShortNames& names, int64_t width_columns) {
  const bool has_external = uses_external_memory(report);
  Table table(width_columns);
  table.add_column("#", {.align = Align::Right});
  table.add_column("layer", {.wanted_columns = wanted_name_columns(names.names),
                             .least_columns = kLeastNameColumns,
                             .fitted = [&](int64_t columns) { return fit_names(names.names, columns); }});
  table.add_column("operator", {.drop_rank = 1,
                                .wanted_columns = widest(operator_texts(report, Form::Short)),
                                .least_columns = 8,
                                .fitted = [&](int64_t columns) { return fitted_operators(report, columns); }});
  table.add_column("cycles", {.align = Align::Right});
  table.add_column("share", {.align = Align::Right, .drop_rank = 2});
  table.add_column("MACs", {.align = Align::Right, .drop_rank = 5});
  if (has_external) table.add_column("external B", {.align = Align::Right, .drop_rank = 4});
  table.add_column("util", {.align = Align::Right, .drop_rank = 3});
  table.add_column("", {.drop_rank = kExtra});
  table.add_column("bound by", {});
  table.add_column("why", {.drop_rank = kExtra + 1, .wanted_columns = 30});
  const std::vector<std::string> operators = operator_texts(report, Form::Whole);
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const Layer& layer = report.layers[i];
    const double percent = utilization_percent(layer.macs, layer.working_cycles, report.config);
    const bool multiplies = layer.macs > 0;
    std::vector<std::string> cells{std::to_string(layer.layer_idx),
                                   names.names[i],
                                   operators[i],
                                   with_thousands(layer.attributed_cycles),
                                   percent_text(share_percent(layer, report)),
                                   multiplies ? with_thousands(layer.macs) : "-"};
    if (has_external)
      cells.push_back(with_thousands(layer.traffic.external_read_bytes + layer.traffic.external_write_bytes));
    cells.insert(cells.end(), {multiplies ? percent_text(percent) : "-", multiplies ? bar(percent) : "", layer.bound_by,
                               base::printable(layer.bound_detail)});
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

void put_layers(Page& page, const Report& report, const ShortNames& names) {
  if (report.layers.empty()) return;
  const Table table = layer_table(report, names, page.width_columns());
  page.table(table);
  const std::vector<std::string> lines = table.lines();
  const std::string& headings = lines.front();
  const bool shows_more = std::any_of(report.layers.begin(), report.layers.end(), [&](const Layer& layer) {
    const std::string& line = lines[static_cast<size_t>(&layer - report.layers.data()) + 1];
    return layer.operators.size() > 1 && line.find(base::printable(operator_text(layer, Form::Whole))) != std::string::npos;
  });
  std::vector<std::string> explained;  // the columns that are shown
  if (headings.find("operator") != std::string::npos)
    explained.push_back(fmt::format("operator: kernel/stride and output channels{}",
                                    shows_more ? ", +n: with n more in the same commands" : ""));
  if (headings.find("share") != std::string::npos) explained.emplace_back("share: of all cycles");
  if (headings.find("util") != std::string::npos) {
    explained.push_back(
        fmt::format("util: of {} MACs per cycle while the layer works", report.config.datapath.macs_per_cycle()));
  }
  std::vector<std::string> left_out;
  if (!names.prefix.empty()) left_out.push_back(fmt::format("'{}' in front", names.prefix));
  if (!names.suffixes.empty()) left_out.push_back(fmt::format("'{}' at the end", fmt::join(names.suffixes, "', '")));
  if (!left_out.empty()) explained.push_back(fmt::format("layer: without {}", fmt::join(left_out, " and ")));
  if (!explained.empty()) page.aside(Paint::Dim, fmt::format("{}", fmt::join(explained, "; ")));
}

void put_costliest(Page& page, const Report& report, const ShortNames& names) {
  const std::vector<int64_t> layers = costliest_layers(report, kNumCostliest);
  if (layers.empty()) return;
  double share = 0.0;
  for (const int64_t idx : layers) share += share_percent(report.layers[idx], report);
  page.empty_line();
  page.paragraph(Paint::Bold, "costliest layers",
                 fmt::format("{} of {}, {} of all cycles", layers.size(), report.layers.size(), percent_text(share)));
  // What remains of 80 columns goes to the cause, which may take more than a line.
  constexpr int64_t kShareColumns = 6, kCauseColumns = 48;
  const int64_t idx_columns = num_columns(std::to_string(report.layers.size() - 1));
  const int64_t room = page.width_columns() - idx_columns - kShareColumns - kCauseColumns - 3;
  std::vector<std::string> shown;
  for (const int64_t idx : layers) shown.push_back(names.names[static_cast<size_t>(idx)]);
  shown = fit_names(shown, std::max(room, kLeastCostliestColumns));
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = report.layers[layers[i]];
    const std::string name = shown[i] + std::string(static_cast<size_t>(widest(shown) - num_columns(shown[i])), ' ');
    const std::string label = fmt::format("{:>{}} {} {:>{}}", layers[i], idx_columns, name,
                                          percent_text(share_percent(layer, report)), kShareColumns - 1);
    page.paragraph(Paint::None, label,
                   layer.bound_detail.empty() ? layer.bound_by : fmt::format("{}: {}", layer.bound_by, layer.bound_detail),
                   num_columns(label) + 1);
  }
}

}  // namespace vernier::report
