// SPDX-License-Identifier: Apache-2.0
// Control flow around parts of a random graph.
#pragma once

#include "tests/fuzz/generator.hpp"

#include <cstdint>

namespace vernier::tests::fuzz {

/// Operators that follow each other go into regions, which COND_IF or WHILE_LOOP runs in their place; regions are treated in
/// the same way. Conditions are constants, inputs or computed; loops run 0 to 3 times. What a branch gives in the operators'
/// place is a constant, an operand or an operand in reverse.
RandomGraph with_control_flow(RandomGraph random, uint64_t seed);

}  // namespace vernier::tests::fuzz
