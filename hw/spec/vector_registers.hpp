// SPDX-License-Identifier: Apache-2.0
// Registers for the values of a vector program whose steps have their offsets.
#pragma once

#include "hw/spec/vector_values.hpp"

namespace vernier::spec {

/// Sets the registers of all steps, and how many of them turn; false when kNumVectorRegisters are too few.
///
/// A value of a vector lies in register r from cycle w, in which it is there, to cycle e, in which it is read last. A vector
/// later, register r is one further on, so that what one register of the file holds repeats every rotating_registers x
/// interval cycles, and the values are arcs of a circle of that length, at w - r x interval, e - w + 1 cycles long. They fit
/// when no two arcs meet.
///
///   rotating_registers 2, interval 3: a circle of 6 cycles     0     3     6
///     a, w = 3, e = 5, r = 0: at 3, 3 cycles long              |...aaa|
///     b, w = 9, e = 9, r = 0: at 9 - 6 = 3: meets a            |...b..|
///                      r = 1: at 9 - 3 - 6 = 0: fits           |b..aaa|
///
/// All other values (accumulators, what Init and Final make) have registers that do not turn.
bool assign_registers(VectorCommand& command, const std::vector<VectorRead>& reads, const std::vector<VectorValue>& values,
                      const Datapath& datapath);

}  // namespace vernier::spec
