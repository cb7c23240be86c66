// SPDX-License-Identifier: Apache-2.0
// Float ends of a .tosa file, as the official converter writes them. Internal to compiler/import/tosa.
//
//   float32 input, MUL by a constant, [ADD of a constant], CAST to int8, int16 or int32
//   CAST of such integers to float32, [ADD or SUB of a constant], MUL by a constant, output
//
// The host computes these; the graph begins and ends with the integers. CAST from float32 rounds half to even and saturates,
// as the official reference model does (tosa-tools 2026.8).
#pragma once

#include "compiler/import/tosa/tosa_reader.hpp"
#include "hw/package/boundary.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::import {

struct FloatEdges {
  package::Boundary boundary;                                       // without shapes
  std::map<std::string, std::string, std::less<>> inputs, outputs;  // by name of the float end: the tensor of integers there
  std::set<const tosa::TosaOperator*> operators;  // those of the host, and the constants that only they read
};

/// The float ends of the block that have that form; others are left for the refusal of floats.
FloatEdges find_float_edges(Source& source, const tosa::TosaBasicBlock& block);

/// Gives the ends their shapes, which are those of the graph's tensors; UserError where a constant does not go along one.
void finish_boundary(const Source& source, const ir::Graph& graph, package::Boundary& boundary);

/// Adds inputs of unsigned integers: those that are read by nothing but RESCALE with input_unsigned.
void add_unsigned_inputs(const ir::Graph& graph, package::Boundary& boundary);

/// A line for each float input whose int32 codes go on to a CAST to fewer bits: it wraps.
std::vector<std::string> wrapping_inputs(const ir::Graph& graph, const package::Boundary& boundary);

}  // namespace vernier::import
