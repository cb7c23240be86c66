// SPDX-License-Identifier: Apache-2.0
// `vernier run` as the program has it: exit codes, and what is worked out for whom. What a run finds is tested with the
// library (tests/unit/sim_flow).
#include "sim/cli/run_command.hpp"

#include "hw/base/file.hpp"
#include "hw/package/package.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/flow/files/compile.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <functional>

namespace vernier::cli {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// Quiet: one line on standard output.
struct Result {
  int exit_code;
  std::string json;
};
Result run_quietly(const tests::TemporaryDirectory& folder, const fs::path& model,
                   const std::function<void(RunOptions&)>& change = {}) {
  RunOptions options;
  options.model = model.string();
  options.is_quiet = true;
  options.no_rerun = true;
  options.reports = {(folder / "report.json").string()};
  if (change) change(options);
  Result result{run(options), ""};
  if (fs::exists(folder / "report.json")) result.json = base::read_text_file(folder / "report.json");
  return result;
}

const fs::path kDemo = tests::source_path("tests/e2e/demo/demo.tosa");

/// The demo network as a package with something changed.
fs::path tampered(const tests::TemporaryDirectory& folder, const std::function<void(package::Package&)>& change) {
  package::Package package = flow::compile({.model = kDemo.string()}).package.value();
  change(package);
  base::write_file(folder / "tampered.vnpu", package::to_bytes(package));
  return folder / "tampered.vnpu";
}

TEST_CASE("The exit code of a run says what it came to") {
  const tests::TemporaryDirectory folder;
  const Result match = run_quietly(folder, kDemo);
  CHECK(match.exit_code == 0);
  CHECK_THAT(match.json, Contains("\"result\": \"match\""));
  CHECK(run_quietly(folder, tests::source_path("tests/golden/networks/shift_left/model.tosa")).exit_code == 1);
  const fs::path wrong = tampered(folder, [](package::Package& package) {
    for (std::byte& byte : package.image.at(0).bytes) byte ^= std::byte{0x15};
  });
  CHECK(run_quietly(folder, wrong).exit_code == 3);
  fs::remove(folder / "report.json");
  const fs::path stuck = tampered(folder, [](package::Package& package) { package.image.clear(); });  // nothing is written
  const Result fault = run_quietly(folder, stuck);
  CHECK(fault.exit_code == 4);
  CHECK(fault.json.empty());
}

TEST_CASE("A quiet run looks for the least bandwidth where a report has it") {
  const tests::TemporaryDirectory folder;
  const Result result = run_quietly(folder, kDemo, [](RunOptions& options) {
    options.machine.memory = "external";
    options.machine.sram_bytes = 16384;
  });
  CHECK_THAT(result.json,
             Contains("least_external_bytes_per_cycle") && !Contains("\"least_external_bytes_per_cycle\": null"));
}

TEST_CASE("After a mismatch a run leaves a wave unless it is told not to") {
  const tests::TemporaryDirectory folder;
  const fs::path wrong = tampered(folder, [](package::Package& package) {
    for (std::byte& byte : package.image.at(0).bytes) byte ^= std::byte{0x15};
  });
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  const auto has_wave = [&] {
    return fs::exists(folder / "tampered.vnpu.first-difference.fst") ||
           fs::exists(folder / "tampered.vnpu.first-difference.vcd");
  };
  CHECK(run_quietly(folder, wrong).exit_code == kExitMismatch);
  CHECK_FALSE(has_wave());
  CHECK(run_quietly(folder, wrong, [](RunOptions& options) { options.no_rerun = false; }).exit_code == kExitMismatch);
  CHECK(has_wave());
  fs::current_path(before);
}

}  // namespace
}  // namespace vernier::cli
