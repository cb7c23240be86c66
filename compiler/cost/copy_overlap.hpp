// SPDX-License-Identifier: Apache-2.0
// The array and a DMA channel side by side: how long commands take that wait for copies, the two sharing the ports of the
// SRAM by the rule of hw/timing/in_flight.hpp.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/timing/phase.hpp"

#include <cstdint>
#include <vector>

namespace vernier::cost {

/// A command of the array, and the copies that it waits for.
struct PartWork {
  timing::Profile array;
  std::vector<timing::Phase> copies;
};

/// Cycles from the first start to the last drain's end. The array takes part after part, the channel copy after copy,
/// neither before the command processor has issued the command; tokens take the time that they take.
int64_t cycles_together(const std::vector<const PartWork*>& parts, const config::MachineConfig& config);

}  // namespace vernier::cost
