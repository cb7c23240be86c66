// SPDX-License-Identifier: Apache-2.0
// Does the harness see what it has to see? Blocks in C++, so that this is tested without Verilator too.
#include "hw/base/error.hpp"
#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/model_block.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr int64_t kVectors = 2000;

std::string ports_of(std::string_view unit) { return unit == "table" ? "look" : "scale"; }

CosimReport run(std::string_view unit, Flaw flaw, int lanes = 8) {
  const CosimOptions options{std::string(unit), "v64", lanes, kVectors, 7};
  return run_cosim(options, make_model_block("npu_" + std::string(unit) + "_unit", lanes, flaw));
}

}  // namespace

TEST_CASE("a block that does what the model does matches, in value and edge, with stalls and resets between") {
  for (const std::string_view unit : {"rescale", "table"}) {
    for (const int lanes : {8, 16, 32}) {
      const CosimReport report = run(unit, Flaw::None, lanes);
      INFO(cosim_text(report));
      CHECK(report.result.vectors == kVectors);
      CHECK(report.result.mismatches == 0);
      CHECK(report.result.cycle_mismatches == 0);
      CHECK(report.result.rtl_cycles == report.result.model_cycles);
    }
  }
}

TEST_CASE("zeros, and results a cycle late or early, fail every vector") {
  for (const std::string_view unit : {"rescale", "table"}) {
    const CosimReport zeros = run(unit, Flaw::Zeros);
    CHECK(zeros.result.mismatches >= kVectors);
    CHECK(zeros.result.cycle_mismatches == 0);
    for (const Flaw flaw : {Flaw::Late, Flaw::Early}) {
      const CosimReport report = run(unit, flaw);
      CHECK(report.result.vectors == kVectors);
      CHECK(report.result.mismatches >= kVectors);
      CHECK(report.result.cycle_mismatches >= kVectors);
    }
    CHECK_THAT(run(unit, Flaw::Late).result.first_text(),
               Contains(ports_of(unit) + "_valid_o 1 cycle later than hw/spec says"));
  }
}

TEST_CASE("handshakes and resets that go wrong are seen") {
  for (const std::string_view unit : {"rescale", "table"}) {
    CHECK(run(unit, Flaw::NoHold).result.mismatches > 0);
    CHECK(run(unit, Flaw::FollowsEn).result.mismatches > 0);
    CHECK(run(unit, Flaw::SurvivesReset).result.mismatches > 0);
    CHECK(run(unit, Flaw::SyncReset).result.mismatches > 0);
    CHECK(run(unit, Flaw::WrongTag).result.mismatches >= kVectors / 100);
  }
}

TEST_CASE("outputs that were held say which of them has moved, and in which lane") {
  ClockedBlock block(make_model_block("npu_rescale_unit", 8, Flaw::None), *spec::rtl_block_of_unit("rescale"), 8);
  HeldPorts held(block);
  CHECK_FALSE(held.moved());  // nothing is held
  held.hold();
  CHECK_FALSE(held.moved());
  block.port("scale_result_o").set_field(3, 32, 1);
  CHECK(held.moved().value() == HeldPorts::Place{"scale_result_o", 3});
  block.port("scale_tag_o").set(128);
  CHECK(held.moved().value() == HeldPorts::Place{"scale_tag_o", -1});
  held.forget();
  CHECK_FALSE(held.moved());
}

TEST_CASE("each message names unit and port") {
  const auto first_of = [](std::string_view unit, Flaw flaw) { return run(unit, flaw).result.first_text(); };
  for (const std::string_view unit : {"rescale", "table"}) {
    const std::string begin = fmt::format("npu_{}_unit, ", unit), port = ports_of(unit);
    for (const Flaw flaw : {Flaw::Zeros, Flaw::Late, Flaw::Early, Flaw::NoResult, Flaw::NoHold, Flaw::FollowsEn,
                            Flaw::SurvivesReset, Flaw::WrongTag}) {
      INFO(static_cast<int>(flaw));
      CHECK_THAT(first_of(unit, flaw), StartsWith(begin) && Contains(port + "_"));
    }
    CHECK_THAT(first_of(unit, Flaw::SurvivesReset),
               StartsWith(begin + "cycle ") && Contains(port + "_valid_o is 1 while rst_ni is low, before an edge"));
    CHECK_THAT(first_of(unit, Flaw::SyncReset), StartsWith(begin + "cycle ") &&
                                                    Contains(unit == "table" ? "slot_format_o is " : "scale_valid_o is 1") &&
                                                    Contains(" while rst_ni is low, before an edge"));
    CHECK_THAT(first_of(unit, Flaw::WrongTag), Contains(port + "_tag_o: tag "));
  }
}

