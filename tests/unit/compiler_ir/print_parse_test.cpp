// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/graph.hpp"
#include "hw/base/checksum.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier {

namespace {

using tests::ElementType;
using tests::GraphBuilder;

void check_equal(const ir::Graph& a, const ir::Graph& b) {
  REQUIRE(a.tensors.size() == b.tensors.size());
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    INFO("tensor " << i);
    CHECK(a.tensors[i].name == b.tensors[i].name);
    CHECK(a.tensors[i].type == b.tensors[i].type);
    CHECK(a.tensors[i].shape == b.tensors[i].shape);
    REQUIRE((a.tensors[i].constant == nullptr) == (b.tensors[i].constant == nullptr));
    if (a.tensors[i].constant) CHECK(*a.tensors[i].constant == *b.tensors[i].constant);
  }
  REQUIRE(a.operators.size() == b.operators.size());
  for (size_t i = 0; i < a.operators.size(); ++i) {
    INFO("operator " << i);
    CHECK(a.operators[i].kind == b.operators[i].kind);
    CHECK(a.operators[i].attributes == b.operators[i].attributes);
    CHECK(a.operators[i].inputs == b.operators[i].inputs);
    CHECK(a.operators[i].outputs == b.operators[i].outputs);
    CHECK(a.operators[i].location == b.operators[i].location);
  }
  CHECK(a.inputs == b.inputs);
  CHECK(a.outputs == b.outputs);
}

void check_round_trip(const ir::Graph& graph) {
  const std::string text = ir::print(graph);
  const ir::Graph again = ir::parse("printed", text);
  check_equal(graph, again);
  CHECK(ir::print(again) == text);
}

/// The parser's complaint about `text`, "" when there is none.
std::string parse_complaint(const std::string& text) {
  try {
    ir::parse("f", text);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("printing and parsing give the same graph, constants, attributes and odd names included") {
  GraphBuilder b;
  const auto x = b.input("in put \"0\"; \\ \xc3\xa9\n(x) -> y @", ElementType::Int8, {1, 4, 4, 2});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {3, 2, 2, 2}, 1), "a:b/c.d_1");
  b.set_location("conv;\"quoted\"\\");
  const auto y = b.conv2d(x, w, b.constant(ElementType::Int32, {1}, {-5}), {.pad = {1, 0, 0, 1}, .input_zp = -3});
  const auto r = b.rescale(y, ElementType::Int8,
                           {.multipliers = {1 << 30, 1, 77},
                            .shifts = {31, 40, 2},
                            .output_zp = 9,
                            .attributes = {.rounding = spec::Rounding::HalfEven}});
  b.set_location("");
  const auto c = b.clamp(r, -128, 127);
  const auto p = b.avg_pool2d(c, {4, 4}, {});
  const auto s = b.reshape(p, {3});
  const auto z = b.binary(ir::OpKind::ArithmeticRightShift, s, s, ir::ShiftAttributes{true});
  const auto t = b.slice(b.reduce(ir::OpKind::ReduceMax, z, 0), {0}, {1});
  const auto scalar = b.reshape(t, {});
  check_round_trip(b.build({scalar, x, scalar}));
}

TEST_CASE("every element type and attribute alternative survives printing") {
  ir::Graph graph;
  const std::vector<ElementType> types{ElementType::Bool,  ElementType::Int4,  ElementType::Int8, ElementType::Int16,
                                       ElementType::Int32, ElementType::Int48, ElementType::Shape};
  for (size_t i = 0; i < types.size(); ++i) {
    const auto value = tests::random_tensor(types[i], {5}, i);
    graph.tensors.push_back({fmt::format("c{}", i), types[i], {5}, std::make_shared<const base::Tensor>(value)});
    graph.tensors.push_back({fmt::format("x{}", i), types[i], {}, nullptr});
  }
  graph.tensors.push_back(
      {"", ElementType::Shape, {0}, std::make_shared<const base::Tensor>(ElementType::Shape, base::Shape{0})});
  graph.operators.push_back(
      {ir::OpKind::TransposeConv2d, ir::TransposeConvAttributes{{-1, 0, 1, 2}, {1, 2}, ElementType::Int48}, {0}, {1}, ""});
  graph.operators.push_back(
      {ir::OpKind::MaxPool2d, ir::PoolAttributes{{1, 2}, {}, {3}, ElementType::Int32}, {}, {3, 5}, ""});
  graph.operators.push_back({ir::OpKind::Transpose, ir::TransposeAttributes{{1, 0}}, {0, 2, 4}, {7}, "l"});
  graph.operators.push_back({ir::OpKind::Resize, ir::ResizeAttributes{true}, {0}, {9}, ""});
  graph.operators.push_back({ir::OpKind::Concat, ir::AxisAttributes{INT64_MIN}, {0}, {11}, ""});
  graph.operators.push_back({ir::OpKind::Cast, {}, {0}, {13}, ""});
  check_round_trip(graph);
}

