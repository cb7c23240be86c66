// SPDX-License-Identifier: Apache-2.0
// Samples of one run in several processes.
#pragma once

#include "sim/flow/samples/samples_request.hpp"

#include <cstdint>
#include <optional>

namespace vernier::cli {

/// Pieces of work in forks of this process, `jobs` at a time (absent: as many as there are processors). The function has
/// UserErrors where the system ends a process or has no room for one. With one job there is nothing to spread.
flow::Spread spread_over_workers(std::optional<int64_t> jobs);

}  // namespace vernier::cli
