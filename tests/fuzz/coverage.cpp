// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/coverage.hpp"

#include "hw/base/text.hpp"
#include "tests/fuzz/makers.hpp"

#include <fmt/format.h>

namespace vernier::tests::fuzz {
namespace {

/// Whether the verifier's table has the types of the operator.
bool has_modes(ir::OpKind kind) {
  const ir::OpInfo* info = ir::find_op_info(kind);
  return info != nullptr && !info->modes.empty();
}

}  // namespace

void Coverage::add(const ir::Graph& graph, const Verdict& verdict) {
  const auto kind = static_cast<size_t>(verdict.kind);
  ++graphs_[kind];
  elements_ += verdict.elements_compared;
  commands_ += verdict.num_commands;
  cycles_ += verdict.cycles;
  tight_ += verdict.is_cut.has_value() ? 1 : 0;
  cut_ += verdict.is_cut.value_or(false) ? 1 : 0;
  const auto add = [&](const ir::Graph& one) {
    for (const ir::Operator& op : one.operators)
      ++operators_[has_modes(op.kind) ? mode_name(one, op) : std::string(ir::to_string(op.kind))][kind];
  };
  add(graph);
  for (const ir::Region& region : graph.regions) add(region.graph);
  if (verdict.kind == Verdict::Kind::Refused) {
    // By operator: tensors have another name each time.
    const size_t begin = verdict.message.find(": "), name = verdict.message.find(" '", begin);
    ++refusals_[verdict.message.substr(begin + 2, name - begin - 2)];
  }
}

std::string Coverage::text() const {
  std::string text = fmt::format("{:<60} {:>8} {:>8} {:>8}\n", "operator and types", "equal", "refused", "failed");
  for (const auto& [name, counts] : operators_)
    text += fmt::format("{:<60} {:>8} {:>8} {:>8}\n", name, counts[0], counts[1], counts[2]);
  text += fmt::format("{:<60} {:>8} {:>8} {:>8}\n", "graphs", graphs_[0], graphs_[1], graphs_[2]);
  for (const auto& [name, count] : refusals_) text += fmt::format("refused, not there yet: {} x {}\n", count, name);
  text += fmt::format("{} of {} graphs looked at run in more commands where there is little SRAM\n", cut_, tight_);
  return text + fmt::format("{} elements compared, {} commands, {} cycles\n", base::with_thousands(elements_),
                            base::with_thousands(commands_), base::with_thousands(cycles_));
}

std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> missing;
  for (const OpMode& mode : all_modes()) {
    const auto found = operators_.find(mode.name());
    if (found == operators_.end() || found->second[static_cast<size_t>(Verdict::Kind::Equal)] == 0)
      missing.push_back(mode.name());
  }
  for (int number = 1; number <= ir::kNumOpKinds; ++number) {
    const auto kind = static_cast<ir::OpKind>(number);
    const ir::OpInfo* info = ir::find_op_info(kind);
    if (info == nullptr || !has_modes(kind)) continue;  // which are kinds of graphs
    const auto has_kind = [&](const OpMode& mode) { return mode.kind == kind; };
    if (std::none_of(all_modes().begin(), all_modes().end(), has_kind))
      missing.push_back(fmt::format("{}: no maker", ir::to_string(kind)));
  }
  if (10 * cut_ < 4 * tight_) missing.emplace_back("as many graphs in pieces as there should be");
  return missing;
}

}  // namespace vernier::tests::fuzz
