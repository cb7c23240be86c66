// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/place.hpp"

#include "compiler/schedule/access.hpp"
#include "hw/base/error.hpp"

namespace vernier::schedule {
namespace {

using base::MemorySpace;

/// External memory: the image, then a home for each graph input and output and for each feature map outside.
std::vector<int64_t> make_homes(const passes::Program& program, const std::vector<bool>& is_outside, int64_t image_bytes) {
  std::vector<int64_t> homes(program.buffers.size(), -1);
  int64_t at = base::round_up(image_bytes, kConstantAlignBytes);
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const passes::Buffer& buffer = program.buffers[id];
    if (buffer.is_constant() || !(is_outside[id] || buffer.is_filled_at_start || buffer.is_read_at_end)) continue;
    homes[id] = at;
    at = base::round_up(at + buffer.size_bytes, kConstantAlignBytes);
  }
  return homes;
}

/// Everything that decides where an address field points.
struct Placer {
  Schedule& schedule;
  const passes::Program& program;
  const ir::Graph& graph;
  const Sequence& sequence;
  const Layout& layout;
  std::vector<int64_t> homes;  // by BufferId; empty: nothing but the image is in external memory

  [[nodiscard]] int64_t offset_of(int32_t block) const { return layout.blocks[static_cast<size_t>(block)].offset; }
  [[nodiscard]] int64_t offset_of_stage(int32_t stage) const {
    return offset_of(layout.block_of_stage[static_cast<size_t>(stage)]);
  }
  [[nodiscard]] int64_t in_image(size_t id) const {
    return static_cast<int64_t>(schedule.image_address.offset) + schedule.image.offset_bytes[id];
  }

  void place_buffers() const {
    schedule.buffer_address.assign(layout.block_of_buffer.size(), {});
    for (size_t id = 0; id < layout.block_of_buffer.size(); ++id) {
      base::Address& address = schedule.buffer_address[id];
      if (!homes.empty() && homes[id] >= 0) {
        address = {MemorySpace::External, static_cast<uint64_t>(homes[id])};
      } else if (layout.block_of_buffer[id] >= 0 && !program.buffers[id].is_constant()) {
        address = {MemorySpace::Sram, static_cast<uint64_t>(offset_of(layout.block_of_buffer[id]))};
      } else {
        address = {schedule.image_address.space, static_cast<uint64_t>(in_image(id))};
      }
    }
  }

  /// What is added to an operand's field.
  [[nodiscard]] int64_t start_of(const LinearCommand& command, const passes::Operand& operand) const {
    const auto id = static_cast<size_t>(operand.buffer);
    for (const StageUse& use : command.uses) {
      if (use.field != operand.field || use.stream_idx != operand.stream_idx) continue;
      if (use.stage != StageUse::kHome) return offset_of_stage(use.stage);
      return program.buffers[id].is_constant() ? in_image(id) : homes[id];
    }
    if (layout.block_of_buffer[id] >= 0) return offset_of(layout.block_of_buffer[id]);
    return in_image(id);
  }

  [[nodiscard]] package::Placement placement_of(const LinearCommand& command, size_t production_idx) const {
    const passes::Production& production = command.step.productions[production_idx];
    const passes::TensorPlace& place = *program.places[static_cast<size_t>(production.tensor)];
    if (production_idx < command.placements.size() && command.placements[production_idx]) {
      const StagedPlacement& staged = *command.placements[production_idx];
      package::Placement placement = staged.placement;
      placement.base.offset += static_cast<uint64_t>(offset_of_stage(staged.stage));
      return placement;
    }
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

  void place_commands() const {
    for (const LinearCommand* in_sequence : sequence.commands) {
      const LinearCommand& command = *in_sequence;
      passes::Step step = command.step;
      for (const passes::Operand& operand : step.operands) relocate(step.command, operand, start_of(command, operand));
      std::vector<package::Placement> placements;
      for (size_t p = 0; p < step.productions.size(); ++p) placements.push_back(placement_of(command, p));
      schedule.commands.push_back(std::move(step));
      schedule.placements.push_back(std::move(placements));
    }
    for (size_t b = 0; b < layout.blocks.size(); ++b) {
      const Block& block = layout.blocks[b];
      schedule.placed.push_back({layout.names[b], block.offset, block.size_bytes, block.first, block.last});
    }
  }
};

}  // namespace

void place(Schedule& schedule, const passes::Program& program, const ir::Graph& graph, const Sequence& sequence,
           const Layout& layout, const std::vector<bool>& is_outside, bool has_homes) {
  const auto image_bytes = static_cast<int64_t>(schedule.image.bytes.size());
  const Placer placer{schedule, program, graph,
                      sequence, layout,  has_homes ? make_homes(program, is_outside, image_bytes) : std::vector<int64_t>{}};
  placer.place_buffers();
  placer.place_commands();
}

}  // namespace vernier::schedule
