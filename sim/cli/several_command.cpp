// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/several_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/row_text.hpp"
#include "sim/cli/run_command.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/workers.hpp"
#include "sim/flow/model.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/run_table.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sched.h>
#include <set>

namespace vernier::cli {
namespace {

/// Of those that this process may use.
size_t num_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<size_t>(std::max(1, CPU_COUNT(&allowed)));
}

/// What is known of each run before it is made. Everything that is wrong with a machine is told here.
std::vector<report::TableRow> rows_of(const SeveralRuns& command) {
  std::vector<report::TableRow> rows;
  for (const RunOptions& run : command.runs) {
    const config::MachineConfig config = flow::config_of(run.machine);
    report::TableRow row;
    row.model = run.model;
    row.config = config.name;
    const std::string given = run.machine.config.value_or("");
    const bool is_preset = std::any_of(spec::kPresets.begin(), spec::kPresets.end(),
                                       [&](const spec::Preset& preset) { return preset.name == given; });
    if (!is_preset) row.config_file = given;
    row.clock_hz = config.clock_hz;
    row.macs_per_cycle = config.datapath.macs_per_cycle();
    row.external_bytes_per_second = report::external_bytes_per_second(config);
    row.memory_mode = spec::kMemoryModeNames[static_cast<size_t>(config.memory_mode)];
    row.sram_bytes = config.sram_bytes;
    rows.push_back(std::move(row));
  }
  return rows;
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
      text += ", " + time_left_text(left);
    }
    progress_.phase(text);
  }

  size_t num_runs_, num_done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Progress progress_;
};

void write_reports(const report::RunTable& table, const std::vector<std::string>& reports) {
  base::FileSet files;
  for (const std::string& file : reports) {
    if (file == "-") continue;
    const bool is_csv = std::filesystem::path(file).extension() == ".csv";
    files.add_text(file, is_csv ? report::to_csv(table) : report::to_json(table));
  }
  files.commit();
}

/// No report takes the place of a network or a configuration.
void check_reports(const SeveralRuns& command) {
  check_report_places(command.reports, {".json", ".csv"});
  std::vector<Place> read, written;
  for (const RunOptions& run : command.runs) {
    read.push_back({"MODEL", run.model});
    if (run.machine.config) read.push_back({"--config", *run.machine.config});
    if (run.machine.encodings) read.push_back({"--encodings", *run.machine.encodings});
  }
  for (const std::string& file : command.reports) {
    if (file != "-") written.push_back({"--report", file});
  }
  refuse_overwriting(read, written);
}

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

void print(const report::RunTable& table, const SeveralRuns& command) {
  const bool json_on_stdout = std::find(command.reports.begin(), command.reports.end(), "-") != command.reports.end();
  FILE* people = json_on_stdout ? stderr : stdout;
  const report::TextStyle style = style_of(people);
  const std::string text = command.is_quiet ? report::to_summary(table) : report::to_text(table, style);
  print_text(people, text, style.has_color);
  if (command.is_quiet) explain_codes(table);
  if (json_on_stdout) print_text(stdout, report::to_json(table));
}

}  // namespace

int several(const SeveralRuns& command) {
  check_reports(command);
  report::RunTable table{tool_version(), rows_of(command)};
  const size_t num_runs = table.rows.size();
  const size_t jobs = command.jobs ? static_cast<size_t>(*command.jobs) : num_processors();
  RunProgress progress(num_runs);
  Workers workers;
  for (size_t next = 0; next < num_runs || workers.num_running() > 0;) {
    if (next < num_runs && workers.num_running() < jobs) {
      const size_t idx = next++;
      // The worker ends as a program with this one run would, but for what it prints.
      if (workers.start(idx))
        return run(command.runs[idx], [&](const report::Report& report) { workers.send(to_row_text(report)); });
      continue;
    }
    const Finished finished = workers.wait();
    finish_row(table.rows[finished.idx], finished);
    progress.one_more();
  }
  progress.done();
  write_reports(table, command.reports);
  print(table, command);
  int highest = kExitSuccess;
  for (const report::TableRow& row : table.rows) highest = std::max(highest, row.exit_code);
  return highest;
}

}  // namespace vernier::cli
