// SPDX-License-Identifier: Apache-2.0
// The order of a stream: loads go ahead of the commands that need them, stores come after the command behind, as far as the
// SRAM has room. What lives at the same time gets different bytes, and only then can it overlap.
#pragma once

#include "compiler/schedule/known_times.hpp"
#include "compiler/schedule/linear.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// Fills in what order() asks of each command; once, however often the items are ordered.
void measure(std::vector<Item>& items, const passes::Program& program, const config::MachineConfig& config,
             KnownTimes& times);

/// Bytes of a buffer's home that a command itself writes.
struct HomeWrite {
  passes::BufferId buffer;
  package::Range range;
};

struct Copy {
  size_t item;      // that it belongs to
  size_t position;  // a load stands before that item, a store after it
  int32_t stage = -1;
  int64_t bytes = 0;  // of the stage
  passes::BufferId buffer = -1;
  LinearCommand* command = nullptr;
};

/// What there is to order, each copy beside its command still.
struct Copies {
  std::vector<Copy> loads, stores;
  std::vector<std::vector<HomeWrite>> writes;  // by item
  std::vector<int64_t> live_bytes;             // by item
  [[nodiscard]] int64_t least_bytes() const;   // no order needs less
};
Copies find_copies(std::vector<Item>& items, const std::vector<Stage>& stages, const passes::Program& program,
                   const config::MachineConfig& config);

/// The commands of items in the order of the stream; they stay with their items.
struct Sequence {
  std::vector<LinearCommand*> commands;
  std::vector<size_t> item;  // by command: the item that it stands beside
};

struct OrderLimits {
  std::vector<int64_t> room_bytes;  // by item, what blocks that live then may take together; 0: copies stay beside commands
  int64_t loads_ahead;  // a load goes ahead by so many times its own cycles and some more, or as far as all loads need to
                        // be in time
};
Sequence order(std::vector<Item>& items, const Copies& copies, const config::MachineConfig& config,
               const OrderLimits& limits);

}  // namespace vernier::schedule
