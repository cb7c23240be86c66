// SPDX-License-Identifier: Apache-2.0
// Variables of a graph: printed form and checks.
#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"
#include "tests/support/variable_graphs.hpp"

#include <catch2/catch.hpp>

namespace vernier {
namespace {

using Catch::Matchers::Contains;

std::string text_with(const std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return std::string(text).replace(at, from.size(), to);
}

/// What is wrong with a change of kTotalText; "" for nothing.
std::string mistake(const std::string& from, const std::string& to) {
  const ir::Graph graph = ir::parse("f", text_with(tests::kTotalText, from, to));
  const std::vector<std::string> mistakes = ir::find_mistakes(graph, "f", ir::kLevel8k);
  return mistakes.empty() ? "" : mistakes.front();
}

}  // namespace

TEST_CASE("Variables are printed and read again") {
  for (const std::string& text : {tests::kTotalText, tests::kSwapText, tests::kBranchWithVariableText, tests::kShiftText}) {
    const ir::Graph graph = ir::parse("f", text);
    CHECK(ir::print(graph) == text);
    CHECK(ir::find_mistakes(graph, "f", ir::kLevel8k).empty());
  }
  CHECK_THAT(ir::print_shortened(ir::parse("f", tests::kTotalText)), Contains("variable total int32[2] = 5, 7\n"));
  const auto complaint = [](const std::string& text) {
    try {
      ir::parse("f", text);
      return std::string();
    } catch (const base::UserError& error) {
      return std::string(error.what());
    }
  };
  CHECK_THAT(complaint("vernier-ir 1\nvariable a int8[1]\nvariable a int8[2]\n"), Contains("'a' is declared twice"));
  CHECK_THAT(complaint("vernier-ir 1\nregion r\nvariable a int8[1]\n"), Contains("variables belong to the main graph"));
}

TEST_CASE("What reads and writes a variable has its type and shape") {
  CHECK(mistake("total", "total") == "");
  CHECK(mistake("{variable = total}", "{variable = totals}") ==
        "f: VARIABLE_READ 'before': no variable is named 'totals' [WrongAttribute]");
  CHECK(mistake("variable total int32[2]", "variable total int16[4]") ==
        "f: VARIABLE_READ 'before': variable 'total' is int16[4], 'before' is int32[2] [WrongOutputType]");
  CHECK(mistake("variable total int32[2]", "variable total int32[1, 2]") ==
        "f: VARIABLE_READ 'before': variable 'total' is int32[1, 2], 'before' is int32[2] [RankMismatch]");
  CHECK(mistake("variable total int32[2] = 0x0500000007000000", "variable total int32[3]") ==
        "f: VARIABLE_READ 'before': variable 'total' is int32[3], 'before' is int32[2] [DimensionMismatch]");
  CHECK(mistake("VARIABLE_WRITE(sum)", "VARIABLE_WRITE(sum, x)") ==
        "f: VARIABLE_WRITE 'total/written': 2 operands, needed are 1 [WrongInputList]");
  CHECK(mistake("VARIABLE_READ()", "VARIABLE_READ(x)") ==
        "f: VARIABLE_READ 'before': 1 operands, needed are 0 [WrongInputList]");
  CHECK_THAT(mistake("tensor total/written int32[2]", "tensor total/written int32[3]"), Contains("[DimensionMismatch]"));
  CHECK_THAT(mistake("tensor total/written int32[2]", "tensor total/written int16[2]"), Contains("[WrongOutputType]"));
  CHECK_THAT(mistake("variable total int32[2] = 0x0500000007000000", "variable total int32[0]"),
             Contains("a dimension of 0"));
  CHECK_THAT(mistake("variable total", "variable \"\""), Contains("a variable has no name"));
  ir::Graph graph = ir::parse("f", tests::kSwapText);
  graph.variables[1].name = "a";
  CHECK(ir::find_mistakes(graph, "f", ir::kLevel8k) ==
        std::vector<std::string>{"f: two variables are called 'a', names are unique"});
}

TEST_CASE("A mistake of a region is an error where the region runs") {
  ir::Graph graph = ir::parse("f", text_with(tests::kBranchWithVariableText, "VARIABLE_READ() -> (told) {variable = total}",
                                             "VARIABLE_READ() -> (told) {variable = nobody}"));
  CHECK(ir::find_mistakes(graph, "f", ir::kLevel8k).empty());
  ir::judge_regions(graph, "f", ir::kLevel8k);
  CHECK(graph.regions[0].mistake == "");
  CHECK_THAT(graph.regions[1].mistake, Contains("no variable is named 'nobody'"));
}

}  // namespace vernier
