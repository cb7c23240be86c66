// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/input_copy_steps.hpp"

#include "compiler/cost/alternatives.hpp"

#include <algorithm>
#include <utility>

namespace vernier::passes {

using spec::MacCommand;

namespace {

/// A copy takes room beside the map; copies that would fill the SRAM. Where it is a cache for weights, too, a large one
/// costs more than it saves; where all stays in SRAM, lowering goes again without if there is no room.
int64_t most_copies(spec::MemoryMode mode) { return mode == spec::MemoryMode::Sram ? 2 : 16; }

/// The dimension of a production that grows with the parts.
size_t dim_of(const Production& production, cost::CopyAxis axis) {
  if (axis == cost::CopyAxis::Channels) return static_cast<size_t>(production.channel_dim);
  return static_cast<size_t>(production.row_dim) + (axis == cost::CopyAxis::Columns ? 1 : 0);
}

bool is_map(const Production& production) {
  return production.extent.size() == 4 && production.row_dim == 1 && production.channel_dim == 3;
}

}  // namespace

int64_t most_copy_bytes(const Lowering& lowering) {
  const bool may_copy = lowering.is_optimizing() && lowering.options.may_take_more_room &&
                        lowering.config.memory_mode != spec::MemoryMode::External;
  return may_copy ? lowering.config.sram_bytes / most_copies(lowering.config.memory_mode) : 0;
}

std::optional<cost::InputCopy> choose_input_copy(const Lowering& lowering, const MacCommand& command,
                                                 const Production& production) {
  const int64_t most_bytes = most_copy_bytes(lowering);
  if (most_bytes == 0 || command.weight_order != spec::WeightOrder::Tiles || !is_map(production)) return std::nullopt;
  return cost::choose_input_copy(command, lowering.config, most_bytes);
}

void add_with_input_copy(Lowering& lowering, const Step& step, const cost::InputCopy& copy, ir::TensorId input) {
  const auto& source = std::get<MacCommand>(step.command.body);
  const auto is_input = [](const Operand& operand) { return operand.field == AddressField::Input; };
  const auto input_operand = std::find_if(step.operands.begin(), step.operands.end(), is_input) - step.operands.begin();
  const auto of_input = static_cast<size_t>(input_operand);
  lowering.program.takes_more_room = true;
  const BufferId buffer =
      lowering.add_buffer({.name = lowering.graph.tensor(input).name, .size_bytes = copy.size_bytes, .contents = {}});
  std::vector<cost::Alternatives> choices = step.choices;
  cost::Alternatives told("input map");
  told.add(cost::describe(copy), copy.cycles);
  told.add("as it lies", copy.cycles_without);
  choices.push_back(std::move(told));
  for (size_t i = 0; i < copy.parts.size(); ++i) {
    const cost::CopyPart& part = copy.parts[i];
    for (const spec::DmaCommand& dma : cost::copies_of_part(source, copy, i)) {
      Step copying;
      copying.command = {{spec::Queue::Dma1, 0, 0}, dma};
      if (dma.kind != spec::DmaKind::Fill) {
        copying.operands.push_back({AddressField::Source, 0, step.operands[of_input].buffer});
      }
      copying.operands.push_back({AddressField::Destination, 0, buffer});
      copying.ops = {step.ops[0]};
      copying.can_split_rows = false;
      lowering.add_step(std::move(copying));
    }
    Step computing = step;
    computing.command.body = cost::command_of_part(source, copy, part, lowering.config.datapath);
    if (part.is_copied) computing.operands[of_input].buffer = buffer;
    computing.can_split_rows = false;
    computing.is_tuned = true;
    computing.choices = std::exchange(choices, {});  // told once
    Production& production = computing.productions[0];
    const size_t dim = dim_of(production, copy.axis);
    production.begin[dim] += part.begin * production.step_of(dim);
    production.extent[dim] = part.count;
    lowering.add_step(std::move(computing));
  }
}

}  // namespace vernier::passes
