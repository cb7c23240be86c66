// SPDX-License-Identifier: Apache-2.0
// Convolutions of a random graph with weights of int4 (EXT-INT4 of TOSA 1.0).
#pragma once

#include "tests/fuzz/generator.hpp"

namespace vernier::tests::fuzz {

/// Convolutions of int8 whose weights are constants, or an input of their own, get weights of int4 in -7 to 7. Returns how
/// many did.
int64_t use_int4_weights(RandomGraph& random);

}  // namespace vernier::tests::fuzz
