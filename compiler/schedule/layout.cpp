// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/layout.hpp"

#include <algorithm>
#include <limits>

namespace vernier::schedule {
namespace {

constexpr int64_t kNotUsedYet = std::numeric_limits<int64_t>::max();

int32_t add(Layout& layout, std::string_view name, bool is_constant, int64_t bytes, int64_t first, int64_t last) {
  layout.blocks.push_back({.size_bytes = bytes, .first = first, .last = last});
  layout.is_constant.push_back(is_constant);
  layout.names.push_back(name);
  return static_cast<int32_t>(layout.blocks.size()) - 1;
}

void use(Layout& layout, int32_t block, int64_t from, int64_t until) {
  Block& b = layout.blocks[block];
  b.first = std::min(b.first, from);
  b.last = std::max(b.last, until);
}

}  // namespace

int32_t block_of(const Layout& layout, const LinearCommand& command, const passes::Operand& operand) {
  for (const StageUse& use : command.uses) {
    if (use.field != operand.field || use.stream_idx != operand.stream_idx) continue;
    return use.stage == StageUse::kHome ? -1 : layout.block_of_stage[use.stage];
  }
  return layout.block_of_buffer[operand.buffer];
}

Layout make_layout(const passes::Program& program, const Sequence& sequence, const std::vector<Stage>& stages,
                   const base::IndexedVector<passes::BufferId, bool>& is_outside, int64_t image_bytes, bool has_homes,
                   std::span<const int64_t> busy_until) {
  Layout layout;
  const size_t most_blocks = 1 + program.buffers.size() + stages.size();
  layout.blocks.reserve(most_blocks);
  layout.names.reserve(most_blocks);
  layout.block_of_stage.reserve(stages.size());
  const auto end = static_cast<int64_t>(sequence.commands.size());
  if (image_bytes > 0) layout.image_block = add(layout, "constants and commands", true, image_bytes, -1, end);
  layout.block_of_buffer.assign(program.buffers.size(), -1);
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const passes::Buffer& buffer = program.buffers[id];
    if (is_outside[id] || (buffer.is_constant() && image_bytes > 0)) continue;
    const bool starts_filled = buffer.is_filled_at_start && !has_homes;
    const bool is_kept = buffer.is_read_at_end && !has_homes;
    layout.block_of_buffer[id] = add(layout, buffer.name, buffer.is_constant(), buffer.size_bytes,
                                     starts_filled ? -1 : kNotUsedYet, is_kept ? end : -1);
  }
  for (const Stage& stage : stages) {
    layout.block_of_stage.push_back(add(layout, stage.name, stage.is_constant, stage.size_bytes, kNotUsedYet, -1));
  }
  for (size_t i = 0; i < sequence.commands.size(); ++i) {
    const LinearCommand& command = *sequence.commands[i];
    const auto from = static_cast<int64_t>(i), until = busy_until.empty() ? from : busy_until[i];
    for (const passes::Operand& operand : command.step.operands) {
      const int32_t block = block_of(layout, command, operand);
      if (block >= 0) use(layout, block, from, until);
    }
  }
  for (Block& block : layout.blocks) {
    if (block.first == kNotUsedYet)
      block.first = block.last = block.last < 0 ? -1 : block.last;  // never used: a moment before the start
  }
  return layout;
}

}  // namespace vernier::schedule
