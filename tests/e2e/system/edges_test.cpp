// SPDX-License-Identifier: Apache-2.0
// The edges of the array's results on real networks: those of a command alone are its phases. What a command waits for the
// one before it, which phases do not know, is measured by tests/fidelity (D-001); it is never less than nothing here.
#include "compiler/import/import.hpp"
#include "hw/timing/mac_edges.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace vernier::tests {
namespace {

/// Commands of the array that follow each other without a token between them.
std::vector<std::vector<spec::MacCommand>> runs_of(const std::vector<spec::Command>& commands) {
  std::vector<std::vector<spec::MacCommand>> runs;
  for (const spec::Command& command : commands) {
    const auto* mac = std::get_if<spec::MacCommand>(&command.body);
    if (mac == nullptr) continue;
    if (runs.empty() || command.header.wait != 0) runs.emplace_back();
    runs.back().push_back(*mac);
  }
  return runs;
}

TEST_CASE("edges of the array's results on real networks: those of the phases, and what a neighbour costs", "[slow]") {
  const std::filesystem::path nets = shared_path("golden/nets");
  if (nets.empty()) {
    WARN("../shared/golden/nets is not there");
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(nets)) {
    if (!std::filesystem::exists(entry.path() / "model.tosa")) continue;
    const ir::Graph graph = import::import_file(entry.path() / "model.tosa", ir::kLevel8k);
    for (const char* preset : {"v64", "v256", "v1024"}) {
      const config::MachineConfig config = machine(preset, spec::MemoryMode::Sram);
      const auto package = compile_if_it_fits(graph, config, 1);
      REQUIRE(package);
      INFO(entry.path() << " on " << preset);
      for (const std::vector<spec::MacCommand>& run : runs_of(commands_of(*package))) {
        const std::vector<timing::CommandEdges> together = timing::mac_edges(run, config.datapath);
        for (size_t i = 0; i < run.size(); ++i) {
          const timing::CommandEdges alone = timing::mac_edges(std::span(&run[i], 1), config.datapath).front();
          const timing::Profile profile = timing::profile(run[i], config);
          REQUIRE(alone.next_command == profile.main.datapath_cycles);
          const int64_t end = alone.results.empty() ? alone.next_command : alone.results.back();
          REQUIRE(end == profile.main.datapath_cycles + profile.drain.datapath_cycles);
          REQUIRE(together[i].next_command - together[i].taken >= alone.next_command);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vernier::tests
