// SPDX-License-Identifier: Apache-2.0
// A fault that comes with an event: of those that happen from a cycle on, the one of that number.
#pragma once

#include "sim/units/injection.hpp"

#include <cstdint>
#include <optional>

namespace vernier::units {

class DueEvent {
 public:
  /// Of the events from `cycle` on, the first `number` are left out.
  void arm(int64_t cycle, int64_t number) {
    from_cycle_ = cycle;
    number_ = left_ = number;
    injected_.reset();
  }
  void reset() {
    from_cycle_.reset();
    injected_.reset();
  }
  /// An event happens now, of that command: whether it is the one. At most once for each arm().
  bool happens(int64_t now_cycle, int32_t command_idx = -1) {
    if (!from_cycle_ || now_cycle < *from_cycle_ || left_-- > 0) return false;
    from_cycle_.reset();
    injected_ = InjectedFault{number_, 0, command_idx};
    return true;
  }
  [[nodiscard]] const std::optional<InjectedFault>& injected() const { return injected_; }

 private:
  std::optional<int64_t> from_cycle_;
  int64_t number_ = 0, left_ = 0;
  std::optional<InjectedFault> injected_;
};

}  // namespace vernier::units
