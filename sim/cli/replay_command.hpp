// SPDX-License-Identifier: Apache-2.0
// Replays of RTL: written after a mismatch, run by `vernier cosim --replay FILE`, and as files for other benches.
#pragma once

#include "hw/base/file.hpp"
#include "sim/cli/options.hpp"
#include "sim/cosim/replay.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::cli {

/// --export-vectors writes so many cycles of a unit's inputs where there is no mismatch.
inline constexpr int64_t kExportedCycles = 20'000;

/// Where the replay of a unit or a network goes: SUBJECT.replay.json in the working folder.
std::string replay_file_of(const std::string& subject);

struct WrittenReplay {
  std::string file;  // empty: none was written
  std::string text;  // a line that says so, or why not
  std::optional<cosim::Replay> replay;
};
/// Cuts and writes the replay of a run's first mismatch. What keeps it from being written is in the text.
WrittenReplay write_replay(const cosim::FirstFault& fault, const std::string& subject, const std::string& config,
                           const spec::Datapath& datapath, const RtlSource& source);

/// Adds DIR/PORT.hex of each port; the line that says so.
std::string add_vector_files(base::FileSet& files, const std::string& folder, const cosim::Replay& replay);

/// With -q: the first line, and the first mismatch.
std::string quiet_text(const std::string& text, const std::vector<std::string>& mismatches);

int replay(const CosimCommand& command);

}  // namespace vernier::cli
