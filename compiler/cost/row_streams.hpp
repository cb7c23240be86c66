// SPDX-License-Identifier: Apache-2.0
// Rows of a reduction side by side. One kept position is in flight at a time, so that a short row is mostly pipeline fill.
// A command has up to six streams: two, three or more rows then run through one microprogram, each with streams, steps and
// accumulators of its own, and share the fill.
//
//   maximum of each of 49 rows: load, maximum; reduce_max, store    2 streams, 49 positions
//   three rows at a time: rows 0..16, 17..33, 32..48                6 streams, 17 positions
//
// Where the rows do not divide, a few are computed twice, with the same values to the same place.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/known_profiles.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vernier::cost {

struct RowStreams {
  spec::VectorCommand command;
  std::vector<size_t> origin;  // by stream: the one that it was
};

/// The command with as many rows at a time as take the fewest cycles alone; most often as it is.
RowStreams with_best_row_streams(const spec::VectorCommand& command, const config::MachineConfig& config,
                                 timing::KnownProfiles& profiles);

/// Whether more than one takes the fewest cycles: the command then gets longer.
bool gains_from_row_streams(const spec::VectorCommand& command, const config::MachineConfig& config);

/// Cycles of that command alone.
int64_t cycles_with_row_streams(const spec::VectorCommand& command, const config::MachineConfig& config);

}  // namespace vernier::cost
