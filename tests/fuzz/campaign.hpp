// SPDX-License-Identifier: Apache-2.0
// Many random graphs, each on a machine and in a way that its seed draws; failures made small, printed and written down.
#pragma once

#include "tests/fuzz/oracle.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::tests::fuzz {

struct Options {
  int64_t count = 300;
  std::optional<uint64_t> first_seed;
  std::vector<std::string> presets{"v64", "v256", "v1024", "v256-sram48", "v256-port8"};
  // What is not set here is drawn from the seed.
  std::optional<GraphKind> kind;
  std::optional<spec::MemoryMode> memory;
  std::optional<int64_t> optimize, sram_percent, speed;
  std::optional<bool> is_large;
  std::optional<cosim::StreamSource> rtl_memory;  // none: not on RTL
  bool has_core = false;                          // on the core with its memory too
  int64_t core_percent = Setup::kCorePercent;     // a total there may be so far off
  /// So many graphs may have a total there that is up to kMostCorePercent off (deviation D-034); none when absent.
  std::optional<int64_t> most_core_exceptions;
  std::string core_spread_file;  // how far off totals were is written here; nowhere when empty
  int64_t most_failures = 10;
  std::string output_dir = ".";
  std::string tests_dir;  // each graph that came out right is written here as a test, in a folder named by its seed
  bool requires_coverage = false;

  static constexpr int64_t kMostCorePercent = 15;
};

/// Both return the exit code: 1 when a graph came out wrong.
int run_campaign(const Options& options);
/// Each graph of a file as a failure writes it (lines that begin with '#' are comments), in every way that `options` leaves
/// open.
int run_file(const std::string& file, const Options& options);

}  // namespace vernier::tests::fuzz
