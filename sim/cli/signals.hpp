// SPDX-License-Identifier: Apache-2.0
// What the program does when it is told to end, and when RTL never comes back.
#pragma once

#include <cstdint>
#include <string_view>

namespace vernier::cli {

/// SIGINT and SIGTERM leave no half file, no worker and no program that builds RTL; a reader that has gone, and a file over
/// the limit, are failed writes like any other.
void handle_signals();

/// For flow::RtlChoice: ends the program with a line and the exit code of a fault.
void end_endless_evaluation(std::string_view block, int64_t cycle);

}  // namespace vernier::cli
