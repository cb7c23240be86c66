// SPDX-License-Identifier: Apache-2.0
// The windows of a depthwise command. Which word comes in which cycle: docs/architecture/depthwise.md.
#pragma once

#include "hw/spec/machine.hpp"

namespace vernier::spec {

/// Words a cycle into the windows, for a row and ahead for the next one: what the segments of a convolution touch at most
/// [from kActivationSegments].
inline constexpr int kWindowWords = 2 * kActivationSegments;

}  // namespace vernier::spec
