// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/compile.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/disassemble.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/model/choices.hpp"
#include "sim/flow/model/model.hpp"

#include <cstddef>

namespace vernier::flow {

CompileResult compile(const CompileRequest& request, const Observer& observer) {
  if (!request.stage.empty()) check_choice("--dump", request.stage, {"ir", "schedule", "stream"});
  observer.phase("reading " + request.model);
  const Model model = load_network(request.model, request.machine);
  if (!request.output.empty()) refuse_overwriting(read_places(request.model, request.machine), {{"-o", request.output}});
  const emit::ModelSource source = source_of(model);
  const emit::CompileOptions options{request.machine.optimize.value_or(1)};
  observer.phase("compiling");
  const auto show = [&](const std::string& text) {
    if (request.on_stage) request.on_stage(text);
  };
  const bool is_stream = request.stage == "stream";
  if (!request.stage.empty() && !is_stream) {
    show(compile_where_it_fits(model, request.machine, [&](const config::MachineConfig& config) {
      return emit::print_stage(request.stage, *model.graph, source, config, options);
    }));
    if (request.output.empty()) return {};
  }
  CompileResult result{.package = package_of(model, request.machine), .notes = model.notes};
  if (is_stream) show(to_text(Disassembly{*result.package}, request.stage_columns));
  for (std::string& note : notes_of(model, *result.package, request.machine)) result.notes.push_back(std::move(note));
  if (request.output.empty()) return result;
  observer.phase("writing the package");
  const std::vector<std::byte> bytes = package::to_bytes(*result.package);
  base::write_file(request.output, bytes);
  result.file_bytes = static_cast<int64_t>(bytes.size());
  return result;
}

}  // namespace vernier::flow
