// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/dump_command.hpp"

#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/progress.hpp"

namespace vernier::cli {

int dump(const DumpCommand& command) {
  return with_memory_errors(command.model, [&] {
    Progress progress;
    const flow::DumpResult result = flow::dump(command, observer_of(progress));
    progress.done();
    if (result.failure) return print_failure(*result.failure);
    if (command.output.empty()) {
      print_text(stdout, flow::to_text(result));
    } else if (!command.is_quiet) {
      std::string lines;
      for (const std::string& line : flow::file_lines(result)) lines += line + "\n";
      print_text(stdout, lines);
    }
    return kExitSuccess;
  });
}

}  // namespace vernier::cli
