// SPDX-License-Identifier: Apache-2.0
// In-place work: a command's output may overlap an input of its own only same element on same element. SystemC-free.
#pragma once

#include "hw/package/range.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::units {

/// What overlaps otherwise: "output overlaps input"; none when the command is in order. `ranges` are
/// package::ranges_of(command).
std::optional<std::string> find_self_overlap(const spec::Command& command, const std::vector<package::Range>& ranges);

}  // namespace vernier::units
