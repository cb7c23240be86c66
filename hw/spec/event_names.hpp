// SPDX-License-Identifier: Apache-2.0
// What the events of the performance counters are called.
#pragma once

#include "hw/spec/performance_counters.hpp"

#include <string>

namespace vernier::spec {

/// Within its unit: "busy_cycles", "stall_port_contention_cycles".
inline std::string name_in_unit(const PmuEvent& event) {
  return event.stall.empty() ? std::string(event.name) : "stall_" + std::string(event.stall) + "_cycles";
}

}  // namespace vernier::spec
