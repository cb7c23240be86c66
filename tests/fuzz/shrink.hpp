// SPDX-License-Identifier: Apache-2.0
// A smaller graph that fails too: outputs and operators are taken away, inner tensors become inputs.
#pragma once

#include "tests/fuzz/generator.hpp"

#include <functional>

namespace vernier::tests::fuzz {

/// `fails` is asked about graphs that verify; the one that comes back is the last of which it said yes.
RandomGraph shrink(RandomGraph random, const std::function<bool(const RandomGraph&)>& fails);

}  // namespace vernier::tests::fuzz
