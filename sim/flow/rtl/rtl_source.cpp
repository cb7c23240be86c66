// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_source.hpp"

#include "sim/cosim/block/child_process.hpp"
#include "sim/cosim/block/own_rtl.hpp"
#include "sim/cosim/block/rtl_build.hpp"
#include "sim/cosim/network/lane_units.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace vernier::flow {

RtlSource rtl_source(const RtlChoice& choice, std::function<void(const std::string& what)> progress) {
  const cosim::BlockMaker make_own = choice.make_own ? choice.make_own : cosim::unit_maker(progress, choice.wave_memories);
  RtlSource source{.make_block = make_own,
                   .make_own = make_own,
                   .most_wave_bytes = choice.most_wave_bytes.value_or(cosim::RtlWave::kMostBytes)};
  source.has_own_blocks = static_cast<bool>(choice.make_own);
  if (choice.memory) source.streams = cosim::stream_source_of(*choice.memory);
  if (!choice.folder) return source;
  if (choice.on_endless_evaluation != nullptr) cosim::watch_evaluations(choice.on_endless_evaluation);
  const auto builder = std::make_shared<cosim::RtlBuilder>(cosim::read_rtl_folder(*choice.folder), std::move(progress));
  if (choice.wave_memories) builder->trace_memories();
  source.is_foreign = true;
  source.folder = *choice.folder;
  source.concerns = [builder](std::string_view unit) { return builder->concerns(spec::rtl_block_of_unit(unit)->name); };
  source.require_tools = [builder] { builder->require_tools(); };
  source.is_strict = choice.strict_cycles;
  source.has_only_lanes = builder->has_only_lanes();
  source.make_started = [builder, concerns = source.concerns, make_own](int reset_seed) {
    return [=](std::string_view unit, int lanes) {
      return concerns(unit) ? builder->make(*spec::rtl_block_of_unit(unit), lanes, {.reset_seed = reset_seed})
                            : make_own(unit, lanes);
    };
  };
  source.make_block = source.make_started(source.reset_seed);
  return source;
}

void require_rtl(const RtlSource& source, std::string_view unit, int lanes) {
  if (source.is_foreign && source.concerns(unit)) return source.require_tools();
  if (source.has_own_blocks) return;
  cosim::require_own_rtl(*spec::rtl_block_of_unit(unit), lanes);
}

RtlSource started_from(const RtlSource& source, int reset_seed) {
  RtlSource changed = source;
  if (!source.make_started) return changed;
  changed.reset_seed = reset_seed;
  changed.make_block = source.make_started(reset_seed);
  return changed;
}

std::string note_that_all_is_ours(const RtlSource& source, std::initializer_list<std::string_view> units) {
  if (!source.is_foreign || std::ranges::any_of(units, source.concerns)) return "";
  std::vector<std::string_view> names;
  for (const std::string_view unit : units) names.push_back(spec::rtl_block_of_unit(unit)->name);
  return fmt::format("{} of --rtl has no module of {}, which ran here: all RTL is ours", source.folder,
                     fmt::join(names, ", "));
}

RtlSource with_own_array(const RtlSource& source) {
  RtlSource changed = source;
  changed.make_block = [source](std::string_view unit, int lanes) {
    const bool is_array = spec::rtl_block_of_unit(unit)->kind == spec::RtlKind::Array;
    return (is_array ? source.make_own : source.make_block)(unit, lanes);
  };
  return changed;
}

bool needs_own_array(const RtlSource& source, int lanes) {
  if (!source.is_foreign || !source.has_only_lanes) return false;
  const auto [rescale, table] =
      cosim::LaneUnits(source.make_block("rescale", lanes), source.make_block("table", lanes), lanes, {.are_measured = true})
          .latencies();
  return rescale != spec::rtl_block_of_unit("rescale")->latency_cycles ||
         table != spec::rtl_block_of_unit("table")->latency_cycles;
}

void kill_programs() noexcept { cosim::kill_programs(); }

}  // namespace vernier::flow
