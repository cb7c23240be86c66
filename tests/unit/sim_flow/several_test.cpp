// SPDX-License-Identifier: Apache-2.0
// More than one run, several networks on one machine, and who watches a run.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/run/interleave.hpp"
#include "sim/flow/run/run_table.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/sim_flow/demo.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

std::string other_network() { return tests::source_path("tests/golden/networks/conv_1x1_c20_oc33/model.tosa").string(); }

std::vector<MachineOptions> machines(const std::vector<std::string>& configs) {
  std::vector<MachineOptions> options;
  for (const std::string& config : configs) options.emplace_back().config = config;
  return options;
}

TEST_CASE("Combinations are each model with each machine, and none writes or looks for what only one run shows") {
  RunRequest request{.seed = 5};
  request.report_files = {"r.json"};
  request.rerun_folder = "";
  const std::vector<RunRequest> made = combinations(request, {"a", "b"}, machines({"v64", "v256"}));
  REQUIRE(made.size() == 4);
  for (size_t i = 0; i < made.size(); ++i) {
    CHECK(made[i].model == (i < 2 ? "a" : "b"));
    CHECK(made[i].machine.config == (i % 2 == 0 ? "v64" : "v256"));
    CHECK(made[i].seed == 5);
    CHECK(made[i].report_files.empty());
    CHECK_FALSE(made[i].rerun_folder);
    CHECK_FALSE(made[i].finds_least_bandwidth);
  }
}

TEST_CASE("What is for one run is refused for several, and no table overwrites what they read") {
  RunRequest request{.model = tests::demo_file()};
  request.output_dir = "out";
  CHECK_THROWS_WITH(check_several({request, request}, {}), StartsWith("--output-dir: is for one run"));
  request.output_dir.reset();
  const tests::TemporaryDirectory folder;
  request.model = (folder / "net.json").string();
  base::write_file(request.model, base::read_file(tests::demo_file()));
  CHECK_THROWS_WITH(check_several({request}, {request.model}), Contains("would overwrite MODEL"));
  CHECK_NOTHROW(check_several({request}, {(folder / "t.csv").string()}));
}

TEST_CASE("Several runs are rows with the figures of each, also of one that fails") {
  RunRequest request;
  std::vector<RunRequest> requests = combinations(request, {tests::demo_file(), other_network()}, machines({"v64", "v256"}));
  requests.push_back(requests.front());
  requests.back().model = "missing.tosa";
  int64_t num_phases = 0;
  Observer observer;
  observer.on_phase = [&](const std::string& text) { num_phases += text == "compiling" ? 1 : 0; };
  const report::RunTable table = run_several(requests, observer);
  REQUIRE(table.rows.size() == 5);
  CHECK(num_phases == 4);
  for (size_t i = 0; i < 4; ++i) {
    const report::TableRow& row = table.rows[i];
    const RunResult alone = run(requests[i]);
    CHECK(row.model == requests[i].model);
    CHECK(row.config == requests[i].machine.config);
    CHECK(row.exit_code == 0);
    REQUIRE(row.figures);
    CHECK(row.figures->cycles == alone.report.cycles);
    CHECK(row.figures->check == "match");
  }
  CHECK(table.rows[4].exit_code == 2);
  CHECK_FALSE(table.rows[4].figures);
  CHECK_THAT(table.rows[4].error, StartsWith("missing.tosa: "));
}

TEST_CASE("A row says why its run went wrong") {
  const tests::TemporaryDirectory folder;
  package::Package package = compile({.model = tests::demo_file()}).package.value();
  const std::string stuck = (folder / "stuck.vnpu").string(), wrong = (folder / "wrong.vnpu").string();
  for (std::byte& byte : package.image.at(0).bytes) byte ^= std::byte{0x15};
  base::write_file(wrong, package::to_bytes(package));
  package.image.clear();
  base::write_file(stuck, package::to_bytes(package));
  const report::RunTable table = run_several({RunRequest{.model = wrong}, RunRequest{.model = stuck}});
  CHECK(table.rows[0].exit_code == 3);
  CHECK_THAT(table.rows[0].first_difference, StartsWith("tensor '"));
  CHECK(table.rows[1].exit_code == 4);
  CHECK_FALSE(table.rows[1].figures);
  CHECK_THAT(table.rows[1].error, StartsWith(stuck + ": the simulated machine stopped at cycle "));
}

TEST_CASE("interleave: jobs of two networks on one machine are all done, and equal to the reference") {
  const tests::TemporaryDirectory folder;
  const std::string json = (folder / "jobs.json").string();
  InterleaveRequest request{.models = {tests::demo_file(), other_network()}, .inferences = 3, .report_files = {json}};
  request.machine.sram_bytes = 1 << 20;
  const InterleaveResult result = interleave(request);
  CHECK(result.verdict() == Verdict::Good);
  CHECK_FALSE(result.failure);
  REQUIRE(result.table.networks.size() == 2);
  for (const report::JobNetwork& network : result.table.networks) {
    CHECK(network.jobs_done == 3);
    CHECK(network.jobs_different == 0);
    CHECK(network.stream_cycles > 0);
  }
  CHECK(result.table.is_checked);
  CHECK(base::read_text_file(json) == report::to_json(result.table));
  CHECK_THROWS_AS(interleave({}), base::UserError);
}

TEST_CASE("A run tells what it does, and a sink that throws interrupts it, and no file is left") {
  const tests::TemporaryDirectory folder;
  RunRequest request{.model = tests::demo_file()};
  request.report_files = {(folder / "r.json").string()};
  request.output_dir = (folder / "out").string();
  std::vector<std::string> phases;
  Observer observer;
  observer.on_phase = [&](const std::string& text) { phases.push_back(text); };
  CHECK(run(request, observer).verdict() == Verdict::Good);
  CHECK(phases ==
        std::vector<std::string>{"reading " + tests::demo_file(), "compiling", "simulating", "simulating", "checking"});
  fs::remove(folder / "r.json");
  fs::remove_all(folder / "out");
  for (const std::string& last : phases) {
    observer.on_phase = [&](const std::string& text) {
      if (text == last) throw std::runtime_error("interrupted");
    };
    CHECK_THROWS_WITH(run(request, observer), "interrupted");
    CHECK_FALSE(fs::exists(folder / "r.json"));
    CHECK_FALSE(fs::exists(folder / "out"));
  }
  CHECK(run(request).verdict() == Verdict::Good);  // nothing of that is left
}

}  // namespace
}  // namespace vernier::flow
