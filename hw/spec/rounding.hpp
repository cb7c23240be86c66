// SPDX-License-Identifier: Apache-2.0
// Rounding of the rescale unit: a field of 3 bits; 4 to 7 are reserved and a fault.
#pragma once

#include <cstdint>

namespace vernier::spec {

/// [decision 0018]
enum class Rounding : uint8_t {
  Single = 0,    // TOSA SINGLE_ROUND: half up
  Double = 1,    // TOSA DOUBLE_ROUND: gemmlowp's two roundings
  Inexact = 2,   // TOSA INEXACT_ROUND: computed as Single, which is always within its bounds
  HalfEven = 3,  // ties to even, as float tools round (QDQ, QONNX)
};

}  // namespace vernier::spec
