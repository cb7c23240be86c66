// SPDX-License-Identifier: Apache-2.0
// The inputs and outputs of a model, and what each of them is in the source: the one place that reads a boundary for the
// commands.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/boundary.hpp"
#include "hw/package/package.hpp"
#include "sim/flow/model/model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct End {
  std::string name;
  base::ElementType type = base::ElementType::Int8;
  base::Shape shape{};
  std::optional<package::BoundaryEnd> source{};  // where the source has no plain integers there
};

struct Ends {
  std::vector<End> inputs, outputs;
};

Ends ends_of(const ir::Graph& graph, const package::Boundary& boundary);
Ends ends_of(const package::Package& package);
/// Of a package: its own list.
Ends ends_of(const Model& model);

}  // namespace vernier::flow
