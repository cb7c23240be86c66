// SPDX-License-Identifier: Apache-2.0
// A package's command stream as text.
#pragma once

#include "hw/package/package.hpp"

#include <string>

namespace vernier::package {

/// A heading, then each command: its index, its byte offset in the stream, its layer in brackets, its printed form (a vector
/// program takes a line more for each stream and step). Ends with END; a command that the machine would refuse is followed
/// by one line with the fault, and nothing else.
std::string disassemble(const Package& package);

}  // namespace vernier::package
