// SPDX-License-Identifier: Apache-2.0
// A float network with quantizers to integer TOSA.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/quantized/network.hpp"

#include <string>
#include <vector>

namespace vernier::import::quantized {

/// The integer graph that computes what the network computes between its quantizers, and the boundary at its ends. Graph
/// inputs and outputs have the source's names, shapes and order of dimensions. `file` names the file in findings: a line for
/// each operator that is not known or is used in a way that is not, with the node's name. Open first dimensions of inputs
/// are filled as the options say.
///
/// Exactness, against float32 arithmetic in which every operator rounds once: compiler/import/README.md.
ImportResult lower(const std::string& file, Network network, const Options& options);

/// Gives the open dimensions of the network's inputs the sizes that the options say, as `lower` does, and checks the others.
/// A finding for each mistake.
std::vector<Finding> settle_shapes(const std::string& file, Network& network, const Options& options);

/// A line for each operator that is not known, which `lower` would give too.
std::vector<Finding> unknown_operators(const std::string& file, const Network& network);

}  // namespace vernier::import::quantized