TEST_CASE("a slot of tables that a reset does not empty is seen, whichever it is") {
  for (const Flaw flaw : {Flaw::KeepsSlot0, Flaw::KeepsSlot1}) {
    const CosimReport report = run("table", flaw);
    INFO(cosim_text(report));
    REQUIRE(report.result.mismatches > 0);
    CHECK_THAT(report.result.first_text(),
               StartsWith("npu_table_unit, cycle ") && Contains("slot_format_o is ") && Contains(" while rst_ni is low"));
  }
}

TEST_CASE("a slot that is full again after a reset is seen before the first word of its next table") {
  const CosimReport report = run("table", Flaw::HidesSlot0);
  REQUIRE(report.result.mismatches > 0);
  CHECK_THAT(report.result.first_text(),
             Contains(", slot_format_o: expected 0, actual ") && Contains(": slot 0 in the low 3 bits"));
}

TEST_CASE("results that never come are mismatches of their vectors") {
  const CosimReport report = run("rescale", Flaw::NoResult);
  CHECK(report.result.vectors == kVectors);
  CHECK(report.result.mismatches >= kVectors);
  CHECK_THAT(report.result.first_text(), Contains("scale_valid_o: the result is missing"));
}

TEST_CASE("a port that never takes a beat is a hang that names who waits") {
  CHECK_THROWS_WITH(run("table", Flaw::NotReady),
                    Contains("no handshake on any port since cycle") && Contains("waits for tbl_ready_o"));
}

TEST_CASE("a mismatch names vector, cycle, port, lane, both values and the operands on their way") {
  const std::string text = run("rescale", Flaw::Zeros).result.first_text();
  for (const char* part : {"vector 0, cycle ", "scale_result_o lane ", "expected ", "actual 0", "multiplier ", "shift ",
                           "product ", "shifted ", "biased "}) {
    CHECK_THAT(text, Contains(part));
  }
  CHECK_THAT(run("table", Flaw::Zeros).result.first_text(), Contains("look_result_o lane ") && Contains("operand "));
}

TEST_CASE("the same seed gives the same run, another one another") {
  CosimOptions options{"rescale", "v64", 8, 500, 1};
  const auto cycles_of = [&options] {
    return run_cosim(options, make_model_block("npu_rescale_unit", 8, Flaw::None)).result.rtl_cycles;
  };
  const int64_t first = cycles_of();
  CHECK(cycles_of() == first);
  options.seed = 2;
  CHECK(cycles_of() != first);
}

TEST_CASE("units and numbers of vectors that do not exist are refused") {
  CHECK_THROWS_WITH(run_cosim({"agu", "v256", 16, 100, 1}),
                    Contains("cosim: 'agu' is not one of rescale, table, mac_array, datapath, vector"));
  for (const int64_t vectors : {int64_t{0}, int64_t{-1}, kMaxVectors + 1}) {
    CHECK_THROWS_WITH(run_cosim({"rescale", "v256", 16, vectors, 1}), Contains("allowed are 1 to 1000000000"));
  }
}

TEST_CASE("the report in JSON has the fields of vernier-cosim/1") {
  const std::string json = cosim_json(run("rescale", Flaw::Zeros), "1.2");
  for (const char* key :
       {"\"schema\": \"vernier-cosim/1\"", "\"unit\": \"rescale\"", "\"vectors\": 2000",
        "\"mismatches\": ", "\"model_cycles\": ", "\"rtl_cycles\": ", "\"cycle_mismatches\": 0", "\"commands_compared\": 0",
        "\"commands_without_rtl\": 0", "\"coverage_percent\": ", "\"config\": \"v64\"", "\"seed\": 7", "\"groups\": ["}) {
    CHECK_THAT(json, Contains(key));
  }
}

TEST_CASE("a run says how far it is, from its start on") {
  CosimOptions options{"rescale", "v64", 8, 5 * kProgressVectors, 7};
  std::vector<int64_t> told;
  options.progress = [&](const LockStepResult& so_far) { told.push_back(so_far.vectors); };
  run_cosim(options, make_model_block("npu_rescale_unit", 8, Flaw::None));
  CHECK(told == std::vector<int64_t>{0, 1000, 2000, 3000, 4000});
}
