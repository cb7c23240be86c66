// SPDX-License-Identifier: Apache-2.0
// `vernier explain`: one layer's story, from the compiler's choices to what would make it faster.
#pragma once

#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/run/failure.hpp"
#include "sim/report/layer_story.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct Model;

struct ExplainRequest {
  std::string model{};  // file
  MachineOptions machine{};
  std::shared_ptr<const Model> loaded{};    // what load_model() gave of these two; absent: it is read
  std::string layer{};                      // its name, shortened name or number
  std::vector<std::string> report_files{};  // FILE.json
};

struct ExplainResult {
  report::LayerStory story{};
  std::optional<Failure> failure{};  // the machine stopped: there is no story
};

/// UserError for what is wrong with the model or the name.
ExplainResult explain(const ExplainRequest& request, const Observer& observer = {});

}  // namespace vernier::flow
