// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_source.hpp"

#include "sim/cosim/block/child_process.hpp"
#include "sim/cosim/network/lane_units.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace vernier::flow {

bool RtlSource::concerns(std::string_view unit) const {
  return foreign && foreign->concerns(*spec::rtl_block_of_unit(unit));
}

void RtlSource::require(std::string_view unit, int lanes) const {
  (concerns(unit) ? *foreign : own).require(*spec::rtl_block_of_unit(unit), lanes);
}

std::unique_ptr<cosim::RtlBlock> RtlSource::make(std::string_view unit, int lanes) const {
  const spec::RtlBlock& block = *spec::rtl_block_of_unit(unit);
  const bool is_ours = !concerns(unit) || (has_own_array && block.kind == spec::RtlKind::Array);
  return is_ours ? own.make(block, lanes, {}) : foreign->make(block, lanes, {.reset_seed = reset_seed});
}

RtlSource rtl_source(const RtlChoice& choice, std::function<void(const std::string& what)> progress) {
  RtlSource source{.own = choice.make_own ? cosim::rtl_of(choice.make_own) : cosim::own_rtl(progress, choice.wave_memories),
                   .most_wave_bytes = choice.most_wave_bytes.value_or(cosim::RtlWave::kMostBytes)};
  if (choice.memory) source.streams = cosim::stream_source_of(*choice.memory);
  if (!choice.folder) return source;
  if (choice.on_endless_evaluation != nullptr) cosim::watch_evaluations(choice.on_endless_evaluation);
  source.foreign = cosim::rtl_of_folder(*choice.folder, std::move(progress), choice.wave_memories);
  source.folder = *choice.folder;
  source.is_strict = choice.strict_cycles;
  return source;
}

std::string note_that_all_is_ours(const RtlSource& source, std::initializer_list<std::string_view> units) {
  const auto concerns = [&](std::string_view unit) { return source.concerns(unit); };
  if (!source.is_foreign() || std::ranges::any_of(units, concerns)) return "";
  std::vector<std::string_view> names;
  for (const std::string_view unit : units) names.push_back(spec::rtl_block_of_unit(unit)->name);
  return fmt::format("{} of --rtl has no module of {}, which ran here: all RTL is ours", source.folder,
                     fmt::join(names, ", "));
}

bool needs_own_array(const RtlSource& source, int lanes) {
  if (!source.is_foreign() || source.foreign->has_array) return false;
  const auto [rescale, table] =
      cosim::LaneUnits(source.make("rescale", lanes), source.make("table", lanes), lanes, {.are_measured = true})
          .latencies();
  return rescale != spec::rtl_block_of_unit("rescale")->latency_cycles ||
         table != spec::rtl_block_of_unit("table")->latency_cycles;
}

void kill_programs() noexcept { cosim::kill_programs(); }

}  // namespace vernier::flow
