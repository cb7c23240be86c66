// SPDX-License-Identifier: Apache-2.0
// Which program this is. cmake/WriteCommit.cmake writes the source of commit() in each build.
#pragma once

#include <string>
#include <string_view>

namespace vernier::flow {

/// The commit that the program was built from: 12 digits, and ".dirty" after them when a file of the repository was changed.
/// Empty when it was not built in a git checkout.
std::string_view commit();

/// "0.2.0+g0123456789ab.dirty"; "0.2.0" outside git.
std::string tool_version();

}  // namespace vernier::flow
