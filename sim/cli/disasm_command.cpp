// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/disasm_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/report/command_remarks.hpp"

#include <algorithm>
#include <filesystem>

namespace vernier::cli {
namespace {

/// Of `--report FILE`: a file that is the report of a run is read, as with --cycles, and never written over.
DisasmCommand with_given_reports(DisasmCommand command) {
  const auto is_of_a_run = [](const std::string& file) {
    return file != "-" && std::filesystem::is_regular_file(file) && report::is_run_report(base::read_text_file(file));
  };
  const auto given = std::stable_partition(command.reports.begin(), command.reports.end(),
                                           [&](const std::string& file) { return !is_of_a_run(file); });
  const int64_t num_given = command.reports.end() - given + (command.cycles ? 1 : 0);
  if (num_given > 1)
    throw base::UserError("--report", "{} reports of runs are given, allowed is one, whose cycles are shown", num_given);
  if (given != command.reports.end()) command.cycles = *given;
  command.reports.erase(given, command.reports.end());
  return command;
}

}  // namespace

int disasm(const DisasmCommand& given) {
  DisasmCommand command = with_given_reports(given);
  const Reports reports = take_reports(command.reports);
  command.report_files = reports.files;
  set_activity("disassembling");
  const flow::Disassembly disassembly = flow::disassemble(command);
  print_result(reports, flow::to_text(disassembly, style_of(reports.people()).width_columns),
               [&] { return flow::to_json(disassembly); });
  return kExitSuccess;
}

}  // namespace vernier::cli
