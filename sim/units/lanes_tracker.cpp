// SPDX-License-Identifier: Apache-2.0
#include "sim/units/lanes_tracker.hpp"

#include "hw/base/error.hpp"
#include "sim/units/unit_if.hpp"

#include <algorithm>
#include <utility>

namespace vernier::units {

void LanesTracker::begin_use(int64_t now) {
  if (num_users_++ > 0) return;
  idle_cycles_ += now - since_;
  since_ = now;
}

std::optional<LanesTracker::Use> LanesTracker::end_use(int64_t vectors, int64_t now) {
  VERNIER_CHECK(num_users_ > 0, "a use of lanes ends that has not begun");
  vectors_ += vectors;
  if (--num_users_ > 0) return std::nullopt;
  return close(now);
}

LanesTracker::Use LanesTracker::close(int64_t now) {
  // One vector a cycle is the capacity that the arbiter gives out; its fixed point may round an end down by a cycle.
  const int64_t in_use = now - since_;
  const int64_t busy = std::min(vectors_, in_use);
  busy_cycles_ += busy;
  waiting_cycles_ += in_use - busy;
  vectors_ = 0;
  return {std::exchange(since_, now), now, busy};
}

void LanesTracker::finish(int64_t now) {
  if (num_users_ > 0) {
    num_users_ = 0;
    close(now);
  } else {
    idle_cycles_ += now - since_;
    since_ = now;
  }
}

void LanesTracker::report(kit::Statistics& node) const {
  node.add("busy_cycles", busy_cycles_);
  node.add("idle_cycles", idle_cycles_);
  node.child("stall_cycles").add(kStallNames[kStallWaitingForOperands], waiting_cycles_);
}

}  // namespace vernier::units
