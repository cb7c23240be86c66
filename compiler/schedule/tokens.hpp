// SPDX-License-Identifier: Apache-2.0
// Tokens: which command waits for which.
//
// A command knows that another has ended when it waited for it, when a command that it waited for knew it at its own start,
// or when an earlier command of its queue knew it. Commands of one queue start and end in order, so "the last one known to
// have ended, per queue" is all there is to know. Waits of one queue on another therefore ask for ever later commands, and
// one counting semaphore per ordered pair of queues matches the n-th wait with the n-th signal.
#pragma once

#include "hw/package/range.hpp"
#include "hw/spec/command.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::schedule {

/// Sets wait and signal of every command, so that each read-after-write pair, and each conflicting pair across queues, is
/// ordered; no token more than that needs. By command: its header, whose queue is set, and its ranges; stream order is
/// program order.
void insert_tokens(std::span<spec::Header> headers, std::span<const std::vector<package::Range>> ranges);

/// What a command knows at its start: per queue, how many of its commands (from the first on) have ended.
using Knowledge = std::array<int64_t, spec::kNumQueues>;

}  // namespace vernier::schedule
