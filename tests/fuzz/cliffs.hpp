// SPDX-License-Identifier: Apache-2.0
// Graphs that ask one resource of the core for as much as they can, where a model that forgets it is furthest off.
#pragma once

#include "tests/fuzz/generator.hpp"

#include <cstdint>

namespace vernier::tests::fuzz {

/// The kinds Banks, Meetings, Ports and Lanes:
/// - Banks: one operator whose rows of 64, 128 or 192 bytes begin in one bank of the machine with 8 lanes;
/// - Meetings: such operators of the array and of the vector unit at once, on tensors of their own;
/// - Ports: wide results of both units and copies at once;
/// - Lanes: convolutions of few products beside operators that need the lanes for scales and tables.
RandomGraph cliff_graph(GraphKind kind, uint64_t seed);

}  // namespace vernier::tests::fuzz
