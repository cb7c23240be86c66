// SPDX-License-Identifier: Apache-2.0
// The options of `vernier dump`.
#pragma once

#include "sim/cli/options.hpp"

#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

/// As given on the command line.
struct DumpTexts {
  DumpCommand command;
  std::optional<std::string> sram, accumulator;
};
void add_dump_options(CLI::App& sub, DumpTexts& texts);
/// UserError for what is no legal value, for nothing to dump, and for two things at once.
DumpCommand dump_result(const DumpTexts& texts);

}  // namespace vernier::cli
