// SPDX-License-Identifier: Apache-2.0
// Graphs to MLIR text.
#pragma once

#include "compiler/ir/graph.hpp"

#include <string>

namespace vernier::exporter {

/// A verified graph as MLIR text of the TOSA dialect (TOSA 1.0, the pretty form of LLVM 21), which tosa-opt validates
/// strictly and compiler/import/mlir reads as the same graph. The function @main has the names of the graph's inputs and
/// outputs as tosa.tensor_name; the location of each operator is its layer, or the name of its first result. Regions stand
/// where operators run them. Constants of more than 16 elements are hexadecimal. UserError, naming `file`, when the text
/// takes more than 2^31 bytes. The rounding must be one of TOSA's (InternalError).
std::string to_mlir(const ir::Graph& graph, const std::string& file);

}  // namespace vernier::exporter
