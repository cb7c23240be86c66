// SPDX-License-Identifier: Apache-2.0
// What `vernier explain` tells of a layer: put together from the graph, the compiler's choices, the commands and a run.
#pragma once

#include "compiler/emit/compile.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/report/layer_story.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <string>

namespace vernier::flow {

struct ExplainedModel {
  emit::Explained explained;
  std::string choices_note;  // why there are no choices; else empty
};
/// Compiles, and keeps what was chosen. A package is compiled again from its source graph: where that gives other commands,
/// the package stands alone. UserError for a package without source graph or with other layers.
ExplainedModel explain_model(const Model& model, const MachineOptions& options);

/// Of a job that is done.
report::LayerStory tell_layer(const Model& model, const ExplainedModel& explained, const soc::JobResult& job,
                              int64_t layer_idx);

}  // namespace vernier::flow
