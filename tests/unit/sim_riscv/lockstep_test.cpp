// SPDX-License-Identifier: Apache-2.0
// The interpreter in lock-step with Unicorn over random programs, where Unicorn is installed. VERNIER_RISCV_INSTRUCTIONS
// says how many instructions, VERNIER_SEED which programs.
#include "tests/unit/sim_riscv/random_words.hpp"

#include <catch2/catch.hpp>

#ifdef VERNIER_UNICORN
#include "tests/unit/sim_riscv/lockstep.hpp"

#include <iostream>
#endif

using namespace vernier::tests::rv;

TEST_CASE("random programs run in lock-step with Unicorn", "[long]") {
#ifdef VERNIER_UNICORN
  const int64_t num_instructions = count_from_environment("VERNIER_RISCV_INSTRUCTIONS", 200'000);
  Lockstep lockstep(2);
  const std::string difference = lockstep.run(num_instructions);
  std::cout << lockstep.num_programs() << " programs, " << lockstep.num_compared() << " instructions compared, "
            << lockstep.num_traps() << " traps, " << lockstep.num_copied() << " other instructions not compared\n";
  INFO("VERNIER_SEED=" << RandomWords::seed());
  CHECK(difference == "");
  CHECK(lockstep.num_compared() >= num_instructions);
  // A harness that never traps, or nearly always, would show little.
  CHECK(lockstep.num_traps() * 1000 > lockstep.num_compared());
  CHECK(lockstep.num_traps() * 10 < lockstep.num_compared());
  CHECK(lockstep.num_copied() * 100 < lockstep.num_compared());
#else
  WARN("skipped: this program was built without Unicorn, which ./dev test installs (libunicorn-dev)");
#endif
}
