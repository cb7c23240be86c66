// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/convert_command.hpp"

#include "compiler/export/export.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/model.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/places.hpp"

#include <fmt/format.h>

namespace vernier::cli {
namespace {

std::string summary(const ConvertCommand& command, const Model& model, size_t num_bytes) {
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
  refuse_overwriting({{"MODEL", command.model}}, {{"-o", command.output}});
  const Model model = load_model(command.model, command.machine);
  if (model.package) throw base::UserError(command.model, "is a package already, expected a TOSA flatbuffer (.tosa)");
  set_activity("writing the network");
  const std::vector<std::byte> bytes = model.is_whole_tosa ? model.bytes : exporter::to_tosa(*model.graph, command.model);
  base::write_file(command.output, bytes);
  if (!command.is_quiet) print_text(stdout, summary(command, model, bytes.size()));
  return kExitSuccess;
}

}  // namespace

int convert(const ConvertCommand& command) {
  set_activity("converting");
  return with_memory_errors(command.model, [&] { return convert_model(command); });
}

}  // namespace vernier::cli
