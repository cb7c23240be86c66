// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/place.hpp"

#include "compiler/schedule/access.hpp"
#include "compiler/schedule/too_much_outside.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace vernier::schedule {
namespace {

using base::MemorySpace;

struct Homes {
  base::IndexedVector<passes::BufferId, int64_t> offsets;  // -1: none
  int64_t end_bytes = 0;                                   // of the last one
};

/// External memory: the image, then a home for each graph input and output and for each feature map outside. Those that have
/// a place already keep it.
Homes make_homes(const passes::Program& program, const base::IndexedVector<passes::BufferId, bool>& is_outside,
                 int64_t image_bytes) {
  base::IndexedVector<passes::BufferId, int64_t> homes(program.buffers.size(), -1);
  int64_t end = program.outside_image_byte + image_bytes;
  int64_t at = program.outside_maps_byte.value_or(base::round_up(end, kConstantAlignBytes));
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const passes::Buffer& buffer = program.buffers[id];
    if (buffer.is_constant() || !(is_outside[id] || buffer.is_filled_at_start || buffer.is_read_at_end)) continue;
    homes[id] = buffer.outside_byte.value_or(at);
    if (buffer.outside_byte) continue;
    end = at + buffer.size_bytes;
    at = base::round_up(end, kConstantAlignBytes);
  }
  return {std::move(homes), end};
}

Homes homes_of(const Placing& placing) {
  Homes homes;
  if (placing.image_address.space == MemorySpace::External) homes.end_bytes = placing.image.size_bytes;
  if (placing.has_homes) homes = make_homes(placing.program, placing.is_outside, placing.image.size_bytes);
  if (homes.end_bytes > spec::kMaxExternalBytes) throw TooMuchOutside(homes.end_bytes, false);
  return homes;
}

/// Everything that decides where an address field points.
struct Placer {
  const passes::Program& program;
  const Sequence& sequence;
  const Layout& layout;
  const Image& image;
  base::Address image_address;
  base::IndexedVector<passes::BufferId, int64_t> homes;  // empty: nothing but the image is in external memory

  [[nodiscard]] int64_t offset_of(int32_t block) const { return layout.blocks[block].offset; }
  [[nodiscard]] int64_t offset_of_stage(int32_t stage) const { return offset_of(layout.block_of_stage[stage]); }
  [[nodiscard]] int64_t in_image(size_t id) const {
    return static_cast<int64_t>(image_address.offset) + image.offset_bytes[id];
  }

  void place_buffers(Schedule& schedule) const {
    schedule.buffer_address.assign(layout.block_of_buffer.size(), {});
    for (size_t id = 0; id < layout.block_of_buffer.size(); ++id) {
      base::Address& address = schedule.buffer_address[id];
      if (!homes.empty() && homes[id] >= 0) {
        address = {MemorySpace::External, static_cast<uint64_t>(homes[id])};
      } else if (layout.block_of_buffer[id] >= 0 && !program.buffers[id].is_constant()) {
        address = {MemorySpace::Sram, static_cast<uint64_t>(offset_of(layout.block_of_buffer[id]))};
      } else {
        address = {image_address.space, static_cast<uint64_t>(in_image(id))};
      }
    }
  }

  /// What is added to an operand's field.
  [[nodiscard]] int64_t start_of(const LinearCommand& command, const passes::Operand& operand) const {
    const int32_t block = block_of(layout, command, operand);
    if (block >= 0) return offset_of(block);
    const auto id = static_cast<size_t>(operand.buffer);
    return program.buffers[id].is_constant() ? in_image(id) : homes[id];
  }

  [[nodiscard]] package::Placement placement_in(const StagedPlacement& staged) const {
    package::Placement placement = staged.placement;
    placement.base.offset += static_cast<uint64_t>(offset_of_stage(staged.stage));
    return placement;
  }

  [[nodiscard]] package::Placement placement_at_home(const passes::Production& production) const {
    const passes::TensorPlace& place = *program.places[production.tensor];
    const auto id = static_cast<size_t>(place.buffer);
    package::Placement placement = place.placement;
    if (layout.block_of_buffer[id] >= 0) {
      placement.base = {MemorySpace::Sram,
                        placement.base.offset + static_cast<uint64_t>(offset_of(layout.block_of_buffer[id]))};
    } else {
      placement.base = {MemorySpace::External, placement.base.offset + static_cast<uint64_t>(homes[id])};
    }
    return placement;
  }

