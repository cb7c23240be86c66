// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/array_seeds.hpp"

#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace vernier::cosim {
namespace {

constexpr int kSeeds = 5;

}  // namespace

void check_seeds_of_registers(const CosimOptions& options, MakeBlock make) {
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const CosimReport report = run_cosim(options, make({.reset_seed = seed}));
    check_equal(report.result);
    CHECK(report.result.vectors == options.vectors);
  }
}

void check_seeds_after_full_commands(const spec::Datapath& datapath, MakeBlock make) {
  constexpr size_t kSequences = 24;
  std::vector<std::map<int64_t, std::vector<std::byte>>> results;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    ClockedBlock block(make({.reset_seed = seed}), cosim::datapath(), datapath.lanes);
    ArrayLockStep lock_step(block, datapath, {.seed = 7});
    Random random(13);
    for (size_t i = 0; i < kSequences; ++i) {
      const Work full = i % 2 == 0 ? full_array(datapath) : full_windows(datapath);
      // After a whole command, or after a reset in its middle; seed 1 has no such command.
      if (seed > 1 && i % 4 < 2) lock_step.run_sequence({{full}, ArrayPace::Ideal});
      if (seed > 1 && i % 4 >= 2)
        lock_step.run_sequence({.works = {full}, .reset_after_cycles = 30 * static_cast<int64_t>(i)});
      auto& written = results.emplace_back();
      lock_step.run_sequence({.works = works_of(draw_array_sequence(datapath, random)),
                              .on_result = [&](int64_t address, std::span<const std::byte> bytes) {
                                written[address].assign(bytes.begin(), bytes.end());
                              }});
      if (seed > 1) CHECK(results.back() == results[i]);
    }
    check_equal(lock_step.result());
  }
}

void check_that_the_checker_sees(int lanes, MakeBlock make) {
  ClockedBlock block(make({}), datapath(), lanes);
  block.reset();
  block.edge();
  block.port("prm_valid_i").set(1);
  block.settle();
  CHECK(block.port("prm_ready_o").get() == 1);
  CHECK_THROWS_WITH(block.edge(),
                    Catch::Matchers::Contains("the RTL stopped itself") && Catch::Matchers::Contains("npu_array_checker"));
}

}  // namespace vernier::cosim
