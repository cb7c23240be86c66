// SPDX-License-Identifier: Apache-2.0
// The graph that a model's reader sees in Model Explorer.
#pragma once

#include "sim/flow/model/model.hpp"
#include "sim/report/report.hpp"

namespace vernier::flow {

/// Of the file; of a package the network that it embeds. UserError for a package without one.
report::SourceGraph source_graph(const Model& model);

}  // namespace vernier::flow
