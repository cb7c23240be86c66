// SPDX-License-Identifier: Apache-2.0
// Tensors of the graph as the source of the network has them: its order of dimensions, its codes.
#pragma once

#include "sim/flow/look/memory_dump.hpp"
#include "sim/flow/model/model.hpp"

#include <string>

namespace vernier::flow {

/// What the source says of a tensor of the graph, or null: it has no such value, or has it as it is in the graph. Of several
/// values that are this tensor, the one of the same name, else the first.
const import::SourceTensor* find_source_tensor(const Model& model, const std::string& tensor);

/// A dump of a tensor of the graph, as the source has it; the note says how the graph has it where that is not the same. Of
/// a package only the ends are known, and the note says so where a tensor may be different in the source.
DumpedTensor as_in_source(DumpedTensor tensor, const Model& model);
/// The same for sums: in the source's order, and they stay sums.
DumpedTensor sums_as_in_source(DumpedTensor sums, const Model& model);

}  // namespace vernier::flow
