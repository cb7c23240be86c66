// SPDX-License-Identifier: Apache-2.0
// Choices that change cycles but neither values nor memory, made by asking the units' own timing (hw/timing).
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>

namespace vernier::cost {

/// Cycles of a command that has the machine to itself: main and drain.
int64_t cycles_alone(const spec::MacCommand& command, const config::MachineConfig& config);

/// The same depthwise command with its windows sliding along rows or along columns, whichever takes fewer cycles (columns
/// when equal). Other commands come back as they are.
spec::MacCommand with_best_slide(spec::MacCommand command, const config::MachineConfig& config);

}  // namespace vernier::cost
