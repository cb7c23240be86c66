// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/explain.hpp"

#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/look/tell_layer.hpp"
#include "sim/flow/model/layer_choice.hpp"
#include "sim/flow/model/timed_job.hpp"

namespace vernier::flow {

ExplainResult explain(const ExplainRequest& request, const Observer& observer) {
  check_report_places(request.report_files, {".json"});
  refuse_overwriting(read_places(request.model, request.machine), places_of("--report", request.report_files));
  std::shared_ptr<const Model> loaded = request.loaded;
  if (!loaded) {
    observer.phase("reading " + request.model);
    loaded = std::make_shared<const Model>(load_model(request.model, request.machine));
  }
  const Model& model = *loaded;
  observer.phase("compiling");
  const ExplainedModel explained = explain_model(model, request.machine);
  const package::Package& package = explained.explained.package;
  const int64_t layer_idx = choose_layer("--layer", request.layer, package);
  observer.phase("simulating");
  const soc::JobResult job = timed_job(package);
  if (!job.is_done()) return {.failure = Failure{request.model, MachineFailure{job.status, job.cycles}}};
  ExplainResult result{.story = tell_layer(model, explained, job, layer_idx)};
  result.story.report.tool_version = tool_version();
  base::FileSet files;
  add_texts(files, request.report_files, [&] { return report::to_json(result.story); });
  files.commit();
  return result;
}

}  // namespace vernier::flow
