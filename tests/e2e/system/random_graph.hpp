// SPDX-License-Identifier: Apache-2.0
// Random single-operator graphs: shape, stride, padding, dilation, zero points, scales; valid TOSA all of them.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstdint>
#include <string>

namespace vernier::tests {

struct RandomGraph {
  ir::Graph graph;
  std::string what;  // operator and shapes, for messages
};

/// `large` makes feature maps that are worth more than one stripe.
RandomGraph random_graph(uint64_t seed, bool large);

}  // namespace vernier::tests
