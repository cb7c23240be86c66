// SPDX-License-Identifier: Apache-2.0
// --interleave of `run` and `estimate`, and what goes with it.
#pragma once

#include "sim/cli/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

struct InterleaveTexts {
  bool interleave = false;
  std::optional<int64_t> inferences;
  std::optional<std::string> arrival;  // every:CYCLES
};

void add_interleave_options(CLI::App& sub, InterleaveTexts& texts);
/// The command that the options ask for; nothing without --interleave. UserError for options that do not go together.
std::optional<InterleaveCommand> interleave_of(const InterleaveTexts& texts, const RunOptions& options,
                                               const std::vector<std::string>& models,
                                               const std::vector<MachineOptions>& machines);

}  // namespace vernier::cli
