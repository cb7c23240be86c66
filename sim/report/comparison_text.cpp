// SPDX-License-Identifier: Apache-2.0
// Several runs for people:
//
//   A: v256.json   B: v64.json                               the first is what the others are compared with
//   different: config.name          v256 | v64               what the runs were
//   totals            A            B                         cycles, time, utilisation, bytes
//   layer        A cycles   B cycles  change  ...            those that changed most first
#include "hw/base/text.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/layer_names.hpp"
#include "sim/report/page.hpp"
#include "sim/report/table.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vernier::report {
namespace {

using base::with_thousands;

constexpr int64_t kLeastNameColumns = 12, kWantedNameColumns = 24;
constexpr double kManyTimes = 10;

/// The runs' letters; behind Z their numbers.
std::string label(size_t run) {
  return run < 26 ? std::string(1, static_cast<char>('A' + run)) : fmt::format("#{}", run + 1);
}

struct TotalsRow {
  std::string what;
  double (*value)(const ComparedFigures&);
  std::string (*text)(const ComparedFigures&);
};
const std::vector<TotalsRow>& totals_rows() {
  static const std::vector<TotalsRow> kRows{
      {"cycles", [](const ComparedFigures& f) { return static_cast<double>(f.cycles); },
       [](const ComparedFigures& f) { return with_thousands(f.cycles); }},
      {"time", [](const ComparedFigures& f) { return f.seconds; },
       [](const ComparedFigures& f) { return seconds_text(f.seconds); }},
      {"utilisation", [](const ComparedFigures& f) { return f.mac_utilization_percent; },
       [](const ComparedFigures& f) { return percent_text(f.mac_utilization_percent); }},
      {"SRAM bytes", [](const ComparedFigures& f) { return static_cast<double>(f.sram_bytes()); },
       [](const ComparedFigures& f) { return with_thousands(f.sram_bytes()); }},
      {"external bytes", [](const ComparedFigures& f) { return static_cast<double>(f.external_bytes()); },
       [](const ComparedFigures& f) { return with_thousands(f.external_bytes()); }}};
  return kRows;
}

void put_totals(Page& page, const Comparison& comparison) {
  Table table(page.width_columns());
  table.add_column("totals", {});
  for (size_t i = 0; i < comparison.files.size(); ++i) {
    table.add_column(label(i), {.align = Align::Right});
    if (i > 0) table.add_column("change", {.align = Align::Right, .drop_rank = 1});
  }
  for (const TotalsRow& row : totals_rows()) {
    std::vector<std::string> cells{row.what};
    for (size_t i = 0; i < comparison.totals.size(); ++i) {
      cells.push_back(row.text(comparison.totals[i]));
      if (i > 0) cells.push_back(change_text(row.value(comparison.totals.front()), row.value(comparison.totals[i])));
    }
    table.add_row(std::move(cells));
  }
  page.table(table);
}

/// The layers' names as people tell them apart.
std::vector<std::string> short_names(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedLayer& layer : comparison.layers) names.push_back(layer.name);
  names = shorten_layer_names(names).names;
  for (std::string& name : names) name = base::printable(name);
  return names;
}

/// How far a layer's cycles are from those of the base, in any run; a layer that a run does not have changed by all of them.
int64_t most_change(const ComparedLayer& layer) {
  const auto cycles = [](const std::optional<ComparedFigures>& figures) { return figures ? figures->cycles : 0; };
  int64_t most = 0;
  for (const auto& run : layer.runs) most = std::max(most, std::abs(cycles(run) - cycles(layer.runs.front())));
  return most;
}

