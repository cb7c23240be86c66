// SPDX-License-Identifier: Apache-2.0
// The options of `vernier encodings check`, `convert` and `export`.
#pragma once

#include "sim/cli/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}  // namespace CLI

namespace vernier::cli {

/// What stands on the line.
struct EncodingsTexts {
  EncodingsCommand command;  // without batch and shapes
  std::optional<int64_t> batch;
  std::vector<std::string> shapes;
};

/// The commands below `encodings` and their options.
void add_encodings_commands(CLI::App& app, EncodingsTexts& texts);
/// What the line says. UserError unless it has one of the commands, and what that needs.
EncodingsCommand encodings_result(const CLI::App& app, const EncodingsTexts& texts);

}  // namespace vernier::cli
