// SPDX-License-Identifier: Apache-2.0
// The last change to a reduction before it is placed: as many rows at a time as take the fewest cycles.
#pragma once

#include "compiler/schedule/known_times.hpp"
#include "compiler/schedule/linear.hpp"

namespace vernier::schedule {

/// A command with cost::with_best_row_streams(); each new stream belongs to the buffer and stage of the one that it was.
void put_rows_into_streams(LinearCommand& command, const config::MachineConfig& config, KnownTimes& times);

}  // namespace vernier::schedule
