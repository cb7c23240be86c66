// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/rtl_folder_option.hpp"

#include "hw/base/file.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cosim/evaluation_watch.hpp"
#include "sim/cosim/own_rtl.hpp"
#include "sim/cosim/rtl_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <unistd.h>
#include <vector>

namespace vernier::cli {
namespace {

/// What can be done in a signal handler: the line is made where it stands, and files that are not finished go.
void end_endless_evaluation(std::string_view block, int64_t cycle) {
  std::array<char, 300> line{};
  const auto end = fmt::format_to_n(line.data(), line.size(),
                                    "vernier: --rtl: {}, cycle {}: an evaluation has not ended after {} s of processor "
                                    "time: the RTL loops inside a cycle\n",
                                    block, cycle, cosim::kMostEvaluationSeconds)
                       .out;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), static_cast<size_t>(end - line.data()));
  base::remove_unfinished_files();
  ::_exit(kExitFault);
}

}  // namespace

RtlSource rtl_source(const RtlChoice& choice, std::function<void(const std::string& what)> progress) {
  const cosim::BlockMaker make_own = choice.make_own ? choice.make_own : cosim::unit_maker(progress, choice.wave_memories);
  RtlSource source{.make_block = make_own, .make_own = make_own, .most_wave_bytes = choice.most_wave_bytes};
  source.has_own_blocks = static_cast<bool>(choice.make_own);
  if (choice.memory) source.streams = cosim::stream_source_of(*choice.memory);
  if (!choice.folder) return source;
  cosim::watch_evaluations(end_endless_evaluation);
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

int report_silent_rtl(const RtlChoice& choice, const cosim::Hang& hang) {
  print_text(stderr, fmt::format("vernier: {}: {}\n", choice.folder.value_or("rtl"), hang.what()));
  return kExitFault;
}

}  // namespace vernier::cli
