// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/explain_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/layer_choice.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/version.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/flow/tell_layer.hpp"
#include "sim/report/layer_names.hpp"

namespace vernier::cli {
namespace {

int64_t layer_of(const ExplainCommand& command, const package::Package& package) {
  std::vector<std::string> names;
  for (const package::LayerEntry& layer : package.layers) names.push_back(layer.name);
  return choose_layer("--layer", command.layer, names, report::shorten_layer_names(names).names);
}

void refuse_overwriting(const ExplainCommand& command) {
  std::vector<Place> read{{"MODEL", command.model}}, written;
  if (command.machine.config) read.push_back({"--config", *command.machine.config});
  if (command.machine.encodings) read.push_back({"--encodings", *command.machine.encodings});
  for (const std::string& file : command.reports) {
    if (file != "-") written.push_back({"--report", file});
  }
  cli::refuse_overwriting(read, written);
}

/// The JSON to its files and, where `-` asks for it, to standard output; then people read standard error.
void write(const ExplainCommand& command, const report::LayerStory& story) {
  bool json_on_stdout = false;
  base::FileSet files;
  for (const std::string& file : command.reports) {
    json_on_stdout = json_on_stdout || file == "-";
    if (file != "-") files.add_text(file, report::to_json(story));
  }
  files.commit();
  FILE* people = json_on_stdout ? stderr : stdout;
  const report::TextStyle style = style_of(people);
  print_text(people, report::to_text(story, style, command.is_verbose), style.has_color);
  if (json_on_stdout) print_text(stdout, report::to_json(story));
}

}  // namespace

int explain(const ExplainCommand& command) {
  check_report_places(command.reports, {".json"});
  return with_memory_errors(command.model, [&] {
    refuse_overwriting(command);
    Progress progress;
    progress.phase("reading " + command.model);
    const flow::Model model = flow::load_model(command.model, command.machine);
    progress.phase("compiling");
    const flow::ExplainedModel explained = flow::explain_model(model, command.machine);
    const package::Package& package = explained.explained.package;
    const int64_t layer_idx = layer_of(command, package);
    progress.phase("simulating");
    soc::JobOptions options;
    options.values = false;
    soc::Npu npu(package.config);
    const soc::JobResult job = npu.run(package, flow::zero_inputs(flow::ends_of(package).inputs), options);
    progress.done();
    if (!job.is_done()) return report_failure(command.model, job);
    report::LayerStory story = flow::tell_layer(model, explained, job, layer_idx);
    story.report.tool_version = tool_version();
    write(command, story);
    return static_cast<int>(kExitSuccess);
  });
}

}  // namespace vernier::cli
