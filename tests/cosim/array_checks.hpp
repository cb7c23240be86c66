// SPDX-License-Identifier: Apache-2.0
// What tests of RTL share: whether there is any, and a comparison that has to be without a difference.
#pragma once

#include "sim/cosim/lockstep/scoreboard.hpp"

#include <catch2/catch.hpp>

namespace vernier::cosim {

/// Whether this program has RTL; where it has none a test says that it checks nothing.
inline bool has_rtl() {
  if (!rtl_blocks().empty()) return true;
  WARN("skipped: this program was built without Verilator");
  return false;
}

void check_equal(const LockStepResult& result);

}  // namespace vernier::cosim
