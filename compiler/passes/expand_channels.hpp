// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with a depth multiplier: the array has a window for each output channel, so each input channel has
// to stand as often as outputs read it.
#pragma once

#include "compiler/passes/lowering.hpp"

#include <cstdint>
#include <vector>

namespace vernier::passes {

/// A new map [images][rows][columns][channels * multiplier] in which channel c of `input` stands from c * multiplier on,
/// `multiplier` times side by side. The array makes it with 1x1 convolutions whose weights are 0 and 1, one for each N input
/// channels, exactly: `input` is int8 or int16, and `zero_point` is in and out. Steps work for `ops`.
TensorPlace expand_channels(Lowering& lowering, ir::TensorId input, int64_t multiplier, int64_t zero_point,
                            const std::vector<ir::OpId>& ops);

}  // namespace vernier::passes
