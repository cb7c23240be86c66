// SPDX-License-Identifier: Apache-2.0
// Runs on the core with its memory: right, wrong in a known way, and refused.
#include "hw/base/error.hpp"
#include "sim/flow/run/run.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;

bool has_core() { return cosim::has_rtl() && cosim::is_built("npu_core_sram", 8); }

RunRequest request_of(const std::string& network) {
  RunRequest request;
  request.model = tests::source_path("tests/golden/networks/" + network + "/model.tosa").string();
  request.machine.config = "v64";
  request.backend = "rtl";
  request.rtl.scope = "core";
  return request;
}

}  // namespace

TEST_CASE("scope core: a network has the model's values, and its commands their edges") {
  if (!has_core()) return;
  const RunResult result = run(request_of("small_classifier"));
  CHECK(result.verdict() == Verdict::Good);
  REQUIRE(result.report.rtl);
  REQUIRE(result.report.rtl->core);
  CHECK(result.report.check.result == "match");
  CHECK(result.report.rtl->core->wrong_bytes == 0);
  CHECK(result.report.rtl->core->commands.size() + 1 == result.report.command_list.size());  // END
}

TEST_CASE("scope core: a wrong result ends the run with 3, and its command and layer are named") {
  if (!has_core()) return;
  RunRequest request = request_of("small_classifier");
  request.rtl.make_own = [](std::string_view unit, int lanes) -> std::unique_ptr<cosim::RtlBlock> {
    CHECK(unit == "core_sram");
    return std::make_unique<cosim::FlawedUnit>(cosim::make_rtl_block("npu_core_sram", lanes),
                                               [lanes](cosim::FlawedUnit& block) {
                                                 // The first word that is read outside has a wrong byte.
                                                 static_cast<uint8_t*>(block.pin("mem_rdata_o").data)[lanes / 2] = 0x55;
                                               });
  };
  const RunResult result = run(request);
  CHECK(result.verdict() == Verdict::Mismatch);
  REQUIRE(result.report.rtl);
  CHECK(result.report.rtl->core->wrong_bytes > 0);
  REQUIRE_FALSE(result.report.rtl->first_mismatches.empty());
  const report::RtlUse::MismatchDetail& detail = result.report.rtl->mismatch_details.back();
  CHECK_THAT(detail.command, Contains("command ") && Contains("layer '"));
  CHECK(detail.unit == "npu_core_sram");
  CHECK(detail.kind == "value");
}

TEST_CASE("scope core: machines and options that it has no part for are refused") {
  RunRequest ports = request_of("small_classifier");
  ports.machine.config = "v256-sram48";
  CHECK_THROWS_WITH(run(ports), Contains("4 read and 2 write ports, found a machine with 2 and 1"));
  RunRequest memory = request_of("small_classifier");
  memory.rtl.memory = "ideal";
  CHECK_THROWS_WITH(run(memory), Contains("--rtl-memory: cannot go with --rtl-scope core"));
  RunRequest sim = request_of("small_classifier");
  sim.backend = "sim";
  CHECK_THROWS_WITH(run(sim), Contains("--rtl-scope: is for --backend rtl"));
}

}  // namespace vernier::flow
