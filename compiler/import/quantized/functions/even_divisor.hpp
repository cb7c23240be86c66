// SPDX-License-Identifier: Apache-2.0
// Means of an even number of elements that is no power of two: ties are as frequent as there, and a multiplier next to
// 1 / divisor pushes all of them to one side.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace vernier::import::quantized {

/// The divisor where the factor is 1 / an even number that is no power of two, and numbers of that magnitude can be divided
/// exactly.
std::optional<int64_t> even_divisor(double factor, int64_t magnitude);

/// int32 numbers divided by an even divisor, rounded half to even; to the odd one where an odd zero point comes after.
ir::TensorId divided_to_even(Lowering& lowering, const Value& value, ir::TensorId tensor, int64_t divisor, bool is_to_odd,
                             const std::string& name);

}  // namespace vernier::import::quantized
