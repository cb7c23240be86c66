// SPDX-License-Identifier: Apache-2.0
#include "hw/package/steps_text.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <string_view>

namespace vernier::package {
namespace {

std::string condition_text(const Package& package, const Step& step) {
  if (step.tensor_idx < 0) return fmt::format("the byte at {}", step.condition);
  return fmt::format("the byte at {} (tensor {})", step.condition, base::printable(package.tensors[step.tensor_idx].name));
}

std::string text_of(const Package& package, const Step& step) {
  switch (step.kind) {
    case StepKind::Run: return fmt::format("run stream {}", step.stream);
    case StepKind::If: return fmt::format("if {} is not 0", condition_text(package, step));
    case StepKind::Else: return "else";
    case StepKind::Loop: return "loop";
    case StepKind::While: return fmt::format("while {} is not 0", condition_text(package, step));
    case StepKind::End: return "end";
  }
  return "";
}

std::string place_text(const Package& package, int32_t tensor_idx, std::string_view nobody) {
  return tensor_idx < 0 ? std::string(nobody) : fmt::format("{}", package.tensors[tensor_idx].placement.base);
}

}  // namespace

std::string variables_text(const Package& package) {
  std::string text;
  for (const Variable& variable : package.variables) {
    text += fmt::format("# variable {} {}{}: {} bytes, starts {}, read at {}, left at {}\n", base::printable(variable.name),
                        base::to_string(variable.value.type()), base::to_string(variable.value.shape()),
                        variable.value.size_bytes(), variable.is_initialised ? "with values" : "with zeros",
                        place_text(package, variable.before_idx, "no place"),
                        place_text(package, variable.after_idx, "no place"));
  }
  return text;
}

std::string steps_text(const Package& package) {
  const ControlFlow& flow = package.flow;
  if (flow.steps.empty()) return "";
  const std::string limit = flow.most_commands == 0 ? "no limit of commands"
                                                    : fmt::format("no stream starts after {} commands", flow.most_commands);
  std::string text = fmt::format("# control flow: {} streams, {}, table of {} bytes at {}\n", flow.streams.size(), limit,
                                 flow_table_bytes(flow), flow.table);
  size_t depth = 0;
  for (size_t i = 0; i < flow.steps.size(); ++i) {
    const StepKind kind = flow.steps[i].kind;
    if (kind == StepKind::End) --depth;
    const bool is_outer = kind == StepKind::Else || kind == StepKind::While;
    text += fmt::format("# {:4} {}{}\n", i, std::string(2 * (is_outer ? depth - 1 : depth), ' '),
                        text_of(package, flow.steps[i]));
    if (kind == StepKind::If || kind == StepKind::Loop) ++depth;
  }
  return text;
}

}  // namespace vernier::package
