// SPDX-License-Identifier: Apache-2.0
// The order of a stream: loads go ahead of the commands that need them, stores come after the command behind, as far as the
// SRAM has room. What lives at the same time gets different bytes, and only then can it overlap.
#pragma once

#include "compiler/schedule/linear.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// `room_bytes`: what blocks that live together may take. 0 keeps every copy beside its command.
LinearProgram order(std::vector<Item> items, std::vector<Stage> stages, const passes::Program& program,
                    const config::MachineConfig& config, int64_t room_bytes);

}  // namespace vernier::schedule
