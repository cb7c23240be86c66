// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/inspect_rescalings.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"

#include <fmt/format.h>

#include <string>

namespace vernier::cli {
namespace {

using import::Rescaling;
using report::Align;
using report::Table;

std::string ties_text(const Rescaling& rescaling) {
  if (rescaling.num_powers_of_two == 0) return "rare";
  const std::string how = rescaling.rounds_to_even ? "half to even, exactly" : "up";
  return rescaling.num_powers_of_two == rescaling.num_ratios
             ? fmt::format("frequent: {}", how)
             : fmt::format("frequent in {} channels: {}", rescaling.num_powers_of_two, how);
}

}  // namespace

void put_rescalings(report::Page& page, const std::vector<Rescaling>& rescalings) {
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

}  // namespace vernier::cli
