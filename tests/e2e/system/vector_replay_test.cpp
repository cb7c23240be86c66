// SPDX-License-Identifier: Apache-2.0
// The vector commands of real networks, run cycle by cycle by their schedules: every slot, every register, every result, and
// the cycles of the timing.
#include "tests/support/vector_replay.hpp"

#include "compiler/import/import.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::tests {
namespace {

/// Positions and vectors of Body of each, as hw/spec/command.hpp has them.
struct Extent {
  int64_t positions = 1, vectors = 1;
};

Extent extent_of(const spec::VectorCommand& command, const spec::Datapath& datapath) {
  const int64_t of_lanes = base::ceil_div(command.lanes, datapath.lanes);
  const bool in_pairs = spec::reduces_in_pairs(command);
  Extent extent;
  (command.lanes_reduced ? extent.vectors : extent.positions) =
      command.lanes_reduced && in_pairs ? base::ceil_div(of_lanes, 2) : of_lanes;
  for (int64_t loop = 0; loop < spec::kNumVectorLoops; ++loop) {
    const int64_t count = command.counts[static_cast<size_t>(loop)];
    const bool is_paired = in_pairs && !command.lanes_reduced && loop + 1 == spec::kNumVectorLoops;
    (loop < command.kept_loops ? extent.positions : extent.vectors) *= is_paired ? base::ceil_div(count, 2) : count;
  }
  const bool has_positions = std::any_of(command.steps.begin(), command.steps.end(),
                                         [](const auto& step) { return step.phase != spec::VectorPhase::Body; });
  return has_positions ? extent : Extent{1, extent.positions * extent.vectors};
}

/// Runs all of a small command, the first positions and vectors of a large one.
void replay(const spec::VectorCommand& command, const config::MachineConfig& config) {
  constexpr int64_t kMostPositions = 4, kMostVectors = 100;
  const Extent whole = extent_of(command, config.datapath);
  const Extent part{std::min(whole.positions, kMostPositions), std::min(whole.vectors, kMostVectors)};
  VectorReplay run(command, config.datapath);
  const auto fault = run.run(part.positions, part.vectors);
  INFO(fault.value_or(""));
  REQUIRE(!fault.has_value());
  // Positions and vectors that were left out are as long as the others.
  const int64_t length = spec::length_of(command, config.datapath);
  const int64_t left_out = whole.positions * ((whole.vectors - 1) * command.interval + length) -
                           part.positions * ((part.vectors - 1) * command.interval + length);
  REQUIRE(timing::profile(command, config).main.datapath_cycles == run.cycles() + left_out);
}

TEST_CASE("vector commands of real networks run by their schedules", "[slow]") {
  const std::filesystem::path nets = shared_path("golden/nets");
  if (nets.empty()) {
    WARN("../shared/golden/nets is not there");
    return;
  }
  int64_t num_commands = 0;
  for (const auto& entry : std::filesystem::directory_iterator(nets)) {
    if (!std::filesystem::exists(entry.path() / "model.tosa")) continue;
    const ir::Graph graph = import::import_file(entry.path() / "model.tosa", ir::kLevel8k);
    for (const char* preset : {"v64", "v256", "v1024"}) {
      const config::MachineConfig config = machine(preset, spec::MemoryMode::Sram);
      const auto package = compile_if_it_fits(graph, config, 1);
      REQUIRE(package);
      for (const spec::Command& command : commands_of(*package)) {
        const auto* vector = std::get_if<spec::VectorCommand>(&command.body);
        if (vector == nullptr) continue;
        INFO(entry.path() << " on " << preset << "\n" << package::print(command));
        REQUIRE(package::check(command, config.datapath).detail.empty());
        replay(*vector, config);
        ++num_commands;
      }
    }
  }
  CHECK(num_commands > 200);
}

}  // namespace
}  // namespace vernier::tests
