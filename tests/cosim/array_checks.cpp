// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/array_checks.hpp"

namespace vernier::cosim {

void check_equal(const LockStepResult& result) {
  for (const Mismatch& mismatch : result.first_mismatches) UNSCOPED_INFO(mismatch.print());
  CHECK(result.mismatches == 0);
  CHECK(result.cycle_mismatches == 0);
  CHECK(result.rtl_cycles == result.model_cycles);
}

}  // namespace vernier::cosim
