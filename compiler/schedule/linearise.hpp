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

/// A copy in SRAM of bytes [span.begin, span.end) of the image, or of a buffer that lives in external memory.
struct Stage {
  passes::BufferId buffer = -1;  // -1: of the image
  Span span;
  auto operator<=>(const Stage&) const = default;
};

/// Where an address field of a command points, if not to its buffer's place in SRAM.
struct StageUse {
  static constexpr int32_t kHome = -1;  // the buffer's place in external memory
  passes::AddressField field = passes::AddressField::Source;
  int32_t stream_idx = 0;
  int32_t stage = kHome;  // index into LinearProgram::stages
};

struct LinearCommand {
  passes::Step step;           // fields still offsets in their buffers, or in the image for a load of constants
  std::vector<StageUse> uses;  // for some of step.operands, matched by field and stream
  int32_t loads = -1;          // the stage of the image that this DMA command fills
};

struct LinearProgram {
  std::vector<LinearCommand> commands;
  std::vector<Stage> stages;
};

/// `stage_constants`: constants are copied to SRAM before their use (memory mode weights-external).
LinearProgram linearise(const passes::Program& program, const Image& image, const config::MachineConfig& config,
                        const Plan& plan, bool stage_constants);

}  // namespace vernier::schedule
