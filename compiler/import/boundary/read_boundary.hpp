// SPDX-License-Identifier: Apache-2.0
// NAME.boundary.json, which `convert` writes with NAME.tosa: what the network's ends were in its source.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/package/boundary.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace vernier::import {

/// Where the boundary of a .tosa file stands: beside it, with .boundary.json in place of its ending.
std::filesystem::path boundary_path(const std::filesystem::path& tosa_file);

/// The boundary that stands beside a .tosa file; empty where there is no such file. UserError, naming the JSON file, when it
/// is malformed, was written for other bytes than `tosa_bytes`, or speaks of other tensors than the ends of `graph`.
package::Boundary read_boundary_beside(const std::string& tosa_file, std::span<const std::byte> tosa_bytes,
                                       const ir::Graph& graph);

}  // namespace vernier::import
