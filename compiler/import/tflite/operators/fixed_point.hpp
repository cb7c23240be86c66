// SPDX-License-Identifier: Apache-2.0
// Functions of one code as the reference kernels compute them in fixed point.
#pragma once

#include "compiler/import/tflite/rounding.hpp"

#include <cstdint>

namespace vernier::import::lite {

/// HARD_SWISH of a code less its zero point, as a code less its zero point. `result` is a 128th of the input's scale over
/// the result's, with an exponent of at most 0; `gate` the same over 3 / 2^15. The kernel has 16 bits throughout.
int64_t hard_swish_of(int64_t code, const LiteScale& result, const LiteScale& gate);

/// 1 / sqrt(code) times `scale`, of a code less its zero point, above 0: five of Newton's steps in 31 bits.
int64_t reciprocal_root_of(int64_t code, const LiteScale& scale);

}  // namespace vernier::import::lite