void put_layers(Page& page, const Comparison& comparison) {
  std::vector<size_t> order(comparison.layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return most_change(comparison.layers[a]) > most_change(comparison.layers[b]);
  });
  const std::vector<std::string> all_names = short_names(comparison);
  std::vector<std::string> names;
  for (const size_t i : order) names.push_back(all_names[i]);

  Table table(page.width_columns());
  table.add_column("layer", {.wanted_columns = kWantedNameColumns,
                             .least_columns = kLeastNameColumns,
                             .fitted = [&](int64_t columns) { return fit_names(names, columns); }});
  for (size_t i = 0; i < comparison.files.size(); ++i) {
    table.add_column(label(i) + " cycles", {.align = Align::Right});
    if (i > 0) table.add_column("change", {.align = Align::Right, .drop_rank = 1});
  }
  for (size_t i = 0; i < comparison.files.size(); ++i) {
    table.add_column(label(i) + " util", {.align = Align::Right, .drop_rank = 4});
    table.add_column(label(i) + " ext B", {.align = Align::Right, .drop_rank = 3});
    table.add_column(label(i) + " SRAM B", {.align = Align::Right, .drop_rank = 5});
  }
  for (size_t row = 0; row < order.size(); ++row) {
    const ComparedLayer& layer = comparison.layers[order[row]];
    std::vector<std::string> cells{names[row]};
    for (size_t i = 0; i < layer.runs.size(); ++i) {
      cells.push_back(layer.runs[i] ? with_thousands(layer.runs[i]->cycles) : "-");
      if (i == 0) continue;
      const bool has_both = layer.runs[i] && layer.runs.front();
      cells.push_back(
          has_both ? change_text(static_cast<double>(layer.runs.front()->cycles), static_cast<double>(layer.runs[i]->cycles))
          : layer.runs[i] ? "new"
                          : "gone");
    }
    for (const auto& run : layer.runs) {
      cells.push_back(run ? percent_text(run->mac_utilization_percent) : "-");
      cells.push_back(run ? with_thousands(run->external_bytes()) : "-");
      cells.push_back(run ? with_thousands(run->sram_bytes()) : "-");
    }
    table.add_row(std::move(cells));
  }
  page.table(table);
}

/// Why the layers that changed most take what they take.
void put_reasons(Page& page, const Comparison& comparison) {
  std::vector<const ComparedLayer*> layers;
  for (const ComparedLayer& layer : comparison.layers) {
    if (most_change(layer) > 0) layers.push_back(&layer);
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const auto* a, const auto* b) { return most_change(*a) > most_change(*b); });
  if (layers.size() > kNumMostChanged) layers.resize(kNumMostChanged);
  if (layers.empty()) return page.line(Paint::None, "every layer takes the same cycles in all runs");
  const std::vector<std::string> names = short_names(comparison);
  page.line(Paint::Bold, "changed most, and what they are bound by");
  for (const ComparedLayer* layer : layers) {
    std::vector<std::string> reasons;
    for (size_t i = 0; i < layer->runs.size(); ++i) {
      if (layer->runs[i] && !layer->bound_details[i].empty())
        reasons.push_back(fmt::format("{}: {}", label(i), layer->bound_details[i]));
    }
    const auto place = static_cast<size_t>(layer - comparison.layers.data());
    page.paragraph(Paint::None, " ",
                   fmt::format("{}; {}", names[place],
                               reasons.empty() ? "nothing is known" : fmt::format("{}", fmt::join(reasons, "; "))),
                   4);
  }
}

}  // namespace

std::string change_text(double base, double value) {
  if (base == value) return "=";
  if (base == 0) return "new";
  const double ratio = value / base;
  if (ratio >= kManyTimes) return fmt::format("x {:.1f}", ratio);
  const double percent = (ratio - 1) * 100;
  // A change too small for the digits is still one.
  return fmt::format("{:+.{}f}%", percent, std::abs(percent) < 0.05 ? 3 : 1);
}

std::string to_text(const Comparison& comparison, const TextStyle& style) {
  Page page(style);
  for (size_t i = 0; i < comparison.files.size(); ++i)
    page.paragraph(Paint::Bold, label(i) + ":", base::printable(comparison.files[i]));
  page.empty_line();
  for (const auto& [name, values] : comparison.differences) {
    std::vector<std::string> shown;
    for (const std::string& value : values) shown.push_back(value.empty() ? "-" : base::printable(value));
    page.paragraph(Paint::None, fmt::format("{}:", name), fmt::format("{}", fmt::join(shown, " | ")));
  }
  if (comparison.differences.empty()) page.line(Paint::None, "the same network, machine and version");
  page.empty_line();
  put_totals(page, comparison);
  page.empty_line();
  put_layers(page, comparison);
  page.empty_line();
  put_reasons(page, comparison);
  return page.text();
}

}  // namespace vernier::report
