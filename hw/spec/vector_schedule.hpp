// SPDX-License-Identifier: Apache-2.0
// The static schedule of a vector program (VectorCommand, "Schedule"): greedy modulo scheduling.
//
// Problem: offsets of the steps, one interval, and registers, so that no slot starts two things at once, no result is read
// before it is there, and no register is written while it holds something that is still read. Algorithm: for the interval
// that the most-used slot of Body allows, and for greater ones until it fits, each step in its order starts as early as its
// operands and slots let it; then loads and constants move as close to their readers as their slots let them, which
// shortens lifetimes; then registers are assigned (vector_registers.hpp). Verifier: package::check, which shares with this
// file only what a step takes (vector_cycles.hpp).
//
//   load, rescale, store on int8: interval 1, offsets 0, 3, 9; length 12: V vectors take V - 1 + 12 cycles, and the two
//   cycles of the SRAM
#pragma once

#include "hw/spec/command.hpp"

namespace vernier::spec {

/// Sets offsets, interval and registers; sorts the steps by phase. Registers on entry may have any numbers, also above those
/// of the machine. False, and the command as it was, when the program has no schedule: a step reads what none has written,
/// or 16 registers do not hold its values even one step after the other.
[[nodiscard]] bool schedule(VectorCommand& command, const Datapath& datapath);

}  // namespace vernier::spec
