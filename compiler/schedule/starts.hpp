// SPDX-License-Identifier: Apache-2.0
// The commands of a stream by their starts. A full queue stops the stream: a command that could run stands behind those of
// other queues that cannot yet. By the starts that an unhurried stream would give, what can run first comes first.
#pragma once

#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace vernier::schedule {

struct StartOrder {
  /// `times` by command of `from`: who waits for a token starts behind its giver, and one queue's commands start in order,
  /// so that giver and taker, and each queue, keep their order.
  StartOrder(const Sequence& from, std::span<const CommandTime> times);

  Sequence sequence;
  int64_t end_cycle = 0;            // of the last command, by the times: the stream has little hope to end sooner
  std::vector<int64_t> busy_until;  // by command of `sequence`: the last one that starts before another could wait for it
};

}  // namespace vernier::schedule
