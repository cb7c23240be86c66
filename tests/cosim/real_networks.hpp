// SPDX-License-Identifier: Apache-2.0
// The real networks, compiled for a machine, for tests of what their commands have.
#pragma once

#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/file.hpp"
#include "hw/package/stream_commands.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <string>

namespace vernier::cosim {

/// Calls visit(package, name) for each of them; there are twelve. A test says so where they are not there, and checks
/// nothing: false.
template <typename Visit>
bool for_each_real_network(const config::MachineConfig& config, Visit visit) {
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return false;
  }
  int64_t num_networks = 0;
  const std::set<std::filesystem::path> folders(std::filesystem::directory_iterator{nets}, {});
  for (const std::filesystem::path& folder : folders) {
    const auto file = folder / "model.tosa";
    if (!std::filesystem::exists(file)) continue;
    ++num_networks;
    const std::string name = folder.filename().string();
    INFO(name << " on " << config.name);
    const std::vector<std::byte> bytes = base::read_file(file);
    visit(emit::compile(import::import_graph(file.string(), bytes, ir::kLevel8k), {file.string(), bytes}, config, {1}),
          name);
  }
  CHECK(num_networks == 12);
  return true;
}

}  // namespace vernier::cosim
