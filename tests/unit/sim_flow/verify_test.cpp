// SPDX-License-Identifier: Apache-2.0
// Tests of the conformance suite, as `vernier verify` runs them.
#include "sim/flow/run/verify.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// A network of tests/golden as a test of the suite: its input, and the outputs of the official reference model.
const fs::path kNetwork = tests::source_path("tests/golden/networks/conv_1x1_c20_oc33");

std::string desc_text(const std::string& output_name, bool expects_error, const std::string& more = "") {
  return fmt::format(
      R"({{"tosa_file": "model.tosa", "ifm_name": ["TosaInput_0"], "ifm_file": ["TosaInput_0.npy"], "ofm_name": ["{}"],
          "ofm_file": ["result.npy"], "expected_failure": {}{}}})",
      output_name, expects_error, more);
}

/// Writes a test into the folder; the path of its desc.json.
std::string write_test(const fs::path& folder, const std::string& desc) {
  fs::create_directories(folder);
  for (const char* file : {"model.tosa", "TosaInput_0.npy"})
    fs::copy_file(kNetwork / file, folder / file, fs::copy_options::overwrite_existing);
  base::write_text_file(folder / "desc.json", desc);
  return (folder / "desc.json").string();
}

std::string complaint(const std::string& desc) {
  try {
    read_conformance_test(desc);
    return "";
  } catch (const base::UserError& error) {
    return error.what();
  }
}

TEST_CASE("A test of the suite leaves the official outputs beside its desc, or where it is told, on both back ends") {
  const tests::TemporaryDirectory scratch;
  for (const std::string backend : {"reference", "sim"}) {
    for (const bool has_folder : {false, true}) {
      const fs::path folder = scratch / fmt::format("{}{}", backend, has_folder);
      VerifyRequest request{.descs = {write_test(folder, desc_text("TosaOutput_0", false))}};
      request.backend = backend;
      if (has_folder) request.output_dir = (folder / "out").string();
      const std::vector<VerifiedTest> tests = verify(request, {});
      REQUIRE(tests.size() == 1);
      CHECK(tests[0].is_as_expected());
      CHECK(tests[0].finding.empty());
      const fs::path result = has_folder ? folder / "out/result.npy" : folder / "result.npy";
      CHECK(base::read_file(result) == base::read_file(kNetwork / "TosaOutput_0.npy"));
      CHECK(fs::exists(folder / "result.npy") != has_folder);
    }
  }
}

TEST_CASE(
    "Of a folder each test is judged by what its desc expects, and the others run on after one that ends with an error") {
  const tests::TemporaryDirectory scratch;
  write_test(scratch / "a", desc_text("TosaOutput_0", true));  // an error is expected, and does not come
  const std::string bad = write_test(scratch / "b", desc_text("TosaOutput_0", true));
  base::write_text_file(fs::path(bad).replace_filename("model.tosa"), "no network");
  write_test(scratch / "c/deep", desc_text("TosaOutput_0", false));
  const std::string unread = write_test(scratch / "d", desc_text("nobody", false));
  std::vector<std::string> told;
  const std::vector<VerifiedTest> tests =
      verify({.descs = {scratch.path().string()}}, [&](const VerifiedTest& test) { told.push_back(test.desc); });
  REQUIRE(tests.size() == 4);
  CHECK(told == find_conformance_tests(scratch.path().string()));
  CHECK_FALSE(tests[0].is_as_expected());
  CHECK(tests[1].is_as_expected());
  CHECK(tests[1].is_error);
  CHECK_THAT(tests[1].finding, Contains("model.tosa"));
  CHECK_FALSE(fs::exists(scratch / "b/result.npy"));
  CHECK(tests[2].is_as_expected());
  CHECK_FALSE(tests[3].is_as_expected());
  CHECK_THAT(tests[3].finding, Contains("names the output 'nobody', the network has 'TosaOutput_0'"));
  CHECK_FALSE(fs::exists(scratch / "d/result.npy"));
  // A folder with one test alone is judged like any other folder.
  const std::vector<VerifiedTest> one = verify({.descs = {(scratch / "b").string()}}, {});
  REQUIRE(one.size() == 1);
  CHECK(one[0].is_as_expected());
  CHECK_THAT(to_json(tests, "sim"), Contains(R"("num_as_expected": 2)") && Contains(R"("exit_code": 2)"));
}

TEST_CASE("A desc that is none, and a request that is none, are told in a line") {
  const tests::TemporaryDirectory scratch;
  const std::string desc = write_test(scratch.path(), "{");
  CHECK(complaint(desc) == desc + ": is no JSON");
  write_test(scratch.path(), "[]");
  CHECK(complaint(desc) == desc + ": has no 'tosa_file', which the desc.json of a conformance test has");
  write_test(scratch.path(), desc_text("TosaOutput_0", false, R"(, "ofm_file": ["a", "b"])"));
  CHECK(complaint(desc) == desc + ": names 1 outputs and 2 files of them");
  write_test(scratch.path(), desc_text("TosaOutput_0", false, R"(, "ifm_file": 3)"));
  CHECK(complaint(desc) == desc + ": 'ifm_file' has 3, expected a list of texts");
  write_test(scratch.path(), desc_text("TosaOutput_0", false, R"(, "expected_failure": "no")"));
  CHECK(complaint(desc) == desc + ": 'expected_failure' has \"no\", expected true or false");
  CHECK_THROWS_WITH(verify({.descs = {desc}}, {}), Contains("'expected_failure' has"));
  VerifyRequest request{.descs = {desc}};
  request.backend = "fast";
  CHECK_THROWS_WITH(verify(request, {}), Contains("--backend: 'fast' is not one of sim, rtl, reference"));
  fs::create_directories(scratch / "empty");
  CHECK_THROWS_WITH(verify({.descs = {(scratch / "empty").string()}}, {}), Contains("has no desc.json in it or below"));
  request = {.descs = {desc, desc}};
  request.output_dir = (scratch / "out").string();
  CHECK_THROWS_WITH(verify(request, {}), Contains("--output-dir: is for one test, there are 2"));
}

}  // namespace
}  // namespace vernier::flow
