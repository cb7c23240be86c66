// SPDX-License-Identifier: Apache-2.0
// A random graph as a test of the official conformance suite has it, so that other models of TOSA can run it.
#pragma once

#include "hw/base/tensor.hpp"
#include "tests/fuzz/generator.hpp"

#include <string>
#include <vector>

namespace vernier::tests::fuzz {

/// Writes into the folder, which is made: desc.json, test.tosa, input-K.npy and, where the desc names the results,
/// output-K.npy with those of compiler/reference. K counts the graph's inputs and outputs from 0. The desc has one member
/// more than those of the suite: "comparable", false where values break a REQUIRE of TOSA or a RESCALE rounds inexactly.
void write_test(const std::string& folder, const ir::Graph& graph, const std::vector<base::Tensor>& inputs);

}  // namespace vernier::tests::fuzz
