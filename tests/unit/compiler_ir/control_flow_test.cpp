// SPDX-License-Identifier: Apache-2.0
// COND_IF and WHILE_LOOP: what the verifier says of them, and of what stands in their regions.
#include "hw/base/error.hpp"
#include "tests/support/control_flow_graphs.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using Catch::EndsWith;
using tests::complaint;
using tests::kBranchText;
using tests::kLoopText;

namespace {

/// The text with the first `from` replaced, as a graph that nobody has looked at.
ir::Graph changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return ir::parse("graph", text.replace(at, from.size(), to));
}

/// The same, of the last one.
ir::Graph changed_last(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.rfind(from);
  REQUIRE(at != std::string::npos);
  return ir::parse("graph", text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("graphs with control flow are printed and parsed") {
  for (const std::string& text : {kBranchText, kLoopText}) {
    const ir::Graph graph = ir::parse("graph", text);
    CHECK(complaint(graph) == "");
    CHECK(ir::has_control_flow(graph));
    CHECK(graph.regions.size() == 2);
    CHECK(ir::print(graph) == text);
  }
  CHECK_FALSE(ir::has_control_flow(ir::parse("graph", kBranchText).regions[0].graph));
  CHECK(ir::find_region(ir::parse("graph", kLoopText), "step") != nullptr);
  CHECK(ir::find_region(ir::parse("graph", kLoopText), "nothing") == nullptr);
  CHECK_THROWS_WITH(ir::parse("graph", kBranchText + "region less\n"), EndsWith("region 'less' is there twice"));
}

TEST_CASE("each rule of COND_IF") {
  CHECK_THAT(complaint(changed(kBranchText, "tensor go bool[1]", "tensor go int8[1]")),
             EndsWith("the condition 'go' is int8, needed is bool [CondIfCondNotMatchingBool]"));
  CHECK_THAT(complaint(changed(kBranchText, "tensor go bool[1]", "tensor go bool[2]")),
             EndsWith("the condition 'go' [2] has 2 elements, needed is 1 [CondIfCondShapeNotSizeOne]"));
  CHECK(complaint(changed(kBranchText, "tensor go bool[1]", "tensor go bool[1, 1, 1, 1, 1, 1]")) == "");
  CHECK_THAT(
      complaint(changed(kBranchText, "tensor x int32[2]", "tensor x int32[1]")),
      EndsWith("the operands are int32[1], the inputs of then_graph are int32[2] [CondIfInputListThenGraphMismatch]"));
  CHECK_THAT(complaint(changed_last(kBranchText, "tensor a int32[2]", "tensor a int32[1]")),
             EndsWith("the inputs of else_graph are int32[1] [CondIfInputListElseGraphMismatch]"));
  CHECK_THAT(
      complaint(changed(kBranchText, "tensor y int32[2]", "tensor y int32[3]")),
      EndsWith("the results are int32[3], the outputs of then_graph are int32[2] [CondIfOutputListThenGraphMismatch]"));
  CHECK_THAT(complaint(changed(kBranchText, "output difference", "output difference\noutput a")),
             EndsWith("the outputs of else_graph are int32[2], int32[2] [CondIfOutputListElseGraphMismatch]"));
  CHECK_THAT(complaint(changed(kBranchText, "COND_IF(go, x)", "COND_IF(go, x, x)")),
             EndsWith("the operands are int32[2], int32[2], the inputs of then_graph are int32[2] "
                      "[CondIfInputListThenGraphMismatch]"));
  CHECK_THAT(complaint(changed(kBranchText, "COND_IF(go, x)", "COND_IF()")),
             EndsWith("it has no condition [WrongInputList]"));
  CHECK_THAT(complaint(changed(kBranchText, "else_graph = less", "else_graph = nowhere")),
             EndsWith("region 'nowhere' does not exist [WrongAttribute]"));
}

TEST_CASE("each rule of WHILE_LOOP") {
  CHECK_THAT(complaint(changed(kLoopText, "tensor q_end int32[1]", "tensor q_end int8[1]")),
             EndsWith("the results are int32[1], int32[1], int8[1] [InputListOutputListMismatch]"));
  CHECK_THAT(complaint(changed(kLoopText, "tensor b int32[1]", "tensor b int32[2]")),
             EndsWith("the inputs of cond_graph are int32[1], int32[1], int32[2] [InputListCondGraphMismatch]"));
  CHECK_THAT(complaint(changed_last(kLoopText, "tensor b int32[1]", "tensor b int32[2]")),
             EndsWith("the inputs of body_graph are int32[1], int32[1], int32[2] [InputListBodyGraphInputMismatch]"));
  CHECK_THAT(complaint(changed_last(kLoopText, "output sum", "output sum\noutput sum")),
             EndsWith("int32[1], int32[1], int32[1], int32[1] [InputListBodyGraphOutputMismatch]"));
  CHECK_THAT(complaint(changed(kLoopText, "output is_left", "output is_left\noutput is_left")),
             EndsWith("cond_graph has 2 outputs, needed is 1 [CondGraphOutputShapeNotSizeOne]"));
  CHECK_THAT(complaint(changed(kLoopText, "output is_left", "output i")),
             EndsWith("the output of cond_graph 'i' is int32, needed is bool [CondGraphOutputNotMatchingBool]"));
  CHECK_THAT(complaint(changed(kLoopText, "tensor is_left bool[1]", "tensor is_left bool[2]")),
             EndsWith("'is_left' [2] has 2 elements, needed is 1 [CondGraphOutputShapeNotSizeOne]"));
}

TEST_CASE("the length of a list is limited by the level") {
  std::string operands = "go", inputs;
  for (int i = 0; i < 65; ++i) operands += ", x";
  std::string text = kBranchText;
  const auto put = [&](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
  put("COND_IF(go, x)", "COND_IF(" + operands + ")");
  for (const std::string region : {"region more", "region less"}) {
    const size_t begin = text.find("input a\n", text.find(region));
    std::string tensors, list = "input a\n";
    for (int i = 1; i < 65; ++i) {
      tensors += fmt::format("tensor a{} int32[2]\n", i);
      list += fmt::format("input a{}\n", i);
    }
    text.replace(begin, 8, tensors + list);
  }
  CHECK_THAT(complaint(ir::parse("graph", text)),
             EndsWith("a list of 65 tensors, allowed are up to 64 [MaxTensorListExceeded]"));
}

TEST_CASE("a mistake in a region is kept for the time when it runs") {
  // ADD of int8 and int32: of no mode.
  ir::Graph graph = changed(kBranchText, "tensor three int32[1] = 0x03000000", "tensor three int8[1] = 0x03");
  CHECK(complaint(graph) == "");
  ir::judge_regions(graph, "net.tosa", ir::kLevel8k);
  CHECK_THAT(graph.regions[0].mistake, Catch::StartsWith("net.tosa: ADD 'sum': the types are int32 int8 -> int32"));
  CHECK(graph.regions[1].mistake.empty());
  CHECK_NOTHROW(ir::region_to_run(graph, "less", 1));
  CHECK_THROWS_WITH(ir::region_to_run(graph, "more", 1), Catch::StartsWith("net.tosa: ADD 'sum'"));
  CHECK_THROWS_WITH(ir::region_to_run(graph, "less", 7),
                    "less: is run with 7 operators COND_IF and WHILE_LOOP around it, allowed are 6 [MaxNestingExceeded]");
  ir::judge_regions(graph, "net.tosa", ir::kLevelNone);
  CHECK_NOTHROW(ir::region_to_run(graph, "less", 256));
  CHECK_THROWS(ir::region_to_run(graph, "less", 257));
}

TEST_CASE("what no reader of a region could make sense of is a mistake of the file") {
  CHECK(complaint(changed(kBranchText, "output sum\n", "")) != "");
  CHECK_THAT(complaint(changed(kLoopText, "SUB(i, one) -> (next)\nADD(a, b) -> (sum)",
                               "SUB(i, one) -> (next)\nADD(a, sum) -> (sum)")),
             EndsWith("ADD reads tensor 'sum', which nothing before it produces"));
}

}  // namespace vernier
