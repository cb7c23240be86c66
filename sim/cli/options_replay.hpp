// SPDX-License-Identifier: Apache-2.0
// --replay and --export-vectors of `vernier cosim`.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

struct CosimCommand;

void add_replay_options(CLI::App& sub, CosimCommand& command);
/// UserError where neither a unit, a network nor a replay is named.
void check_cosim_subject(const CosimCommand& command);

}  // namespace vernier::cli
