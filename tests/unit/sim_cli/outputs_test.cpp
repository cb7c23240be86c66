// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: file names, places that are refused before any work, what is written where.
#include "sim/cli/outputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/npy.hpp"
#include "sim/cli/console.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace vernier::cli {
namespace {

using base::ElementType;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

base::Tensor tensor_of(ElementType type, const base::Shape& shape, int64_t first) {
  base::Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, first + i);
  return tensor;
}

TEST_CASE("Output files are named after their tensors, safe and told apart") {
  using Names = std::vector<std::string>;
  CHECK(output_file_names({}) == Names{});
  CHECK(output_file_names({{"y"}, {"a/b"}, {"a b"}, {"..c"}}) == Names{"y.npy", "a_b.npy", "a_b_2.npy", "c.npy"});
  CHECK(output_file_names({{"x"}, {"x"}, {"x"}, {"x_2"}}) == Names{"x.npy", "x_2.npy", "x_3.npy", "x_2_2.npy"});
}

TEST_CASE("Outputs are written where --output-dir says, and listed either way") {
  const tests::TemporaryDirectory folder;
  const std::vector<OutputInfo> names{{"y"}, {"z/w"}};
  const std::vector<base::Tensor> values{tensor_of(ElementType::Int8, {2, 3}, -2), tensor_of(ElementType::Int16, {5}, 300)};
  for (const bool has_place : {false, true}) {
    RunOptions options;
    if (has_place) options.output_dir = (folder / "new/deep").string();
    report::Report report;
    base::FileSet files;
    add_outputs(files, report, options, names, values);
    files.commit();
    REQUIRE(report.outputs.size() == 2);
    CHECK(report.outputs[0].tensor == "y");
    CHECK(report.outputs[0].shape == base::Shape{2, 3});
    CHECK(report.outputs[0].dtype == "int8");
    CHECK(report.outputs[0].file == (has_place ? "y.npy" : ""));
    CHECK(report.outputs[1].tensor == "z/w");
    CHECK(report.outputs[1].shape == base::Shape{5});
    CHECK(report.outputs[1].dtype == "int16");
    CHECK(report.outputs[1].file == (has_place ? "z_w.npy" : ""));
    CHECK(fs::exists(folder / "new/deep") == has_place);
  }
  CHECK(base::read_npy((folder / "new/deep/y.npy").string(), ElementType::Int8, {2, 3}) == values[0]);
  CHECK(base::read_npy((folder / "new/deep/z_w.npy").string(), ElementType::Int16, {5}) == values[1]);
}

TEST_CASE("Outputs that are floats in the source have a file of each") {
  const std::optional<package::BoundaryEnd> reals({"y", true, false, 0.5F, 3}), codes({"y", false, false, 0.5F, 3});
  CHECK(output_files({{"y", reals}, {"y", codes}, {"y.float"}}) ==
        std::vector<OutputFiles>{{"y.npy", "y.float.npy"}, {"y_2.npy", ""}, {"y.float_2.npy", ""}});
  CHECK(output_files({{"y.float"}, {"y", reals}}) ==
        std::vector<OutputFiles>{{"y.float.npy", ""}, {"y_2.npy", "y_2.float.npy"}});
  const tests::TemporaryDirectory folder;
  RunOptions options;
  options.output_dir = (folder / "out").string();
  report::Report report;
  base::FileSet files;
  add_outputs(files, report, options, {{"y", reals}}, {tensor_of(ElementType::Int8, {3}, -128)});
  files.commit();
  CHECK(report.outputs[0].dtype == "uint8");
  CHECK(report.outputs[0].float_file == "y.float.npy");
  const base::NpyArray integers = base::read_npy_array(folder / "out/y.npy", "uint8");
  CHECK(std::vector<uint8_t>(integers.as<uint8_t>().begin(), integers.as<uint8_t>().end()) == std::vector<uint8_t>{0, 1, 2});
  const base::NpyArray floats = base::read_npy_array(folder / "out/y.float.npy", "float32");
  CHECK(std::vector<float>(floats.as<float>().begin(), floats.as<float>().end()) == std::vector<float>{-1.5F, -1, -0.5F});
}

