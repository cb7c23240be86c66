// SPDX-License-Identifier: Apache-2.0
// LOGISTIC and TANH as the kernel of an LSTM of integers computes them: in fixed point with 16 bits throughout.
#pragma once

#include <cstdint>

namespace vernier::import::lite {

/// Of a code of int16 with 12 bits after the point, as parts of 2^15.
int64_t logistic16_of(int64_t code);
/// Of a code of int16 with `integer_bits` before the point, 0 to 6, as parts of 2^15.
int64_t tanh16_of(int64_t code, int integer_bits);

}  // namespace vernier::import::lite
