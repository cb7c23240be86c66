// SPDX-License-Identifier: Apache-2.0
// The wave of the machine itself: every signal that was watched, with the layer beside each command.
#pragma once

#include "sim/waves/recording.hpp"
#include "sim/waves/wave.hpp"

namespace vernier::waves {

/// What commands are called.
struct CommandNames {
  std::span<const int32_t> layers;       // by command: its layer; -1 or missing: of none
  std::span<const std::string> names{};  // of the layers
  std::span<const int64_t> numbers{};    // by command, where its number is another one; else empty
};

/// The layer of a command; empty for one of none.
std::string layer_name(const CommandNames& commands, int64_t command);

/// Counts, sums, states and command indices as they are (no command: all bits z), flows as what moves in a cycle; beside
/// each signal "command" the text "layer".
Wave machine_wave(const std::vector<kit::Signal>& signals, const Recording& recording, const CommandNames& commands,
                  int64_t cycles);

}  // namespace vernier::waves
