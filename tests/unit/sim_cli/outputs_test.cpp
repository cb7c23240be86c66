// SPDX-License-Identifier: Apache-2.0
// What is printed where.
#include "sim/cli/outputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cli/console.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <unistd.h>

namespace vernier::cli {
namespace {

namespace fs = std::filesystem;

/// What a call writes to standard output and standard error, which are files meanwhile: no terminals.
std::pair<std::string, std::string> printed(const std::function<void()>& print) {
  const tests::TemporaryDirectory folder;
  std::array<int, 2> saved{};
  const std::array<FILE*, 2> streams{stdout, stderr};
  const std::array<fs::path, 2> files{folder / "out", folder / "err"};
  for (size_t i = 0; i < 2; ++i) {
    std::fflush(streams[i]);
    saved[i] = ::dup(::fileno(streams[i]));
    const int file = ::open(files[i].c_str(), O_CREAT | O_WRONLY, 0600);
    ::dup2(file, ::fileno(streams[i]));
    ::close(file);
  }
  print();
  for (size_t i = 0; i < 2; ++i) {
    std::fflush(streams[i]);
    ::dup2(saved[i], ::fileno(streams[i]));
    ::close(saved[i]);
  }
  return {base::read_text_file(files[0]), base::read_text_file(files[1])};
}

report::Report small_report() {
  report::Report report;
  report.backend = "sim";
  report.model_name = "net\x1b.tosa";
  report.config = config::preset_config("v256", "test");
  report.cycles = 1234;
  report.check.result = "match";
  report.warnings = {"RESIZE is unpredictable,\nhere"};
  report.approximations = {{"words do not collide", "too few cycles", 1.5}};
  return report;
}

TEST_CASE("Text goes to standard output, or to standard error where JSON takes its place") {
  ::unsetenv("COLUMNS");
  report::Report shown = small_report();  // as a terminal may have it
  shown.model_name = "net\\x1b.tosa";
  shown.warnings = {"RESIZE is unpredictable,\\x0ahere"};
  RunOptions options;
  const auto print = [&] { return printed([&] { print_report(small_report(), options, take_reports(options.reports)); }); };
  const std::string text = report::to_text(shown, {.width_columns = 100});
  CHECK(print() == std::pair(text, std::string()));
  options.is_verbose = true;
  CHECK(print().first == report::to_text(shown, {.width_columns = 100, .lists_approximations = true}));
  options.is_verbose = false;
  options.reports = {"elsewhere.json", "-"};
  CHECK(print() == std::pair(report::to_json(small_report()), text));
  options.is_quiet = true;
  const std::string warning = "vernier: warning: RESIZE is unpredictable,\\x0ahere\n";
  CHECK(print() == std::pair(report::to_json(small_report()), report::to_summary(shown) + warning));
  options.reports.clear();
  CHECK(print() == std::pair(report::to_summary(shown), warning));
}

TEST_CASE("The report - is standard output, once, and all others are files") {
  const Reports reports = take_reports({"a.json", "-", "b.csv"});
  CHECK(reports.files == std::vector<std::string>{"a.json", "b.csv"});
  CHECK(reports.is_json_printed);
  CHECK(reports.people() == stderr);
  CHECK(take_reports({"a.json"}).people() == stdout);
  CHECK_THROWS_WITH(take_reports({"-", "-"}), "--report: '-' is given more than once, allowed is once");
}

TEST_CASE("COLUMNS says how wide text is, where it is a number") {
  for (const auto& [columns, width] : {std::pair("57", 57), std::pair("300", 300), std::pair("0", 100), std::pair("-3", 100),
                                       std::pair("80x", 100), std::pair("", 100)}) {
    ::setenv("COLUMNS", columns, 1);
    const auto print = printed([&] { std::fprintf(stdout, "%d", static_cast<int>(style_of(stdout).width_columns)); });
    CHECK(print.first == std::to_string(width));
  }
  ::unsetenv("COLUMNS");
}

TEST_CASE("Text reaches its stream whole, and what cannot be written is an error") {
  const tests::TemporaryDirectory folder;
  const std::string text(100'000, 'x');
  FILE* file = std::fopen((folder / "out").c_str(), "wb");
  print_text(file, text);
  CHECK(base::read_text_file(folder / "out") == text);  // flushed
  std::fclose(file);
  FILE* full = std::fopen("/dev/full", "wb");
  if (full == nullptr) return;
  CHECK_THROWS_AS(print_text(full, "x"), base::UserError);
  std::fclose(full);
}

}  // namespace
}  // namespace vernier::cli
