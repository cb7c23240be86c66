// SPDX-License-Identifier: Apache-2.0
// Of the ways to write a vector command, the one that takes the fewest cycles by its schedule; and whether operators had
// better share a command. The estimate counts words, and bank conflicts only across a lane stride: for choosing only.
//
// Where a row of the iterations is short against the lanes, each lane takes a row of its own, element by element: no lane
// idles and none meet at the end, for loads and stores that step over the other elements of a row.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/passes/vector_builder.hpp"

#include <optional>

namespace vernier::passes {

struct VectorChoice {
  VectorProgram built;
  VectorVariant variant;
  spec::VectorCommand command;  // scheduled; of its streams only the types, of its loops nothing yet
  int64_t cycles = 0;
  cost::Alternatives alternatives{"microprogram"};
  [[nodiscard]] int64_t table_cycles() const;  // of `cycles`, what filling its tables may take
};

/// Which of the programs to choose from.
enum class Rows : uint8_t {
  Any,
  None,        // what elements have in common is made for each of them
  AlongLanes,  // a row after the other; also where a reduction goes across other dimensions than the lanes'
  InLanes,
};

/// Nothing when the machine does not take the operators as one command, in whatever way.
std::optional<VectorChoice> choose_vector(Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops,
                                          Rows rows = Rows::Any);

}  // namespace vernier::passes
