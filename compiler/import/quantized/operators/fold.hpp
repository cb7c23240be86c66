// SPDX-License-Identifier: Apache-2.0
// Arithmetic on constants: what networks compute of shapes before a Reshape, a Slice or a Resize reads it.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

namespace vernier::import::quantized {

/// Defines the node's output where all of it is known: Shape and Size of any value; Cast, Concat, ConstantOfShape, Expand,
/// Gather, Range, Slice and what fold_elementwise.hpp has, of constants that are no quantized numbers. Whether it is one of
/// these.
bool fold(Lowering& lowering, const Node& node);

/// Names of operators that are for constants only, for messages and checks.
bool is_folded_only(const std::string& kind);

}  // namespace vernier::import::quantized
