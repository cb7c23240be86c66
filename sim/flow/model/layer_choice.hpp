// SPDX-License-Identifier: Apache-2.0
// A layer as people name it on the command line.
#pragma once

#include "hw/package/package.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::flow {

/// The one layer of that full name, that shortened name (as tables print it, also with "..." in place of a part of it) or
/// that number; else the one whose name has the text in it. UserError naming `option`, with all that match, a line each,
/// where there are several; with the nearest name where there is none.
int64_t choose_layer(const std::string& option, const std::string& wanted, const std::vector<std::string>& full_names,
                     const std::vector<std::string>& short_names);
/// The same of the layers of a package.
int64_t choose_layer(const std::string& option, const std::string& wanted, const package::Package& package);

}  // namespace vernier::flow
