// SPDX-License-Identifier: Apache-2.0
// Choices that change cycles but neither values nor memory, made by asking the units' own timing (hw/timing). Each tells
// `told`, where it is given, what else there was.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>

namespace vernier::cost {

/// Rows of accumulators that a command fills for each channel tile: pixels that share the lanes are one row.
int64_t accumulator_rows(const spec::MacCommand& command);

/// Cycles of a command that has the machine to itself and no places yet (operands_apart.hpp): main and drain.
int64_t cycles_alone(const spec::MacCommand& command, const config::MachineConfig& config);
/// The same of any command; on the array as with_best_slide() makes it.
int64_t cycles_alone(const spec::Command& command, const config::MachineConfig& config);

/// The same command with its lanes split between 1, 2 or 4 neighbouring pixels, whichever takes the fewest cycles (the
/// fewest pixels when equal). Only where the lanes of a last channel tile would idle, and more than N/2 channels only into
/// tiles that are all full: the first channel beyond N costs a whole tile. Weights are packed for what it says.
spec::MacCommand with_best_lane_split(spec::MacCommand command, const config::MachineConfig& config,
                                      Alternatives* told = nullptr);

/// The same command with row tiles of even sizes and, if it is depthwise, its windows sliding along rows or along columns,
/// whichever takes fewer cycles (columns when equal). Slices of a reduction keep their row tile.
spec::MacCommand with_best_slide(spec::MacCommand command, const config::MachineConfig& config,
                                 Alternatives* told = nullptr);

/// The same command with row tiles of the size (and the slide, if depthwise) that takes the fewest cycles alone (the largest
/// when equal): small ones leave a short drain, which is what a dependent command waits for; large ones load weights less
/// often.
spec::MacCommand with_best_row_tile(const spec::MacCommand& command, const config::MachineConfig& config,
                                    Alternatives* told = nullptr);

}  // namespace vernier::cost
