// SPDX-License-Identifier: Apache-2.0
// The command line as one line of text.
#pragma once

#include <string>

namespace vernier::cli {

/// A shell that reads it passes the same arguments on. The program is named without its folder.
std::string quoted_command_line(int argc, const char* const* argv);

}  // namespace vernier::cli
