// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_replay.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options.hpp"

#include <CLI/CLI.hpp>

namespace vernier::cli {

void add_replay_options(CLI::App& sub, CosimCommand& command) {
  sub.add_option("--replay", command.replay,
                 "instead of UNIT|MODEL: a FILE.replay.json that a mismatch left, which shows it alone");
  sub.add_option("--export-vectors", command.vectors_dir,
                 "write what the RTL gets and what has to come out there as PORT.hex, for $readmemh: of a UNIT the first "
                 "cycles, of a replay or a first mismatch all");
}

void check_cosim_subject(const CosimCommand& command) {
  if (command.replay && command.replay->empty()) throw base::UserError("--replay", "'' is not a file name");
  if (command.vectors_dir && command.vectors_dir->empty())
    throw base::UserError("--export-vectors", "'' is not a directory name");
  if (command.subject.empty() && !command.replay)
    throw base::UserError("cosim", "UNIT|MODEL is missing; 'vernier cosim --help' lists what there is");
}

}  // namespace vernier::cli
