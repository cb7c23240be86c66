// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/own_rtl.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/child_process.hpp"

#include <algorithm>

namespace vernier::cosim {

void require_own_rtl(const spec::RtlBlock& block, int lanes) {
  const bool has_block = std::ranges::any_of(rtl_blocks(), [&](const RtlEntry& entry) {
    return entry.name == block.name && entry.lanes == lanes && entry.variant == RtlVariant::Plain;
  });
  if (has_block) return;
  if (find_program("verilator")) return RtlBuilder::of_own_rtl().require_tools();
  if (rtl_blocks().empty())
    throw base::UserError(block.unit, "this program has no RTL of {} lanes: it was built without Verilator 5", lanes);
  throw base::UserError(block.unit, "this program has no RTL of {} lanes, and PATH has no 'verilator' to build it", lanes);
}

std::unique_ptr<RtlBlock> make_own_rtl(const spec::RtlBlock& block, int lanes, const RtlBuilder::Progress& progress,
                                       bool traces_memories) {
  if (auto made = traces_memories ? nullptr : make_rtl_block(block.name, lanes)) return made;
  if (!traces_memories) require_own_rtl(block, lanes);
  RtlBuilder builder = RtlBuilder::of_own_rtl(progress);
  if (traces_memories) builder.trace_memories();
  return builder.make(block, lanes);
}

}  // namespace vernier::cosim