TEST_CASE("the parser names file, line and column of what it does not understand") {
  const std::string start = "vernier-ir 1\n";
  CHECK(parse_complaint("") == "f: empty, expected 'vernier-ir 1' in the first line");
  CHECK(parse_complaint("vernier-ir 2\n") == "f: line 1, column 1: expected 'vernier-ir 1'");
  CHECK(parse_complaint(start + "# note\n\n") == "");
  CHECK(parse_complaint(start + "nonsense x\n") ==
        "f: line 2, column 9: 'nonsense' is neither tensor, variable, input, output, region nor an operator of TOSA 1.0");
  CHECK(parse_complaint(start + "tensor x int9[1]\n") == "f: line 2, column 14: unknown element type 'int9'");
  CHECK(parse_complaint(start + "tensor x int8[1] = 0x1\n") ==
        "f: line 2, column 20: the constant's 1 digits do not fill int8[1]");
  CHECK(parse_complaint(start + "tensor x int8[9000000000000000000, 9] = 0x11\n") != "");
  CHECK(parse_complaint(start + "tensor x int8[-1] = 0x\n") != "");
  CHECK(parse_complaint(start + "tensor x int4[1] = 0x70\n") == "f: line 2, column 24: element 0 is no int4");
  CHECK(parse_complaint(start + "tensor x int8[1] = 0x1g\n") ==
        "f: line 2, column 22: expected hexadecimal digits, 0 to 9 and a to f");
  CHECK(parse_complaint(start + "tensor x int8[1]\ntensor x int8[1]\n") ==
        "f: line 3, column 17: tensor 'x' is declared twice");
  CHECK(parse_complaint(start + "input x\n") == "f: line 2, column 8: tensor 'x' is not declared");
  CHECK(parse_complaint(start + "tensor \"x int8[1]\n") == "f: line 2, column 18: expected '\"'");
  CHECK(parse_complaint(start + "tensor \"\\q\" int8[1]\n") != "");
  CHECK(parse_complaint(start + "tensor x int8[99999999999999999999]\n") ==
        "f: line 2, column 15: expected an integer of 64 bits");
  CHECK(parse_complaint(start + "tensor x int8[1]\nCLAMP(x) -> (x)\n") == "f: line 3, column 16: expected '{'");
  CHECK(parse_complaint(start + "tensor x int8[1]\nCLZ(x) -> ()\n") == "f: line 3, column 13: an operator needs a result");
  CHECK(parse_complaint(start + "tensor x int8[1]\nCLZ(x) -> (x) more\n") ==
        "f: line 3, column 15: expected the end of the line");
}

TEST_CASE("no cut of a printed graph crashes the parser") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {2, 3});
  const std::string text = ir::print(b.build({b.rescale(x, ElementType::Int8, {})}));
  for (size_t size = 0; size < text.size(); ++size) parse_complaint(text.substr(0, size));
  for (size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 5);
    parse_complaint(changed);
  }
}

TEST_CASE("shortened: the first elements of a long constant, its number of elements and its CRC-32") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 3, 3, 1});
  const base::Tensor nine = tests::make_tensor(ElementType::Int8, {1, 3, 3, 1}, {-4, -3, -2, -1, 0, 1, 2, 3, 4});
  b.constant(ElementType::Int32, {2}, {5, -6}, "two");
  const ir::Graph graph = b.build_unverified({b.binary(ir::OpKind::Maximum, x, b.constant(nine, "nine"))});
  const std::string text = ir::print_shortened(graph), whole = ir::print(graph);
  const std::string crc = fmt::format("{:08x}", base::crc32(nine.bytes()));
  CHECK_THAT(text, Catch::Contains("tensor nine int8[1, 3, 3, 1] = -4, -3, -2, -1, 0, 1, 2, 3, ... (9 elements, CRC-32 " +
                                   crc + ")\n"));
  CHECK_THAT(text, Catch::Contains("tensor two int32[2] = 5, -6\n"));
  CHECK(text.substr(text.find("\noutput")) == whole.substr(whole.find("\noutput")));
}

}  // namespace vernier
