// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"
#include "compiler/schedule/verifier.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace vernier::schedule {
namespace {

void verify_memory(const Schedule& schedule, const config::MachineConfig& config) {
  std::vector<const Placed*> by_start;
  for (const Placed& block : schedule.placed) {
    VERNIER_CHECK(block.offset_bytes >= 0 && block.offset_bytes + block.size_bytes <= config.sram_bytes,
                  "block '{}' lies outside the SRAM", block.name);
    by_start.push_back(&block);
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const Placed* a, const Placed* b) { return a->first_command < b->first_command; });
  std::vector<const Placed*> alive;
  for (const Placed* block : by_start) {
    std::erase_if(alive, [&](const Placed* other) { return other->last_command < block->first_command; });
    for (const Placed* other : alive) {
      const bool share_bytes = block->offset_bytes < other->offset_bytes + other->size_bytes &&
                               other->offset_bytes < block->offset_bytes + block->size_bytes;
      VERNIER_CHECK(!share_bytes, "blocks '{}' and '{}' share bytes while both live", other->name, block->name);
    }
    alive.push_back(block);
  }
}

void verify_commands(const Schedule& schedule, const config::MachineConfig& config) {
  std::array<bool, spec::kNumTableSlots> is_filled{};
  for (size_t i = 0; i < schedule.commands.size(); ++i) {
    const spec::Command& command = schedule.commands[i].command;
    const package::Validity validity = package::check(command, config.datapath);
    VERNIER_CHECK(validity.fault == spec::FaultCode::None, "command {}: {}: {}", i, spec::to_string(validity.fault),
                  validity.detail);
    for (const package::Range& range : package::ranges_of(command, config.datapath)) {
      if (range.storage == package::Storage::TableSlot) {
        const auto slot = static_cast<size_t>(range.base);
        VERNIER_CHECK(range.is_write || is_filled.at(slot), "command {} uses table slot {}, which nothing fills", i, slot);
        is_filled.at(slot) = true;
      }
      if (range.storage == package::Storage::Sram) {
        VERNIER_CHECK(range.base >= 0 && range.end() <= config.sram_bytes, "command {}: {} lies outside the SRAM", i,
                      range.what);
      }
    }
  }
}

}  // namespace

void verify(const Schedule& schedule, const config::MachineConfig& config) {
  verify_memory(schedule, config);
  verify_commands(schedule, config);
  std::vector<spec::Command> commands;
  for (const passes::Step& step : schedule.commands) commands.push_back(step.command);
  const std::vector<std::string> findings = verify_order(commands, config.datapath, config.queue_depth);
  VERNIER_CHECK(findings.empty(), "schedule of {} commands: {}", commands.size(), findings.front());
}

std::string print(const Schedule& schedule, const ir::Graph& graph) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "schedule: {} commands, {} B of SRAM, image of {} B at {}, {} feature maps outside\n",
                 schedule.commands.size(), schedule.sram_peak_bytes, schedule.image.bytes.size(), schedule.image_address,
                 schedule.num_outside);
  if (cost::is_choice(schedule.plans)) text += cost::print(schedule.plans, "");
  if (!schedule.choices.empty()) text += "choices by layer, in estimated cycles, what was chosen marked *:\n";
  for (const StepChoices& step : schedule.choices) {
    fmt::format_to(out, "  {}\n", step.step);
    for (const cost::Alternatives& choice : step.choices) text += cost::print(choice, "    ");
  }
  for (const Placed& block : schedule.placed) {
    fmt::format_to(out, "  sram 0x{:06x} + {:>8} B  commands {:>4} to {:>4}  {}\n", block.offset_bytes, block.size_bytes,
                   block.first_command, block.last_command, block.name);
  }
  for (size_t i = 0; i < schedule.commands.size(); ++i) {
    const passes::Step& step = schedule.commands[i];
    fmt::format_to(out, "{:>5}  {}", i, package::print(step.command));
    if (!step.ops.empty()) {
      const ir::Operator& op = graph.operators[step.ops.front()];
      fmt::format_to(out, "  # {} {}", ir::to_string(op.kind), graph.tensor(op.outputs.front()).name);
    }
    text += "\n";
  }
  return text;
}

}  // namespace vernier::schedule
