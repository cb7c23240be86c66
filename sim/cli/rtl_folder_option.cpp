// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/rtl_folder_option.hpp"

#include "sim/cosim/rtl_build.hpp"

#include <algorithm>
#include <memory>

namespace vernier::cli {

RtlSource rtl_source(const RtlChoice& choice, std::function<void(const std::string& what)> progress) {
  RtlSource source{.make_block = choice.make_own, .make_own = choice.make_own};
  if (!choice.folder) return source;
  const auto builder = std::make_shared<cosim::RtlBuilder>(cosim::read_rtl_folder(*choice.folder), std::move(progress));
  source.is_foreign = true;
  source.is_strict = choice.strict_cycles;
  source.has_only_lanes = builder->has_only_lanes();
  source.make_block = [builder, make_own = choice.make_own](std::string_view unit, int lanes) {
    const auto* block = std::ranges::find(spec::kRtlBlocks, unit, &spec::RtlBlock::unit);
    return builder->concerns(block->name) ? builder->make(*block, lanes) : make_own(unit, lanes);
  };
  return source;
}

}  // namespace vernier::cli
