// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_replay.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <system_error>

namespace vernier::cli {

void add_replay_options(CLI::App& sub, CosimCommand& command) {
  sub.add_option("--replay", command.replay,
                 "instead of UNIT|MODEL: a FILE.replay.json that a mismatch left, which shows it alone");
  sub.add_option("--export-vectors", command.vectors_dir,
                 "write what the RTL gets and what has to come out there as PORT.hex, for $readmemh: of a UNIT the first "
                 "cycles, of a replay or a first mismatch all");
  sub.add_flag("-q,--quiet", command.is_quiet, "the verdict alone, and the first mismatch");
}

void check_cosim_subject(const CosimCommand& command) {
  if (command.replay && command.replay->empty()) throw base::UserError("--replay", "'' is not a file name");
  if (command.vectors_dir && command.vectors_dir->empty())
    throw base::UserError("--export-vectors", "'' is not a directory name");
  std::error_code unknown;  // what cannot be looked at is told when it is written
  const std::filesystem::path folder = command.vectors_dir.value_or("");
  for (std::filesystem::path place = folder; !place.empty(); place = place.parent_path()) {
    if (std::filesystem::exists(place, unknown) && !std::filesystem::is_directory(place, unknown))
      throw base::UserError("--export-vectors", "'{}' is a file, expected a directory", place.string());
    if (place == place.parent_path()) break;
  }
  if (command.subject.empty() && !command.replay)
    throw base::UserError("cosim", "UNIT|MODEL is missing; 'vernier cosim --help' lists what there is");
}

}  // namespace vernier::cli
