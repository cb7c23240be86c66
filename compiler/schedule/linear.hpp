// SPDX-License-Identifier: Apache-2.0
// Commands in the making: cut, with copies between SRAM and external memory, not placed yet.
#pragma once

#include "compiler/passes/program.hpp"
#include "hw/package/range.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::schedule {

/// A block of SRAM that holds a copy of something outside for a while.
struct Stage {
  std::string name;
  int64_t size_bytes = 0;
  bool is_constant = false;  // a copy of weights, parameters or a table
};

/// Where an address field of a command points, if not to its buffer's place in SRAM.
struct StageUse {
  static constexpr int32_t kHome = -1;  // the buffer's place in external memory; the field is an offset in the buffer
  passes::AddressField field = passes::AddressField::Source;
  int32_t stream_idx = 0;
  int32_t stage = kHome;  // index into the stages; the field is an offset in the stage
};

/// Where the tensor of a production lies in a stage: base counts from the start of the stage (and may be before it).
struct StagedPlacement {
  int32_t stage = -1;
  package::Placement placement;
};

struct LinearCommand {
  passes::Step step;
  std::vector<StageUse> uses;                              // for some of step.operands, matched by field and stream
  std::vector<std::optional<StagedPlacement>> placements;  // by production; none: where its buffer is
  int64_t cycles = 0;                                      // alone on its unit, see measure()
  std::vector<package::Range> home;                        // of copies: the bytes of a feature map's home that it touches
};

/// A command with the copies that belong to it: loads before it, stores after it.
struct Item {
  LinearCommand command;
  std::vector<LinearCommand> loads, stores;
};

}  // namespace vernier::schedule
