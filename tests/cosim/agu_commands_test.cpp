// SPDX-License-Identifier: Apache-2.0
// npu_agu as a whole: commands one after the other whose streams overlap, and resets in the middle of them.
#include "tests/cosim/agu_commands.hpp"

#include "sim/cosim/stimulus/array_vectors.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/built_widths.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr int64_t kMostCyclesToTake = 100;
constexpr int kTwoSets = 8;  // of the program's npu_agu, those of so many lanes have two sets [hw/rtl/CMakeLists.txt]

}  // namespace

TEST_CASE("npu_agu: beats of commands that follow each other, at paces of their own, are those of the sequence") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    AguCommands commands(part, datapath);
    Random random(static_cast<uint64_t>(lanes) + 70);
    for (int i = 0; i < (lanes == kTwoSets ? 120 : 20); ++i) {
      INFO(lanes << " lanes, sequence " << i);
      REQUIRE(commands_difference(commands, datapath, random) == "");
    }
    // While the beats of one command go, the next one is prepared.
    if (lanes == kTwoSets) CHECK(commands.num_overlapping() > 200);
    if (lanes != kTwoSets) CHECK(commands.num_overlapping() == 0);
  }
}

TEST_CASE("npu_agu: after a reset in any cycle of a command the beats of the next one are those of a fresh part") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu", {8, 16})) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(static_cast<uint64_t>(lanes) + 71);
    for (int i = 0; i < 100; ++i) {
      Agu fresh(lanes);
      INFO(lanes << " lanes, reset " << i);
      REQUIRE(reset_difference(part, fresh, datapath, random) == "");
    }
  }
}

TEST_CASE("npu_agu: a command is prepared while the beats of the one before it go, and gives its beats after them") {
  if (!has_rtl()) return;
  Agu part(kTwoSets);
  const spec::Datapath datapath{kTwoSets, 4, 2};
  Random random(3);
  const kernels::TableMemory tables = draw_vector_tables(random);
  for (int i = 0; i < 50; ++i) {
    AguCommands commands(part, datapath);
    for (int command = 0; command < 2; ++command) {
      commands.add(draw_array_command(datapath, random).mac());
      commands.add(draw_vector_job(datapath, tables, random).work.vector());
    }
    // Both commands of a unit are taken while no stream takes a beat. A set may still be busy with the end of an earlier
    // one.
    REQUIRE(commands.run(AguCommands::Pace::Never, random, 2) == "");
    if (commands.num_waiting() > 0) REQUIRE(commands.run(AguCommands::Pace::Never, random, kMostCyclesToTake) == "");
    CHECK(commands.num_waiting() == 0);
    REQUIRE(commands.run(AguCommands::Pace::Always, random) == "");
  }
}
