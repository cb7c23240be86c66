// SPDX-License-Identifier: Apache-2.0
// What `vernier help COMMAND` says of options besides their descriptions: the kind of each value, and groups where there are
// many.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

/// Of this command and those below it, once all options are there: kinds of values, groups, and descriptions broken for a
/// terminal of 80 columns.
void arrange_help(CLI::App& command);

}  // namespace vernier::cli
