// SPDX-License-Identifier: Apache-2.0
// A job as transactions: its commands, the bytes that they move outside, and its tokens, with the relations between them.
// What stands in the file is written down in docs/reference/traces.md, whose version is kTransactionsSchema.
#pragma once

#include "sim/timeline/timeline.hpp"
#include "sim/waves/wave.hpp"

#include <optional>
#include <string>

namespace vernier::timeline {

inline constexpr std::string_view kTransactionsSchema = "vernier-transactions/1";

/// The FTR file of the transactions of which a cycle lies in the window. `scope`: only those of generators whose path,
/// "npu.mac_array.command", matches the shell pattern; '*' also matches dots. UserError naming the generators that there are
/// when none does. Relations are those between two transactions that are kept.
std::vector<std::byte> to_transactions(const WatchedJob& watched, const waves::Window& window,
                                       const std::optional<std::string>& scope);

}  // namespace vernier::timeline
