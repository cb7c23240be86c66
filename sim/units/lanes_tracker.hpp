// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a bank of lanes go that several units use at once. In use: at least one phase that wants lanes is in
// flight; of these cycles as many are busy as vectors went through (one a cycle), the others wait for operands; idle
// otherwise. SystemC-free.
#pragma once

#include "sim/kit/statistics.hpp"

#include <cstdint>
#include <optional>

namespace vernier::units {

class LanesTracker {
 public:
  void reset() { *this = LanesTracker{}; }
  /// A stretch of use that is over.
  struct Use {
    int64_t start_cycle = 0, end_cycle = 0, busy_cycles = 0;
  };
  void begin_use(int64_t now);
  /// The stretch, when nobody uses the lanes any more.
  std::optional<Use> end_use(int64_t vectors, int64_t now);
  /// Phases that have not ended count their use as waiting.
  void finish(int64_t now);
  void report(kit::Statistics& node) const;
  // Cycles of the stretches that are over.
  [[nodiscard]] int64_t busy_cycles() const { return busy_cycles_; }
  [[nodiscard]] int64_t waiting_cycles() const { return waiting_cycles_; }
  [[nodiscard]] int64_t idle_cycles() const { return idle_cycles_; }
  /// Phases that use the lanes now.
  [[nodiscard]] int64_t num_users() const { return num_users_; }

 private:
  Use close(int64_t now);
  int64_t num_users_ = 0;
  int64_t since_ = 0;
  int64_t vectors_ = 0;  // of the current stretch of use
  int64_t busy_cycles_ = 0, waiting_cycles_ = 0, idle_cycles_ = 0;
};

}  // namespace vernier::units
