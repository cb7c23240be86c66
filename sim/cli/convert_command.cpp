// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/convert_command.hpp"

#include "compiler/export/boundary_json.hpp"
#include "compiler/export/export.hpp"
#include "compiler/import/boundary/read_boundary.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/places.hpp"
#include "sim/flow/model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cli {
namespace {

std::string summary(const ConvertCommand& command, const flow::Model& model, size_t num_bytes) {
  const std::string what = model.is_whole_tosa ? fmt::format("a copy of {}", command.model)
                                               : fmt::format("TOSA 1.0.0, {} operators", model.graph->operators.size());
  std::string text = fmt::format("{}: {}, {} B\n", base::printable(command.output), base::printable(what),
                                 base::with_thousands(static_cast<int64_t>(num_bytes)));
  for (const std::string& note : model.notes) text += fmt::format("note: {}\n", base::printable(note));
  return text;
}

int convert_model(const ConvertCommand& command) {
  if (!command.output.ends_with(".tosa"))
    throw base::UserError("-o", "'{}' is not OUT.tosa, the one format that is written", command.output);
  const std::string boundary_file = import::boundary_path(command.output).string();
  std::vector<Place> read{{"MODEL", command.model}};
  if (command.machine.encodings) read.push_back({"--encodings", *command.machine.encodings});
  refuse_overwriting(read, {{"-o", command.output}, {"-o", boundary_file}});
  const flow::Model model = flow::load_network(command.model, command.machine);
  set_activity("writing the network");
  const std::vector<std::byte> bytes = model.is_whole_tosa     ? model.bytes
                                       : model.network.empty() ? exporter::to_tosa(*model.graph, command.model)
                                                               : model.network;
  // Inputs of unsigned integers are told by the .tosa file itself.
  const auto says_more = [](const package::BoundaryEnd& end) { return end.is_float || !end.keeps_bits; };
  const bool has_boundary =
      std::any_of(model.boundary.inputs.begin(), model.boundary.inputs.end(), says_more) || !model.boundary.outputs.empty();
  if (has_boundary) {
    base::FileSet files;
    files.add(command.output, bytes);
    files.add_text(boundary_file, exporter::to_boundary_json(model.boundary, *model.graph, bytes));
    files.commit();
  } else {
    base::write_file(command.output, bytes);
  }
  if (command.is_quiet) return kExitSuccess;
  std::string text = summary(command, model, bytes.size());
  if (has_boundary) text += fmt::format("{}: what the ends stand for\n", base::printable(boundary_file));
  print_text(stdout, text);
  return kExitSuccess;
}

}  // namespace

int convert(const ConvertCommand& command) {
  set_activity("converting");
  return with_memory_errors(command.model, [&] { return convert_model(command); });
}

}  // namespace vernier::cli
