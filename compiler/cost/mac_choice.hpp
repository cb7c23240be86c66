// SPDX-License-Identifier: Apache-2.0
// Choices that change cycles but neither values nor memory, made by asking the units' own timing (hw/timing).
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>

namespace vernier::cost {

/// Cycles of a command that has the machine to itself: main and drain.
int64_t cycles_alone(const spec::MacCommand& command, const config::MachineConfig& config);

/// The same command with row tiles of even sizes and, if it is depthwise, its windows sliding along rows or along columns,
/// whichever takes fewer cycles (columns when equal). Slices of a reduction keep their row tile.
spec::MacCommand with_best_slide(spec::MacCommand command, const config::MachineConfig& config);

/// The same command with row tiles of the size (and the slide, if depthwise) that takes the fewest cycles alone (the largest
/// when equal): small ones leave a short drain, which is what a dependent command waits for; large ones load weights less
/// often.
spec::MacCommand with_best_row_tile(const spec::MacCommand& command, const config::MachineConfig& config);

}  // namespace vernier::cost
