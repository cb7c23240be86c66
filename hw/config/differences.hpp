// SPDX-License-Identifier: Apache-2.0
// In which values two machines differ, for a line to people.
#pragma once

#include "hw/config/machine_config.hpp"

#include <span>
#include <string>
#include <string_view>

namespace vernier::config {

/// "queue_depth is 8, the machine has 16; ..." of all values that differ, but those of the keys that may; empty: none does.
std::string differences_of(const MachineConfig& compiled, const MachineConfig& machine,
                           std::span<const std::string_view> may_differ = {});

}  // namespace vernier::config