TEST_CASE("Each report is written in the form of its ending, - is none of them") {
  const tests::TemporaryDirectory folder;
  RunOptions options;
  options.reports = {(folder / "r.json").string(), "-", (folder / "r.csv").string()};
  report::Report report;
  report.model_name = "net";
  report.config = config::preset_config("v256", "test");
  base::FileSet files;
  add_reports(files, report, options);
  files.commit();
  CHECK(text_of(folder / "r.json") == report::to_json(report));
  CHECK(text_of(folder / "r.csv") == report::to_csv(report));
  CHECK_FALSE(fs::exists("-"));
}

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
  return {text_of(files[0]), text_of(files[1])};
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
  const auto print = [&] { return printed([&] { print_reports(small_report(), options); }); };
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

TEST_CASE("COLUMNS says how wide text is, where it is a number") {
  for (const auto& [columns, width] : {std::pair("57", 57), std::pair("300", 300), std::pair("0", 100), std::pair("-3", 100),
                                       std::pair("80x", 100), std::pair("", 100)}) {
    ::setenv("COLUMNS", columns, 1);
    const auto print = printed([&] { std::fprintf(stdout, "%d", static_cast<int>(style_of(stdout).width_columns)); });
    CHECK(print.first == std::to_string(width));
  }
  ::unsetenv("COLUMNS");
}

TEST_CASE("A report that cannot be written is refused before any work") {
  const tests::TemporaryDirectory folder;
  const std::vector<std::string> endings{".json", ".csv"};
  CHECK_NOTHROW(check_report_places({"-", (folder / "r.json").string(), (folder / "r.csv").string()}, endings));
  CHECK_NOTHROW(check_report_places({"r.json"}, endings));  // here
  CHECK_THROWS_WITH(check_report_places({(folder / "r.html").string()}, endings),
                    Contains("is not FILE.json, FILE.csv or -"));
  CHECK_THROWS_WITH(check_report_places({(folder / "no/r.json").string()}, endings), Contains("is missing or not writable"));
  fs::create_directory(folder / "dir.json");
  CHECK_THROWS_WITH(check_report_places({"-", (folder / "dir.json").string()}, endings), Contains("is a directory"));
}

TEST_CASE("An output directory that cannot be made is refused before any work, and none is made") {
  const tests::TemporaryDirectory folder;
  std::ofstream(folder / "file") << "x";
  const auto check = [](const std::string& place) {
    RunOptions options;
    options.output_dir = place;
    check_places(options);
  };
  CHECK_NOTHROW(check((folder / "a/b/c").string()));
  CHECK_FALSE(fs::exists(folder / "a"));
  CHECK_THROWS_WITH(check(""), Contains("is not a directory name"));
  CHECK_THROWS_WITH(check((folder / "file").string()), Contains("is no directory"));
  CHECK_THROWS_WITH(check((folder / "file/below").string()), Contains("is no directory"));
  if (::geteuid() != 0) {  // root may write anywhere
    fs::create_directory(folder / "closed");
    ::chmod((folder / "closed").c_str(), 0555);
    CHECK_THROWS_WITH(check((folder / "closed/below").string()), Contains("is not writable"));
    ::chmod((folder / "closed").c_str(), 0755);
  }
}

TEST_CASE("Text reaches its stream whole, and what cannot be written is an error") {
  const tests::TemporaryDirectory folder;
  const std::string text(100'000, 'x');
  FILE* file = std::fopen((folder / "out").c_str(), "wb");
  print_text(file, text);
  CHECK(text_of(folder / "out") == text);  // flushed
  std::fclose(file);
  FILE* full = std::fopen("/dev/full", "wb");
  if (full == nullptr) return;
  CHECK_THROWS_AS(print_text(full, "x"), base::UserError);
  std::fclose(full);
}

}  // namespace
}  // namespace vernier::cli
