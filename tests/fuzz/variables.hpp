// SPDX-License-Identifier: Apache-2.0
// Variables in a random graph.
#pragma once

#include "tests/fuzz/generator.hpp"

#include <cstdint>

namespace vernier::tests::fuzz {

/// Graph inputs that may hold anything become variables, which tensors of the graph, or their own bits inverted, are written
/// to; other variables only watch a tensor, and what they hold is an output. Reads and writes stand anywhere behind what
/// they need, so that a read may see the value of the run before or of this one.
RandomGraph with_variables(RandomGraph random, uint64_t seed);

}  // namespace vernier::tests::fuzz
