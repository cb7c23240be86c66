// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/several_command.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/row_text.hpp"
#include "sim/cli/signals.hpp"
#include "sim/cli/workers.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/run/job_progress.hpp"
#include "sim/flow/run/run_table.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <set>

namespace vernier::cli {
namespace {

/// In the process of a run: sends its row. The exit code of a program with this one run.
int run_as_worker(flow::RunRequest request, const Workers& workers) {
  request.rtl.on_endless_evaluation = end_endless_evaluation;
  return with_memory_errors(request.model, [&] {
    Progress progress;
    const flow::RunResult result = flow::run(request, observer_of(progress));
    if (result.failure) return print_failure(*result.failure);
    report::TableRow row;
    flow::fill_row(row, result);
    workers.send(to_row_text(row));
    return exit_code_of(result.verdict());
  });
}

/// The line that says what went wrong, without the program's name.
std::string first_line(const std::string& error_text) {
  constexpr std::string_view kProgram = "vernier: ";
  const size_t at = error_text.find(kProgram);
  const std::string line = at == std::string::npos ? error_text : error_text.substr(at + kProgram.size());
  return line.substr(0, line.find('\n'));
}

void finish_row(report::TableRow& row, const Finished& finished) {
  row.exit_code = finished.exit_code;
  if (finished.signal == 0) {
    if (!finished.output.empty()) {
      read_row_text(finished.output, row);
    } else {
      row.error = first_line(finished.error_text);
      if (row.exit_code == kExitSuccess) row.exit_code = kExitInternal;  // a run that went well has a result
    }
    return;
  }
  const std::string name = fmt::format("signal {} ({})", finished.signal, ::strsignal(finished.signal));
  if (finished.signal == SIGKILL) {
    row.exit_code = kExitBadInput;
    row.error = fmt::format("{}: the run was ended by {}, as the system does where memory runs out; --jobs 1 needs least",
                            row.model, name);
  } else {
    row.exit_code = kExitInternal;
    row.error = fmt::format("{}: the run was ended by {}", row.model, name);
  }
}

/// "3 of 12 runs done, about 8 s left"
class RunProgress {
 public:
  explicit RunProgress(size_t num_runs) : num_runs_(num_runs) { show(); }
  void one_more() {
    ++num_done_;
    show();
  }
  void done() { progress_.done(); }

 private:
  void show() {
    const auto passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    std::string text = fmt::format("{} of {} runs done", num_done_, num_runs_);
    if (num_done_ > 0 && num_done_ < num_runs_) {
      const double left = passed / static_cast<double>(num_done_) * static_cast<double>(num_runs_ - num_done_);
      text += ", " + flow::time_left_text(left);
    }
    progress_.phase(text);
  }

  size_t num_runs_, num_done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Progress progress_;
};

/// Why the exit code is not 0, for those who do not see the table: each line once.
void explain_codes(const report::RunTable& table) {
  std::set<std::string> told;
  const auto tell = [&](const std::string& text) {
    if (told.insert(text).second) print_text(stderr, fmt::format("vernier: {}\n", base::printable(text)));
  };
  for (const report::TableRow& row : table.rows) {
    if (!row.error.empty()) tell(row.error);
    for (const std::string& warning : row.warnings) tell(fmt::format("{}: warning: {}", row.model, warning));
    if (row.exit_code != kExitMismatch) continue;
    tell(fmt::format("{}: mismatch on {}, memory {}, {} of SRAM: {}", row.model,
                     row.config_file.empty() ? row.config : row.config_file, row.memory_mode,
                     base::bytes_text(row.sram_bytes), row.first_difference));
  }
}

void print(const report::RunTable& table, const SeveralRuns& command, const Reports& reports) {
  const report::TextStyle style = style_of(reports.people());
  print_text(reports.people(), command.is_quiet ? report::to_summary(table) : report::to_text(table, style),
             style.has_color);
  if (command.is_quiet) explain_codes(table);
  if (reports.is_json_printed) print_text(stdout, report::to_json(table));
}

}  // namespace

int several(const SeveralRuns& command) {
  const Reports reports = take_reports(command.reports);
  flow::check_several(command.runs, reports.files);
  report::RunTable table{flow::tool_version(), {}};
  for (const flow::RunRequest& request : command.runs) table.rows.push_back(flow::row_of(request));
  const size_t num_runs = table.rows.size();
  const size_t jobs = command.jobs ? static_cast<size_t>(*command.jobs) : num_processors();
  RunProgress progress(num_runs);
  Workers workers;
  for (size_t next = 0; next < num_runs || workers.num_running() > 0;) {
    if (next < num_runs && workers.num_running() < jobs) {
      const size_t idx = next++;
      if (workers.start(idx)) return run_as_worker(command.runs[idx], workers);
      continue;
    }
    const Finished finished = workers.wait();
    finish_row(table.rows[finished.idx], finished);
    progress.one_more();
  }
  progress.done();
  flow::write_reports(table, reports.files);
  print(table, command, reports);
  int highest = kExitSuccess;
  for (const report::TableRow& row : table.rows) highest = std::max(highest, row.exit_code);
  return highest;
}

}  // namespace vernier::cli
