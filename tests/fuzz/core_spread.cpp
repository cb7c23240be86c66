// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/core_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vernier::tests::fuzz {

const CoreSpread::Graph& CoreSpread::worst() const {
  return *std::ranges::max_element(graphs_, {}, [](const Graph& graph) { return std::abs(graph.totals.more_percent()); });
}

std::vector<double> CoreSpread::percents() const {
  std::vector<double> percents;
  for (const Graph& graph : graphs_) percents.push_back(std::abs(graph.totals.more_percent()));
  std::ranges::sort(percents);
  return percents;
}

double CoreSpread::mean_percent() const {
  CoreTotals sum;
  for (const Graph& graph : graphs_) {
    sum.rtl += graph.totals.rtl;
    sum.model += graph.totals.model;
  }
  return sum.more_percent();
}

double CoreSpread::most_of_99_percent() const {
  const std::vector<double> ascending = percents();
  return ascending[(ascending.size() - 1) * 99 / 100];
}

std::string CoreSpread::text() const {
  const Graph& far = worst();
  return fmt::format(
      "{} graphs on the core: RTL takes {:+.2f} % more cycles in sum, 99 in 100 are at most {:.2f} % off, the worst "
      "{:+.2f} % (seed {}: {} cycles, model {})\n",
      graphs_.size(), mean_percent(), most_of_99_percent(), far.totals.more_percent(), far.seed, far.totals.rtl,
      far.totals.model);
}

std::string CoreSpread::json(const std::string& kind, const std::string& config) const {
  const Graph& far = worst();
  return fmt::format(
      R"({{"kind": "{}", "config": "{}", "graphs": {}, "mean_percent": {:.3f}, "most_of_99_percent": {:.3f}, )"
      R"("worst": {{"seed": {}, "rtl_cycles": {}, "model_cycles": {}}}}})"
      "\n",
      kind, config, graphs_.size(), mean_percent(), most_of_99_percent(), far.seed, far.totals.rtl, far.totals.model);
}

}  // namespace vernier::tests::fuzz
