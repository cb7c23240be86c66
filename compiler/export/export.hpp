// SPDX-License-Identifier: Apache-2.0
// Graphs to files. File-format types never leave this folder.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vernier::exporter {

/// A verified graph as a .tosa file of TOSA 1.0.0 (no draft), one region and one block called "main", and one of each for
/// each of its regions. The importer reads the same graph from it, with the operators in this order. Tensors get the same
/// numbers where inputs come first and results have the numbers of their order, as in every graph that was imported without
/// open dimensions. Tensors that are neither inputs, constants nor results are left out. UserError, naming `file`, when the
/// constants are too large for a flatbuffer (2^31 bytes). The rounding must be one of TOSA's: half to even is not
/// (InternalError).
std::vector<std::byte> to_tosa(const ir::Graph& graph, const std::string& file);

}  // namespace vernier::exporter
