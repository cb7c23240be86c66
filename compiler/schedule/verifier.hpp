// SPDX-License-Identifier: Apache-2.0
// Proves, before anything runs, that a command stream is ordered by its tokens. It trusts nothing that the scheduler says:
// it reads the commands alone.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vernier::schedule {

/// Every finding as a line that names the two commands; empty when proved:
/// - each wait has its signal earlier in the stream (so the oldest command can always go on: no deadlock), none is left
/// over;
/// - no semaphore can count past its width;
/// - every read-after-write pair, and every conflicting pair across queues, is ordered.
std::vector<std::string> verify_order(std::span<const spec::Command> commands, const spec::Datapath& datapath,
                                      int64_t queue_depth);

}  // namespace vernier::schedule
