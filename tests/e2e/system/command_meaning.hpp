// SPDX-License-Identifier: Apache-2.0
// What a command does, spelled out: tests decide with it whether a changed field was one that the command does not use.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::tests {

/// Commands with equal meanings do the same to the same bytes: every address they walk, every parameter that takes part, and
/// nothing that does not. Queue and tokens are left out. Written from the comments of hw/spec/command.hpp alone.
std::vector<int64_t> meaning_of(const spec::Command& command, const spec::Datapath& datapath);

/// Names of the fields in which two commands of one opcode differ, header included.
std::vector<std::string> differing_fields(const spec::Command& a, const spec::Command& b);

}  // namespace vernier::tests
