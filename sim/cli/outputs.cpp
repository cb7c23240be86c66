// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/outputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "sim/cli/console.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vernier::cli {
namespace {

constexpr int64_t kPipeColumns = 100;
constexpr int64_t kLeastColumns = 80;

report::TextStyle style_of(FILE* stream) {
  report::TextStyle style;
  style.width_columns = kPipeColumns;
  const int fd = ::fileno(stream);
  if (::isatty(fd) == 0) return style;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width_columns = std::max<int64_t>(kLeastColumns, size.ws_col);
  const char* no_color = std::getenv("NO_COLOR");
  style.has_color = no_color == nullptr || *no_color == '\0';
  return style;
}

bool is_existing_directory(const std::filesystem::path& path) {
  std::error_code unknown;  // what cannot be looked at is none
  return std::filesystem::is_directory(path, unknown);
}
bool is_writable_directory(const std::filesystem::path& path) {
  return is_existing_directory(path) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

void make_output_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw base::UserError("--output-dir", "'{}' cannot be made: {}", path, error.message());
}

}  // namespace

void check_places(const RunOptions& options) {
  for (const std::string& report : options.reports) {
    if (report == "-") continue;
    const std::filesystem::path path(report);
    if (path.extension() != ".json" && path.extension() != ".csv") {
      throw base::UserError("--report", "'{}' is not FILE.json, FILE.csv or -", report);
    }
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (!is_writable_directory(folder))
      throw base::UserError("--report", "'{}' cannot be written: folder '{}' is missing or not writable", report,
                            folder.string());
    if (is_existing_directory(path)) throw base::UserError("--report", "'{}' is a directory, expected a file name", report);
  }
  if (!options.output_dir) return;
  if (options.output_dir->empty()) throw base::UserError("--output-dir", "'' is not a directory name");
  // The directory is made when there is something to write: until then, whether it can be is a question to its parents.
  std::filesystem::path place = std::filesystem::absolute(*options.output_dir);
  std::error_code unknown;
  while (!std::filesystem::exists(place, unknown) && place.has_relative_path()) place = place.parent_path();
  if (!is_existing_directory(place))
    throw base::UserError("--output-dir", "'{}' cannot be made: '{}' is no directory", *options.output_dir, place.string());
  if (!is_writable_directory(place))
    throw base::UserError("--output-dir", "'{}': directory '{}' is not writable", *options.output_dir, place.string());
}

std::vector<std::string> output_file_names(const std::vector<std::string>& tensors) {
  std::vector<std::string> files;
  std::set<std::string> taken;
  for (const std::string& tensor : tensors) {
    const std::string stem = base::safe_file_name(tensor);
    std::string name = stem;
    for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{}_{}", stem, copy);
    files.push_back(name + ".npy");
  }
  return files;
}

void write_outputs(report::Report& report, const RunOptions& options, const std::vector<std::string>& tensors,
                   const std::vector<base::Tensor>& values) {
  const std::vector<std::string> files = output_file_names(tensors);
  if (options.output_dir) make_output_directory(*options.output_dir);
  for (size_t i = 0; i < values.size(); ++i) {
    if (options.output_dir) base::write_npy(std::filesystem::path(*options.output_dir) / files[i], values[i]);
    report.outputs.push_back({tensors[i], options.output_dir ? files[i] : "", values[i].shape(),
                              std::string(base::info(values[i].type()).npy_name)});
  }
}

void write_reports(const report::Report& report, const RunOptions& options) {
  bool json_on_stdout = false;
  for (const std::string& file : options.reports) {
    json_on_stdout = json_on_stdout || file == "-";
    if (file == "-") continue;
    const bool is_csv = std::filesystem::path(file).extension() == ".csv";
    base::write_text_file(file, is_csv ? report::to_csv(report) : report::to_json(report));
  }
  FILE* people = json_on_stdout ? stderr : stdout;
  report::TextStyle style = style_of(people);
  style.lists_approximations = options.is_verbose;
  print_text(people, options.is_quiet ? report::to_summary(report) : report::to_text(report, style));
  if (json_on_stdout) print_text(stdout, report::to_json(report));
}

}  // namespace vernier::cli
