// SPDX-License-Identifier: Apache-2.0
// Whose RTL a command runs: from the choice to the blocks.
#pragma once

#include "sim/cosim/block/evaluation_watch.hpp"
#include "sim/cosim/memory/stream_source.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/network/rtl_wave.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::flow {

/// Of RtlChoice::on_endless_evaluation.
inline constexpr int kMostEvaluationSeconds = cosim::kMostEvaluationSeconds;

/// Where the blocks of a command come from.
struct RtlSource {
  cosim::BlockMaker make_block;
  bool is_foreign = false;
  std::string folder{};                                   // foreign: --rtl
  std::function<bool(std::string_view unit)> concerns{};  // foreign: whether a unit's block has a module of it
  std::function<void()> require_tools{};                  // foreign: UserError where nothing can build it
  bool is_strict = true;                                  // about cycles: of our own RTL always
  cosim::StreamSource streams = cosim::StreamSource::Ideal;
  bool has_only_lanes = false;  // foreign: rescale and table units, the array is ours
  cosim::BlockMaker make_own = cosim::make_unit;
  bool has_own_blocks = false;  // make_own is a test's
  size_t most_wave_bytes = cosim::RtlWave::kMostBytes;
  int reset_seed = cosim::RtlOptions{}.reset_seed;                  // foreign: of the values that registers start from
  std::function<cosim::BlockMaker(int reset_seed)> make_started{};  // foreign: make_block with other ones
};

/// UserError for a folder that is none, or what read_rtl_folder() refuses. `progress` is told what is built.
RtlSource rtl_source(const RtlChoice& choice, std::function<void(const std::string& what)> progress);

/// UserError where a unit's block is not there and nothing is there to build it with. Builds nothing.
void require_rtl(const RtlSource& source, std::string_view unit, int lanes);

/// What a reader has to know where RTL is foreign, and no block of these units has a module of it; else empty.
std::string note_that_all_is_ours(const RtlSource& source, std::initializer_list<std::string_view> units);

/// The same, but registers of foreign RTL that nothing has written yet have other values.
RtlSource started_from(const RtlSource& source, int reset_seed);

/// The same, but for the arrays, which are ours.
RtlSource with_own_array(const RtlSource& source);

/// Whether an array of ours has to keep units of ours: those of `source` have another depth.
bool needs_own_array(const RtlSource& source, int lanes);

/// Ends the programs that build RTL, with all that they have started. May be called from a signal handler.
void kill_programs() noexcept;

}  // namespace vernier::flow
