// SPDX-License-Identifier: Apache-2.0
// Counts of thresholds that a RESCALE of finer sums gives too: three or four operators in the place of three for each
// level.
#pragma once

#include "compiler/import/quantized/functions/thresholds.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// As counted() with a step of 1, where sums with up to 12 bits after the point, an addend for each index of the axis and a
/// RESCALE have the same first sum for every level of every index: that is evaluated for all of them. None where they have
/// not, or where the axis is not the channels. `number` is what a sum becomes, in steps of the quantizer with its zero
/// point, before it is rounded.
std::optional<Value> rescaled_counts(Lowering& lowering, const Value& value, const Thresholds& thresholds,
                                     const std::function<double(int64_t sum, size_t index)>& number,
                                     const Quantizer& quantizer, const std::string& name);

}  // namespace vernier::import::quantized
