// SPDX-License-Identifier: Apache-2.0
// Reports as files, and places that are refused before any work.
#include "sim/flow/files/places.hpp"

#include "hw/base/file.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/run/run_request.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("Each report is written in the form of its ending") {
  const tests::TemporaryDirectory folder;
  const std::vector<std::string> reports{(folder / "r.json").string(), (folder / "r.csv").string()};
  report::Report report;
  report.model_name = "net";
  report.config = config::preset_config("v256", "test");
  base::FileSet files;
  add_reports(files, report, reports);
  files.commit();
  CHECK(base::read_text_file(folder / "r.json") == report::to_json(report));
  CHECK(base::read_text_file(folder / "r.csv") == report::to_csv(report));
}

TEST_CASE("A report that cannot be written is refused before any work") {
  const tests::TemporaryDirectory folder;
  const std::vector<std::string> endings{".json", ".csv"};
  CHECK_NOTHROW(check_report_places({(folder / "r.json").string(), (folder / "r.csv").string()}, endings));
  CHECK_NOTHROW(check_report_places({"r.json"}, endings));  // here
  CHECK_THROWS_WITH(check_report_places({(folder / "r.html").string()}, endings),
                    Contains("is not FILE.json, FILE.csv or -"));
  CHECK_THROWS_WITH(check_report_places({(folder / "no/r.json").string()}, endings), Contains("is missing or not writable"));
  fs::create_directory(folder / "dir.json");
  CHECK_THROWS_WITH(check_report_places({(folder / "dir.json").string()}, endings), Contains("is a directory"));
}

TEST_CASE("An output directory that cannot be made is refused before any work, and none is made") {
  const tests::TemporaryDirectory folder;
  std::ofstream(folder / "file") << "x";
  const auto check = [](const std::string& place) {
    RunRequest options;
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

}  // namespace
}  // namespace vernier::flow
