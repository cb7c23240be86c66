// SPDX-License-Identifier: Apache-2.0
// How full a queue is during a job, counted where commands enter and leave it. SystemC-free.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vernier::units {

/// Over the cycles of a job. The commands of a queue in a cycle are those at its end: one that enters and leaves in the same
/// cycle does not count, and room that is made and taken in the same cycle was none.
struct QueueUse {
  int64_t most_commands = 0;   // that waited in it at once
  int64_t full_cycles = 0;     // in which it had no room
  int64_t holding_cycles = 0;  // of these, those in which the command processor held a command that had to go there
  bool operator==(const QueueUse&) const = default;
};

/// Counts while a job runs: told each change, in order.
class QueueMeter {
 public:
  void reset() { *this = {}; }
  /// From `cycle` on, `num_commands` wait in it.
  void changed(int64_t cycle, int64_t num_commands, int64_t depth_commands) {
    settle(cycle);
    num_commands_ = num_commands;
    is_full_ = num_commands >= depth_commands;
  }
  void begins_holding(int64_t cycle) {
    settle(cycle);
    is_holding_ = true;
  }
  void ends_holding(int64_t cycle) {
    settle(cycle);
    is_holding_ = false;
  }
  /// Up to the end of the job.
  [[nodiscard]] QueueUse use(int64_t end_cycle) {
    settle(end_cycle);
    return use_;
  }

 private:
  void settle(int64_t cycle) {
    const int64_t cycles = cycle - since_cycle_;
    if (cycles == 0) return;
    use_.most_commands = std::max(use_.most_commands, num_commands_);
    if (is_full_) use_.full_cycles += cycles;
    if (is_holding_) use_.holding_cycles += cycles;
    since_cycle_ = cycle;
  }
  QueueUse use_;
  int64_t since_cycle_ = 0, num_commands_ = 0;
  bool is_full_ = false, is_holding_ = false;
};

}  // namespace vernier::units
