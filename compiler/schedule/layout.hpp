// SPDX-License-Identifier: Apache-2.0
// The blocks of SRAM that a linear program needs: feature maps, staged copies, and (memory mode sram) the image.
#pragma once

#include "compiler/schedule/allocator.hpp"
#include "compiler/schedule/order.hpp"
#include "hw/base/indexed_vector.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vernier::schedule {

struct Layout {
  base::IndexedVector<int32_t, Block> blocks;
  std::vector<std::string_view> names;                             // by block: those of buffers and stages, which outlive it
  std::vector<bool> is_constant;                                   // by block: what it holds is known at compile time
  base::IndexedVector<passes::BufferId, int32_t> block_of_buffer;  // -1: not in SRAM (constants, feature maps outside)
  base::IndexedVector<int32_t, int32_t> block_of_stage;
  int32_t image_block = -1;  // -1: the image is in external memory
};

/// The block that an operand lies in; -1: none of them, but external memory or the image.
int32_t block_of(const Layout& layout, const LinearCommand& command, const passes::Operand& operand);

/// Blocks with their lifetimes, not placed yet. `is_outside`: feature maps that live in external memory.
/// A command uses its blocks up to the command `busy_until` says for it, up to itself where that is empty.
/// `image_bytes` > 0 puts the image into SRAM. With `has_homes` inputs come from external memory and outputs go there, so
/// that their blocks live from their loads and to their stores only.
Layout make_layout(const passes::Program& program, const Sequence& sequence, const std::vector<Stage>& stages,
                   const base::IndexedVector<passes::BufferId, bool>& is_outside, int64_t image_bytes, bool has_homes,
                   std::span<const int64_t> busy_until = {});

}  // namespace vernier::schedule
