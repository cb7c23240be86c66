// SPDX-License-Identifier: Apache-2.0
// All that an import gives, as text.
#pragma once

#include "compiler/import/import_result.hpp"
#include "tests/support/recorded.hpp"

#include <fmt/format.h>

#include <string>

namespace vernier::tests {

inline std::string text_of(const package::BoundaryEnd& end) {
  std::string text =
      fmt::format("{} float {} signed {} scale {} zero point {} axis {} shape {} bits {}", end.tensor, end.is_float,
                  end.is_signed, end.scale, end.zero_point, end.axis, base::to_string(end.source_shape), end.keeps_bits);
  if (end.rounds_away) text += " away";
  if (end.rule)
    text += fmt::format(" rule {} {}..{}", static_cast<int>(end.rule->rounding), end.rule->least, end.rule->greatest);
  for (const package::ChannelScale& channel : end.channels) text += fmt::format(" {}/{}", channel.scale, channel.zero_point);
  for (const package::HostStep& step : end.steps) {
    text += fmt::format(" {} {} {} {}", package::to_string(step.kind), step.name, base::to_string(step.shape),
                        base::to_string(step.dimensions));
    for (const float number : step.numbers) text += fmt::format(" {}", number);
  }
  return text + "\n";
}

inline std::string text_of(const import::ImportResult& result) {
  std::string text;
  if (result.graph) text += ir::print(*result.graph);
  for (const auto* ends : {&result.boundary.inputs, &result.boundary.outputs}) {
    text += "ends\n";
    for (const package::BoundaryEnd& end : *ends) text += text_of(end);
  }
  for (const std::string& name : result.names) text += fmt::format("layer {}\n", name);
  for (const import::Finding& finding : result.findings)
    text += import::line_of(finding) + "\n" + import::note_of(finding) + "\n";
  for (const std::string& name : result.open_inputs) text += fmt::format("open {}\n", name);
  for (const import::Rescaling& r : result.rescalings)
    text += fmt::format("rescaling {} {} {} {} {}\n", r.layer, r.num_ratios, r.num_powers_of_two, r.greatest_error,
                        r.rounds_to_even);
  for (const import::SourceTensor& s : result.source_tensors)
    text += fmt::format("source {} {} {} {} {}\n", s.tensor, s.name, base::to_string(s.shape), base::to_string(s.order),
                        s.is_signed);
  return text + fmt::format("TOSA {}\n", result.is_whole_tosa);
}

/// Checks that the result is what it was when its row was written (tests/support/recorded.hpp), and returns it.
inline const import::ImportResult& recorded(Recorded& rows, const import::ImportResult& result) {
  rows.check(
      fmt::format("{} operators, {} findings", result.graph ? result.graph->operators.size() : 0, result.findings.size()),
      text_of(result));
  return result;
}

}  // namespace vernier::tests
