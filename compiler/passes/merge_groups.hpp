// SPDX-License-Identifier: Apache-2.0
// Grouped convolutions. Importers make of them a CONCAT of CONV2Ds, each on a SLICE of the channels of one tensor; few
// channels fill neither the lanes of the array nor its reductions. Here neighbouring groups become one CONV2D whose weights
// are zero between the channels of different groups:
//
//   SLICE -> CONV2D [-> RESCALE, CLAMP, TABLE] --+
//   SLICE -> CONV2D [-> RESCALE, CLAMP, TABLE] --+-- CONCAT [-> RESCALE, CLAMP, TABLE]
//   ...                                          |
//
// Values stay what they are, since a product with a weight at its zero point adds nothing. Whether it costs less is asked by
// who lowers (compiler/emit): the schedule of each form is made and the shortest is taken.
#pragma once

#include "compiler/passes/merged_graph.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace vernier::passes {

/// For `most_channels`: all groups become one convolution, however many channels they have.
inline constexpr int64_t kAllChannels = std::numeric_limits<int64_t>::max();

/// `source` with as many neighbouring groups in each convolution as have at most `most_channels` input channels and output
/// channels together, at least one. None where that changes nothing.
std::optional<MergedGraph> merge_groups(const ir::Graph& source, int64_t most_channels);

}  // namespace vernier::passes
