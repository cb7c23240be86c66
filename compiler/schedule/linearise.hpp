// SPDX-License-Identifier: Apache-2.0
// Puts the commands of a program in stream order: the cut steps, and between them the loads of constants and the fills of
// table slots, each as far ahead of its use as the plan says.
#pragma once

#include "compiler/passes/program.hpp"
#include "compiler/schedule/constants.hpp"
#include "compiler/schedule/cut.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace vernier::schedule {

struct Plan {
  int64_t prefetch_units = 0;
  bool choose_by_cost = false;  // number of stripes and direction of depthwise windows, by the units' timing
  CutLimits limits;
};

struct LinearProgram {
  std::vector<passes::Step> commands;      // feature-map fields still offsets in their buffers
  std::vector<std::vector<Span>> staged;   // by command: the spans of the image that it reads from SRAM copies
  std::vector<std::optional<Span>> loads;  // by command: the span that it copies to SRAM, if it is such a load
};

/// `stage_constants`: constants are copied to SRAM before their use (memory mode weights-external).
LinearProgram linearise(const passes::Program& program, const Image& image, const config::MachineConfig& config,
                        const Plan& plan, bool stage_constants);

}  // namespace vernier::schedule
