// SPDX-License-Identifier: Apache-2.0
// Parameters of a random graph that are computed while it runs (EXT-DYNAMIC of TOSA 1.0).
#pragma once

#include "tests/fuzz/generator.hpp"

#include <cstdint>

namespace vernier::tests::fuzz {

/// Most zero points, shifts, multipliers, tables and constants of PAD become graph inputs, some with an operator after them,
/// with values that break no ERROR_IF.
RandomGraph with_dynamic_parameters(RandomGraph random, uint64_t seed);

}  // namespace vernier::tests::fuzz
