// SPDX-License-Identifier: Apache-2.0
// A batch that a file leaves open: sizes of -1 in the shape signatures of its tensors.
#pragma once

#include "compiler/import/tflite/lite_network.hpp"
#include "compiler/ir/graph.hpp"

#include <string>
#include <vector>

namespace vernier::import::lite {

/// Gives all tensors that depend on it another batch than the file's, which is that of its shapes: a size that is open in a
/// tensor's signature grows as that of the inputs does. Where the file says nothing of a result, the first size does, if the
/// first operand's has grown. Names of the inputs of subgraph `main` whose batch is open, and that --shape does not give.
/// UserErrors with each input that has no such batch, and for other open sizes.
std::vector<std::string> set_batch(LiteFile& content, int32_t main, const ir::OpenShapes& open, const std::string& file);

}  // namespace vernier::import::lite