  /// The stage in which the command leaves a part of the production's bytes, none where it writes them to their home.
  [[nodiscard]] int32_t stage_of(const LinearCommand& command, const passes::Production& production) const {
    const passes::BufferId buffer = program.places[production.tensor]->buffer;
    for (const StageUse& use : command.uses) {
      const bool is_of_buffer =
          std::any_of(command.step.operands.begin(), command.step.operands.end(), [&](const passes::Operand& operand) {
            return operand.buffer == buffer && operand.field == use.field && operand.stream_idx == use.stream_idx;
          });
      if (is_of_buffer && use.stage != StageUse::kHome) return use.stage;
    }
    return StageUse::kHome;
  }

  [[nodiscard]] std::vector<spec::Command> commands() const {
    std::vector<spec::Command> commands;
    commands.reserve(sequence.commands.size());
    for (const LinearCommand* command : sequence.commands) {
      spec::Command& placed = commands.emplace_back(command->step.command);
      for (const passes::Operand& operand : command->step.operands) relocate(placed, operand, start_of(*command, operand));
    }
    return commands;
  }

  /// The steps of the commands, and where their tensors lie.
  void place_steps(Schedule& schedule, const std::vector<spec::Command>& commands) const {
    base::IndexedVector<int32_t, size_t> last_use(layout.block_of_stage.size());
    for (size_t i = 0; i < sequence.commands.size(); ++i) {
      for (const StageUse& use : sequence.commands[i]->uses) {
        if (use.stage != StageUse::kHome) last_use[use.stage] = i;
      }
    }
    schedule.commands.reserve(sequence.commands.size());
    schedule.placements.reserve(sequence.commands.size());
    // What lies in no stage as the tensor has it (one word of each int48) is whole when the stage's last store is over.
    std::vector<std::vector<passes::Production>> when_stored(sequence.commands.size());
    for (size_t i = 0; i < sequence.commands.size(); ++i) {
      const LinearCommand& command = *sequence.commands[i];
      passes::Step& step = schedule.commands.emplace_back(command.step);
      step.command = commands[i];
      const std::vector<passes::Production> productions = std::exchange(step.productions, std::move(when_stored[i]));
      std::vector<package::Placement>& placements = schedule.placements.emplace_back();
      for (const passes::Production& production : step.productions) placements.push_back(placement_at_home(production));
      for (size_t p = 0; p < productions.size(); ++p) {
        const bool is_staged = p < command.placements.size() && command.placements[p].has_value();
        const int32_t stage = is_staged ? StageUse::kHome : stage_of(command, productions[p]);
        if (stage != StageUse::kHome && last_use[stage] > i) {
          when_stored[last_use[stage]].push_back(productions[p]);
          continue;
        }
        step.productions.push_back(productions[p]);
        placements.push_back(is_staged ? placement_in(*command.placements[p]) : placement_at_home(productions[p]));
      }
    }
  }

  void place_blocks(Schedule& schedule) const {
    schedule.placed.reserve(layout.blocks.size());
    for (size_t b = 0; b < layout.blocks.size(); ++b) {
      const Block& block = layout.blocks[b];
      schedule.placed.push_back(
          {std::string(layout.names[b]), layout.is_constant[b], block.offset, block.size_bytes, block.first, block.last});
    }
  }
};

Placer placer_of(const Placing& placing, Homes homes) {
  return {placing.program,     placing.sequence,      placing.layout,
          placing.image.image, placing.image_address, std::move(homes.offsets)};
}

}  // namespace

std::vector<spec::Command> placed_commands(const Placing& placing) {
  return placer_of(placing, homes_of(placing)).commands();
}

void place(Schedule& schedule, const Placing& placing, const std::vector<spec::Command>& commands) {
  Homes homes = homes_of(placing);
  schedule.image_address = placing.image_address;
  schedule.external_bytes = homes.end_bytes;
  const Placer placer = placer_of(placing, std::move(homes));
  placer.place_buffers(schedule);
  placer.place_steps(schedule, commands);
  placer.place_blocks(schedule);
}

}  // namespace vernier::schedule
