// SPDX-License-Identifier: Apache-2.0
// What an import gives beside the graph: names of layers, and every mistake of a step at once.
#include "tests/unit/compiler_import/tosa_file_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace vernier {

using import::Finding;
using tests::one_operator;
using tests::TosaFileBuilder;
using tests::two_operators;
using tosa::DType;
using tosa::Op;

namespace {

void locate(TosaFileBuilder& file, size_t op, const std::string& text) {
  file.block().operators[op]->location = std::make_unique<tosa::OpLocationT>();
  file.block().operators[op]->location->text = text;
}

}  // namespace

TEST_CASE("a good file gives a graph, the names of its layers and no findings") {
  TosaFileBuilder file = two_operators();
  locate(file, 1, "loc(\"conv1/Relu\"(\"f.tflite\":0:0))");
  const import::ImportResult result = file.result();
  REQUIRE(result.graph);
  CHECK(result.names == std::vector<std::string>{"t", "conv1/Relu"});
  CHECK(result.findings.empty());
  CHECK(result.is_whole_tosa);
}

TEST_CASE("a file in which something is open says less than its graph") {
  TosaFileBuilder file = one_operator(Op::ABS, {-1, 2}, DType::INT32);
  CHECK_FALSE(file.result().is_whole_tosa);
  file.block().tensors[0]->shape = {1, 2};
  CHECK(file.result().open_inputs.empty());
  CHECK_FALSE(file.result().is_whole_tosa);
  file.block().tensors[1]->shape = {1, 2};
  CHECK(file.result().is_whole_tosa);
}

TEST_CASE("all operators that are not there are told at once, with their layers") {
  TosaFileBuilder file = two_operators();
  file.block().operators[0]->op = Op::CUSTOM;
  file.block().operators[1]->op = Op::SIN;
  locate(file, 0, "loc(\"choice\")");
  const import::ImportResult result = file.result();
  CHECK_FALSE(result.graph);
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].severity == Finding::Severity::Error);
  CHECK_THAT(result.findings[0].text, Catch::StartsWith("f: operator CUSTOM at 'choice' is not there yet, supported are "));
  CHECK_THAT(result.findings[1].text, Catch::StartsWith("f: operator SIN is floating point"));
  CHECK(file.complaint() == result.findings[0].text + "\n" + result.findings[1].text);
}

TEST_CASE("mistakes in operands and attributes are told at once") {
  TosaFileBuilder file = one_operator(Op::CLAMP, {2}, DType::INT8);
  file.tensor("z", {2}, DType::INT8);
  file.op(Op::RESCALE, {"nowhere"}, {"z"});
  file.block().outputs.emplace_back("elsewhere");
  CHECK(file.complaint() ==
        "f: CLAMP carries no attributes [WrongAttribute]\nf: RESCALE names tensor 'nowhere', which is not declared "
        "[WrongInputList]\n"
        "f: the list of graph outputs names tensor 'elsewhere', which is not declared [WrongOutputList]");
}

TEST_CASE("mistakes in shapes and types are told at once") {
  TosaFileBuilder file = two_operators();
  file.block().tensors[1]->shape = {2, 4};
  CHECK(file.complaint() ==
        "f: ABS 't': the result is declared [2, 4], the operands give [2, 3] [DimensionMismatch]\n"
        "f: CLZ 'y': the result is declared [2, 3], the operands give [2, 4] [DimensionMismatch]");
  file.block().tensors[1]->shape = {0, 4};
  file.block().tensors[2]->shape = {1, 1, 1, 1, 1, 1, 1};
  CHECK(file.complaint() ==
        "f: ABS 't': the result is declared [0, 4], the operands give [2, 3] [DimensionMismatch]\n"
        "f: tensor 'y' has rank 7, level 8K allows 0 to 6 [WrongRank]");
}

TEST_CASE("equal lines are told once, and a hundred at most") {
  TosaFileBuilder file;
  file.input("x", {1}, DType::INT32);
  for (int i = 0; i < 300; ++i) {
    file.tensor(fmt::format("y{}", i), {1}, DType::INT32);
    file.op(Op::SIN, {"x"}, {fmt::format("y{}", i)});
  }
  file.block().outputs = {"x"};
  CHECK(file.result().findings.size() == 1);
  for (size_t i = 0; i < 300; ++i) locate(file, i, fmt::format("loc(\"layer {}\")", i));
  const import::ImportResult result = file.result();
  REQUIRE(result.findings.size() == ir::kMostMistakes + 1);
  CHECK_THAT(result.findings[99].text, Catch::StartsWith("f: operator SIN at 'layer 99' "));
  CHECK(result.findings.back().text == "f: there are more mistakes than these 100");
  for (const auto& op : file.block().operators) op->op = Op::TABLE;
  CHECK(file.result().findings.size() == ir::kMostMistakes);
}

}  // namespace vernier
