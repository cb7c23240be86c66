// SPDX-License-Identifier: Apache-2.0
// The boundary of a network as JSON, for compiler/import/boundary and for people.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/package/boundary.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace vernier::exporter {

/// The text of NAME.boundary.json (schema vernier-boundary/1) for the bytes of NAME.tosa, which hold `graph`.
std::string to_boundary_json(const package::Boundary& boundary, const ir::Graph& graph, std::span<const std::byte> tosa);

}  // namespace vernier::exporter
