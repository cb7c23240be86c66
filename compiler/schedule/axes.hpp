// SPDX-License-Identifier: Apache-2.0
// The axes along which a whole step can be cut into commands that do the same, one part each.
//
// MAC array: output rows, output columns (whole accumulator rows), output channels (whole input and output blocks), and,
// when what is left of a command fits one accumulator bank, the reduction: the parts then run one after the other with the
// flags first and last. Vector unit: the kept loops, and the lanes unless they are reduced. DMA: its loops, and the bytes of
// a run. Every kept position of a step is independent of the others, so that any such cut keeps the values.
#pragma once

#include "compiler/passes/program.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// MacCommand: one of the four; VectorCommand and DmaCommand: 0 to 4 is a loop, kInnermost the lanes or the run.
using Axis = int32_t;
inline constexpr Axis kRows = 0, kColumns = 1, kChannels = 2, kReduction = 3;
inline constexpr Axis kInnermost = 5;
inline constexpr Axis kNumAxes = 6;

/// How far a step reaches along an axis: rows, columns, channels, reduction elements, loop counts, lanes, bytes. 1 where it
/// cannot be cut.
int64_t extent_of(const passes::Step& step, Axis axis, const spec::Datapath& datapath);
/// Cuts start at multiples of this.
int64_t granule_of(const passes::Step& step, Axis axis, const spec::Datapath& datapath);
/// The part [first, first + count) of a step; `first` a multiple of the granule, `count` too unless it reaches the end.
/// Productions are shifted along rows and channels where their dimension is known; productions_of() finds them otherwise.
passes::Step part_of(const passes::Step& step, Axis axis, int64_t first, int64_t count, const spec::Datapath& datapath);

/// Whether another part along that axis touches other bytes of the operand.
bool depends_on(const passes::Step& step, const passes::Operand& operand, Axis axis);

/// What a command puts into the tensors that the whole step makes: found from the bytes that it writes, so that it holds for
/// any cut. `whole` gives the tensors; `part` has its addresses still as offsets in the buffers.
std::vector<passes::Production> productions_of(const passes::Step& part, const passes::Step& whole,
                                               const passes::Program& program, const ir::Graph& graph,
                                               const spec::Datapath& datapath);

}  // namespace vernier::schedule
