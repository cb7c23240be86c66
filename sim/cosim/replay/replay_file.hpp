// SPDX-License-Identifier: Apache-2.0
// Replays as text, "vernier-replay/1": docs/reference/replay.md.
#pragma once

#include "sim/cosim/replay/replay.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace vernier::cosim {

inline constexpr std::string_view kReplaySchema = "vernier-replay/1";

/// Paces, as they stand in a file.
inline constexpr std::array<std::string_view, kNumPaces> kReplayPaceNames{"ideal", "frozen", "stalls", "held"};

std::string replay_text(const Replay& replay, std::string_view tool_version);

/// UserError (naming the file, what was found and what is allowed) for a file that is none, is damaged, is of another
/// version of the format or of the ports, or does not expect what this program's model gives for its inputs.
Replay read_replay(const std::filesystem::path& file);

}  // namespace vernier::cosim
