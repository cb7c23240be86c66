// SPDX-License-Identifier: Apache-2.0
// What the cycles of the simulator leave out or simplify, with the error that this can make. Every report lists it; each
// entry is explained in the header of the unit concerned and in docs/decisions/.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vernier::report {

/// (what, error), the most important one first.
std::vector<std::pair<std::string, std::string>> approximations();

}  // namespace vernier::report
