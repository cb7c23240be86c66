// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/convert_command.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/progress.hpp"

#include <fmt/format.h>

namespace vernier::cli {
namespace {

std::string summary(const ConvertCommand& command, const flow::ConvertResult& result) {
  const std::string what = result.is_copy ? fmt::format("a copy of {}", command.model)
                                          : fmt::format("TOSA 1.0.0, {} operators", result.num_operators);
  std::string text = fmt::format("{}: {}, {} B\n", base::printable(command.output), base::printable(what),
                                 base::with_thousands(result.file_bytes));
  for (const std::string& note : result.notes) text += fmt::format("note: {}\n", base::printable(note));
  if (!result.boundary_file.empty())
    text += fmt::format("{}: what the ends stand for\n", base::printable(result.boundary_file));
  return text;
}

}  // namespace

int convert(const ConvertCommand& command) {
  set_activity("converting");
  return with_memory_errors(command.model, [&] {
    Progress progress;
    const flow::ConvertResult result = flow::convert(command, observer_of(progress));
    progress.done();
    if (!command.is_quiet) print_text(stdout, summary(command, result));
    return kExitSuccess;
  });
}

}  // namespace vernier::cli
