// SPDX-License-Identifier: Apache-2.0
// The steps of a package with control flow as text.
#pragma once

#include "hw/package/package.hpp"

#include <string>

namespace vernier::package {

/// Comment lines, a step in each, indented by its depth; empty without control flow.
std::string steps_text(const Package& package);
/// A line for each variable: where a job reads it and where it leaves it; empty without variables.
std::string variables_text(const Package& package);

}  // namespace vernier::package
