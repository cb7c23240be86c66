// SPDX-License-Identifier: Apache-2.0
// The program of a group of operators that share a vector command. It is made from its ends: what is stored and what is
// reduced pulls in what it needs, recomputed operators included.
#pragma once

#include "compiler/passes/elementwise.hpp"
#include "compiler/passes/lower_vector.hpp"

#include <span>

namespace vernier::passes {

/// The ways to write a program that do not change what it computes.
struct VectorVariant {
  std::vector<ir::TensorId> tables;  // results that are looked up in a table made for them
  bool has_rows = false;             // without a reduction: what the last dimension has in common is made once for a row
  bool prefers_shifts = false;       // scales by powers of two go to the shifter
};

/// Operators of a group and what they iterate over: one shape, of which reductions go along one axis; operators on results
/// of reductions run once for a row.
struct VectorGroup {
  std::span<const ir::OpId> ops;  // in graph order
  IterationSpace space;
};
/// Nothing when the operators are not alike in their iterations, or one walks over what another one reduces.
std::optional<VectorGroup> make_group(const Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops);

struct VectorProgram {
  Microprogram program;
  IterationSpace space;                  // with has_rows: along the last dimension
  bool lanes_reduced = false;            // the lanes are a row, or a part of one; can be set to false: each is a row
  std::vector<ir::TensorId> stores;      // in the order of their streams
  std::vector<ir::TensorId> row_stores;  // those that have one element for a row
  std::vector<ir::OpId> recomputed;      // operators that it runs beside the group's
  std::vector<ir::TensorId> can_be_tables;
};

VectorProgram build_vector(Lowering& lowering, const Recompute& recompute, const VectorGroup& group,
                           const VectorVariant& variant);

}  // namespace vernier::passes
