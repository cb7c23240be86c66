// SPDX-License-Identifier: Apache-2.0
// What the words of a printed command mean.
#pragma once

#include <set>
#include <string>

namespace vernier::package {

/// Lines that begin with '#': the words of every command, then those of the units ("dma", "mac", "vec").
std::string legend(const std::set<std::string>& units);

}  // namespace vernier::package
