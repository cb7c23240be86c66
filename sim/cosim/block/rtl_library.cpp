// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/rtl_library.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/child_process.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

void require_own(const spec::RtlBlock& block, int lanes) {
  const bool has_block = std::ranges::any_of(rtl_blocks(), [&](const RtlEntry& entry) {
    return entry.name == block.name && entry.lanes == lanes && entry.variant == RtlVariant::Plain;
  });
  if (has_block) return;
  if (find_program("verilator")) return RtlBuilder::of_own_rtl().require_tools();
  if (rtl_blocks().empty())
    throw base::UserError(block.unit, "this program has no RTL of {} lanes: it was built without Verilator 5", lanes);
  throw base::UserError(block.unit, "this program has no RTL of {} lanes, and PATH has no 'verilator' to build it", lanes);
}

}  // namespace

RtlLibrary own_rtl(const RtlBuilder::Progress& progress, bool traces_memories) {
  const auto make = [=](const spec::RtlBlock& block, int lanes, const RtlOptions& options) {
    if (auto made = traces_memories ? nullptr : make_rtl_block(block.name, lanes, RtlVariant::Plain, options)) return made;
    if (!traces_memories) require_own(block, lanes);
    RtlBuilder builder = RtlBuilder::of_own_rtl(progress);
    if (traces_memories) builder.trace_memories();
    return builder.make(block, lanes, options);
  };
  return {.make = make, .require = require_own};
}

RtlLibrary rtl_of_folder(const std::filesystem::path& folder, RtlBuilder::Progress progress, bool traces_memories) {
  const auto builder = std::make_shared<RtlBuilder>(read_rtl_folder(folder), std::move(progress));
  if (traces_memories) builder->trace_memories();
  return {.make = [builder](const spec::RtlBlock& block, int lanes,
                            const RtlOptions& options) { return builder->make(block, lanes, options); },
          .concerns = [builder](const spec::RtlBlock& block) { return builder->concerns(block.name); },
          .require = [builder](const spec::RtlBlock& /*block*/, int /*lanes*/) { builder->require_tools(); },
          .has_array = !builder->has_only_lanes()};
}

RtlLibrary rtl_of(BlockMaker make) {
  return {.make = [make = std::move(make)](const spec::RtlBlock& block, int lanes, const RtlOptions& /*options*/) {
    return make(block.unit, lanes);
  }};
}

}  // namespace vernier::cosim
