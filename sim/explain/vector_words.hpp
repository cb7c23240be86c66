// SPDX-License-Identifier: Apache-2.0
// What a command of the vector unit takes its cycles for, in words: the slot that is used most, and lanes without an
// element.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <string>

namespace vernier::explain {

/// "3 multiplications for each vector, 10 of 16 lanes"
std::string vector_words(const spec::VectorCommand& command, const spec::Datapath& datapath);

}  // namespace vernier::explain
