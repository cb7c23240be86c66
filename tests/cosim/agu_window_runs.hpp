// SPDX-License-Identifier: Apache-2.0
// Depthwise commands through npu_agu_windows: each beat's words, runs and registers against hw/sequence and the windows of
// the test bench.
#pragma once

#include "tests/cosim/agu_runs.hpp"

namespace vernier::cosim {

template <typename Draw>
int64_t check_windows(Agu& part, Random& random, int commands, Draw draw, int64_t most_preparation) {
  return check_agu_stream(part, AguStream::Activations, {part.lanes(), 4, 2}, random, commands, draw, most_preparation);
}

/// Where a reduction does not begin at tap 0, that tap's place is divided out.
inline constexpr int64_t kDividedPreparation = 49;

}  // namespace vernier::cosim
