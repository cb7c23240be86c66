// SPDX-License-Identifier: Apache-2.0
// Types and special values that the tests of QuantizeV2 and Dequantize share.
#pragma once

#include "hw/model/quantize_v2.hpp"

#include <limits>

namespace vernier::model::tests {

inline constexpr QuantizedType kQint8{8, true}, kQuint8{8, false}, kQint16{16, true}, kQuint16{16, false}, kQint32{32, true};
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace vernier::model::tests
