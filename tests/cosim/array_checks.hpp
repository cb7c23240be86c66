// SPDX-License-Identifier: Apache-2.0
// What tests of RTL share: whether there is any, and a comparison that has to be without a difference.
#pragma once

#include "sim/cosim/lockstep/lock_step.hpp"

namespace vernier::cosim {

/// Whether this program has RTL; where it has none a test says that it checks nothing.
bool has_rtl();

void check_equal(const LockStepResult& result);

}  // namespace vernier::cosim
