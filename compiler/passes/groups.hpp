// SPDX-License-Identifier: Apache-2.0
// Which operators share a command. Optimizing: a convolution takes its epilogue along (mac_chain.hpp), and elementwise
// operators of one shape that read each other's results, or the same tensor, gather in one vector command with reductions of
// that shape and what follows from these, while the machine has the steps, registers, streams and tables for it and the
// command is estimated to take no longer than two. Recomputed operators (recompute.hpp) are in no group. Not optimizing: an
// operator a group.
#pragma once

#include "compiler/passes/mac_chain.hpp"
#include "compiler/passes/recompute.hpp"

namespace vernier::passes {

enum class GroupKind : uint8_t { Mac, Vector, Pool, Resize, ArgMax, Copy, Move, Gather };

struct Group {
  GroupKind kind = GroupKind::Vector;
  std::vector<ir::OpId> ops;  // in graph order
  MacChain chain;             // Mac
  std::vector<cost::Alternatives> choices{};
};

/// Groups in an order in which they can run; `runs`: operators to be grouped, by OpId. UserError for one that no group
/// takes.
std::vector<Group> make_groups(Lowering& lowering, const std::vector<bool>& runs, const Recompute& recompute);

/// Operators that run and read a tensor, by TensorId, each once.
std::vector<std::vector<ir::OpId>> running_consumers(const ir::Graph& graph, const std::vector<bool>& runs);

}  // namespace vernier::passes
