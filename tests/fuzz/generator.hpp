// SPDX-License-Identifier: Apache-2.0
// Random graphs from a number: one operator, or 2 to 12 that are connected, with control flow around some of them or
// without, with parameters that are computed, with weights of int4, or such as ask much of one resource (cliffs.hpp).
#pragma once

#include "tests/fuzz/graph_maker.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vernier::tests::fuzz {

enum class GraphKind { Single, Connected, Control, Dynamic, Variables, Int4, Banks, Meetings, Ports, Lanes };
inline constexpr std::array<std::string_view, 10> kGraphKindNames{"single", "connected", "control",  "dynamic", "variables",
                                                                  "int4",   "banks",     "meetings", "ports",   "lanes"};

struct RandomGraph {
  ir::Graph graph;
  std::vector<ValueRange> input_ranges;  // in the order of graph.inputs
};

/// The same arguments give the same graph. Single: seeds that follow each other go round all operators and types.
RandomGraph random_graph(uint64_t seed, GraphKind kind, bool is_large);

/// Inputs within their ranges; the same seed gives the same ones.
std::vector<base::Tensor> random_inputs(const RandomGraph& random, uint64_t seed);

/// The line of the verifier's table that an operator of a graph stands in, as OpMode::name() gives it.
std::string mode_name(const ir::Graph& graph, const ir::Operator& op);

/// How many seeds in a row meet every operator with each of its types.
int64_t num_single_turns();

}  // namespace vernier::tests::fuzz
