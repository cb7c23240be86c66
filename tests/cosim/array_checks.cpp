// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/array_checks.hpp"

#include <catch2/catch.hpp>

namespace vernier::cosim {

bool has_rtl() {
  if (!rtl_blocks().empty()) return true;
  WARN("skipped: this program was built without Verilator");
  return false;
}

void check_equal(const LockStepResult& result) {
  for (const Mismatch& mismatch : result.first_mismatches) UNSCOPED_INFO(mismatch.print());
  CHECK(result.mismatches == 0);
  CHECK(result.cycle_mismatches == 0);
  CHECK(result.rtl_cycles == result.model_cycles);
}

}  // namespace vernier::cosim
