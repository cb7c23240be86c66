// SPDX-License-Identifier: Apache-2.0
// Whose RTL a command runs: from the choice to the blocks.
#pragma once

#include "sim/cosim/block/evaluation_watch.hpp"
#include "sim/cosim/block/rtl_library.hpp"
#include "sim/cosim/memory/stream_source.hpp"
#include "sim/cosim/network/rtl_wave.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::flow {

/// Of RtlChoice::on_endless_evaluation.
inline constexpr int kMostEvaluationSeconds = cosim::kMostEvaluationSeconds;

/// Where the blocks of a command come from: from elsewhere those that RTL from there concerns, all others from `own`.
struct RtlSource {
  cosim::RtlLibrary own = cosim::own_rtl();    // this program's, or a test's
  std::optional<cosim::RtlLibrary> foreign{};  // --rtl
  std::string folder{};                        // foreign: --rtl
  bool is_strict = true;                       // about cycles: of our own RTL always
  cosim::StreamSource streams = cosim::StreamSource::Ideal;
  size_t most_wave_bytes = cosim::RtlWave::kMostBytes;
  int reset_seed = cosim::RtlOptions{}.reset_seed;  // foreign: of the values that registers start from
  bool has_own_array = false;                       // foreign: of all units but the arrays

  [[nodiscard]] bool is_foreign() const { return foreign.has_value(); }
  /// Whether the block of a unit has a module from elsewhere in it.
  [[nodiscard]] bool concerns(std::string_view unit) const;
  /// UserError where a unit's block is not there and nothing is there to build it with. Builds nothing.
  void require(std::string_view unit, int lanes) const;
  [[nodiscard]] std::unique_ptr<cosim::RtlBlock> make(std::string_view unit, int lanes) const;
  /// make() of this source, which outlives what is returned.
  [[nodiscard]] cosim::BlockMaker maker() const {
    return [this](std::string_view unit, int lanes) { return make(unit, lanes); };
  }
};

/// UserError for a folder that is none, or what read_rtl_folder() refuses. `progress` is told what is built.
RtlSource rtl_source(const RtlChoice& choice, std::function<void(const std::string& what)> progress);

/// What a reader has to know where RTL is foreign, and no block of these units has a module of it; else empty.
std::string note_that_all_is_ours(const RtlSource& source, std::initializer_list<std::string_view> units);

/// Whether an array of ours has to keep units of ours: those of `source` have another depth.
bool needs_own_array(const RtlSource& source, int lanes);

/// Ends the programs that build RTL, with all that they have started. May be called from a signal handler.
void kill_programs() noexcept;

}  // namespace vernier::flow
