// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("a network without quantizers is told so, and which of its operators there are not") {
  NetworkBuilder b({1, 2});
  b.output(b.node("Swap", {b.node("Relu", {"x"})}));
  const std::string text = b.complaints();
  CHECK_THAT(text, StartsWith("this network is not quantized: it has no QuantizeLinear and no DequantizeLinear; --encodings "
                              "takes how AIMET quantizes it\nnode 'n_v1' (Swap): is not supported\nsupported are Abs Add "));
  CHECK_THAT(text, !Contains("'n_v0'"));
}

TEST_CASE("all operators that are not supported are listed, with their nodes") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("Einsum", {b.node("mine.Relu", {x})}), 1, 0));
  const std::string text = b.complaints();
  CHECK_THAT(text, StartsWith("node 'n_v2' (mine.Relu): is not supported\n"
                              "node 'n_v3' (Einsum): is not supported\nsupported are Abs Add "));
}

TEST_CASE("what many nodes have in common is told once") {
  NetworkBuilder b({1, 1, 4, 4});
  const std::string x = b.quantized("x", 1, 0);
  for (int i = 0; i < 14; ++i) b.output(b.quantized(b.node("Einsum", {x}), 1, 0));
  for (int i = 0; i < 4; ++i)
    b.output(b.quantized(b.node("MaxPool", {x}, {{"kernel_shape", std::vector<int64_t>{9 + i, 1}}}), 1, 0));
  const std::string text = b.complaints();
  CHECK_THAT(text, StartsWith("node 'n_v2' (Einsum): is not supported\nnode 'n_v5' (Einsum): is not supported\n"
                              "node 'n_v8' (Einsum): is not supported\nnode 'n_v44' (MaxPool): a kernel of 9 "));
  CHECK_THAT(text, Contains("\n11 more nodes (Einsum) are refused for the same reason: 'n_v11', 'n_v14', 'n_v17', 'n_v20', "
                            "'n_v23', 'n_v26', 'n_v29', 'n_v32' and 3 more\n"
                            "1 more node (MaxPool) is refused for the same reason: 'n_v53'\nsupported are Abs Add "));
  CHECK(std::count(text.begin(), text.end(), '\n') == 8);
}

TEST_CASE("an operator that is not supported does not hide what is wrong elsewhere") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("Swap", {x}), 1, 0));
  b.output(b.quantized(b.node("Relu", {x}, {{"alpha", 0.5F}}), 1, 0));
  b.output(b.quantized(b.node("MatMul", {x, b.constant(kFloat, {2, 1}, {1, 2})}), 1, 0));
  CHECK_THAT(b.complaints(), StartsWith("node 'n_v2' (Swap): is not supported\n"
                                        "node 'n_v5' (Relu): attribute 'alpha' is not one of this operator, which has none\n"
                                        "node 'n_v8' (MatMul): the weights 'c6' are not quantized\nsupported are "));
}

TEST_CASE("an attribute that an operator has not is refused, with those that it has") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  const std::string off = b.node("LeakyRelu", {x}, {{"alhpa", 0.5F}});
  b.output(b.quantized(b.node("Relu", {off}, {{"alpha", 0.5F}}), 1, 0));
  CHECK(b.complaints() ==
        "node 'n_v2' (LeakyRelu): attribute 'alhpa' is not one of this operator, allowed are alpha\n"
        "node 'n_v3' (Relu): attribute 'alpha' is not one of this operator, which has none");
}

TEST_CASE("mistakes of several nodes are told at once, what follows from one is not told again") {
  NetworkBuilder b({1, 1, 4, 4});
  const std::string x = b.quantized("x", 1, 0);
  const std::string bad = b.node("MaxPool", {x}, {{"kernel_shape", std::vector<int64_t>{9, 9}}});
  b.output(b.quantized(bad, 1, 0));
  b.output(b.quantized(b.node("Concat", {x, x}, {{"axis", int64_t{7}}}), 1, 0));
  CHECK(b.complaints() ==
        "node 'n_v2' (MaxPool): a kernel of 9 does not fit on an input of 4 with its padding\n"
        "node 'n_v5' (Concat): axis 7 is outside of rank 4");
}

TEST_CASE("values that lack a quantizer are named") {
  NetworkBuilder b({1, 2});
  const std::string w = b.weights({2, 2}, {1, 2, 3, 4}, {1});
  b.output(b.quantized(b.node("MatMul", {"x", w}), 1, 0));
  CHECK_THAT(b.complaints(), StartsWith("node 'n_v1' (MatMul): input 'x' is not quantized, expected a quantizer"));
  NetworkBuilder c({1, 2});
  c.output(c.node("MatMul", {c.quantized("x", 1, 0, kInt16), c.weights({2, 2}, {1, 2, 3, 4}, {1})}));
  CHECK(c.lowered().boundary.outputs.at(0).steps.back().kind == package::HostOperator::MatMul);  // sums of 48 bits
  NetworkBuilder d({1, 2});
  d.output(d.quantized(d.node("MatMul", {d.quantized("x", 1, 0), d.constant(kFloat, {2, 1}, {1, 2})}), 1, 0));
  CHECK(d.complaints() == "node 'n_v2' (MatMul): the weights 'c2' are not quantized");
  NetworkBuilder e({1, 2});
  const std::string x = e.quantized("x", 1, 0);
  e.output(e.quantized(e.node("MatMul", {e.node("Sigmoid", {x}), e.weights({2, 1}, {1, 2}, {1})}), 1, 0));
  CHECK(e.complaints() == "node 'n_v4' (MatMul): 'v2' is not quantized after the function that gives it");
}

TEST_CASE("each operand of Concat has a quantizer") {
  for (size_t position = 0; position < 3; ++position) {
    CAPTURE(position);
    NetworkBuilder b({1, 2});
    const std::string x = b.quantized("x", 1, 0);
    std::vector<std::string> operands(3, x);
    operands[position] = "x";
    b.output(b.quantized(b.node("Concat", operands, {{"axis", int64_t{1}}}), 1, 0));
    CHECK_THAT(b.complaints(), StartsWith("node 'n_v2' (Concat): 'x' is not quantized"));
  }
}

TEST_CASE("formats that the machine does not have") {
  const auto complaint = [](double scale, double zero_point, NumberType type) {
    NetworkBuilder b({1, 2});
    const std::vector<std::string> inputs{"x", b.constant(kFloat, {}, {scale}), b.constant(type, {}, {zero_point})};
    b.output(b.node("QuantizeLinear", inputs));
    return b.complaints();
  };
  CHECK(complaint(1, 0, kInt8).empty());
  CHECK_THAT(complaint(0, 0, kInt8), Contains("the scale 'c0' holds 0, allowed are finite numbers above 0"));
  CHECK_THAT(complaint(-1, 0, kInt8), Contains("holds -1"));
  CHECK_THAT(complaint(1e300, 0, kInt8), Contains("holds inf"));
  CHECK(complaint(1, 1, kInt16).empty());
  CHECK(complaint(1, 0, {false, 16, false}).empty());
  CHECK_THAT(complaint(1, 0, kInt32), Contains("'x' becomes codes of 32 bits, allowed for what is computed are 8 and 16"));
}

TEST_CASE("numbers of another type than float32, and blocks, are refused") {
  const auto complaint = [](const std::string& attribute, int64_t value) {
    NetworkBuilder b({2, 4});
    const std::vector<std::string> format{b.constant(kFloat, {}, {1}), b.constant(kInt8, {}, {0})};
    const std::string codes = b.node("QuantizeLinear", {"x", format[0], format[1]});
    b.output(b.node("DequantizeLinear", {codes, format[0], format[1]}, {{attribute, value}}));
    return b.complaints();
  };
  CHECK(complaint("output_dtype", 1).empty());
  CHECK_THAT(complaint("output_dtype", 10), Contains("attribute output_dtype is 10, allowed are 0 and 1 (FLOAT)"));
  CHECK_THAT(complaint("block_size", 2), Contains("attribute block_size is 2: 2 codes on axis 1 of [2, 4] share a scale"));
}

TEST_CASE("constants that are no codes of their quantizer") {
  const auto complaint = [](const base::Shape& shape, const std::vector<double>& codes, NumberType type,
                            NumberType zero_type) {
    NetworkBuilder b({1, 2});
    const std::vector<std::string> inputs{b.constant(type, shape, codes), b.constant(kFloat, {}, {1}),
                                          b.constant(zero_type, {}, {0})};
    b.output(b.quantized(b.node("MatMul", {b.quantized("x", 1, 0), b.node("DequantizeLinear", inputs)}), 1, 0));
    return b.complaints();
  };
  CHECK(complaint({2, 1}, {1, 2}, kInt8, kInt8).empty());
  CHECK_THAT(complaint({2, 1}, {1, 2000}, kInt64, kInt8), Contains("'c0' is int64, the zero point int8: expected one type"));
  CHECK_THAT(complaint({2, 1}, {1, 2}, kInt64, kInt64),
             Contains("the codes are int64, allowed are integers of up to 32 bits"));
  CHECK_THAT(complaint({2, 1}, {1, 2}, kInt16, kInt16), Contains("have 16 bits, allowed are up to 8"));
  CHECK_THAT(complaint({2, 0}, {}, kInt8, kInt8), Contains("'v2' [2, 0] has a dimension of 0"));
}

TEST_CASE("open dimensions: the first one is filled, others are refused") {
  NetworkBuilder b({-1, 3});
  b.output(b.quantized("x", 1, 0));
  const import::ImportResult one = b.lowered();
  REQUIRE(one.graph);
  CHECK(one.graph->tensor(one.graph->inputs[0]).shape == base::Shape{1, 3});
  CHECK(one.open_inputs == std::vector<std::string>{"x"});
  const import::ImportResult five = b.lowered({ir::kLevel8k, {5, {}}});
  REQUIRE(five.graph);
  CHECK(five.graph->tensor(five.graph->inputs[0]).shape == base::Shape{5, 3});
  NetworkBuilder c({1, -1});
  c.output(c.quantized("x", 1, 0));
  CHECK(c.complaints() ==
        "dimension 1 of graph input 'x' is open (-1), allowed without --shape is the first one only: --shape x=AxBxC gives "
        "the "
        "sizes");
}

TEST_CASE("small files do not make us allocate much") {
  constexpr int64_t kHuge = int64_t{1} << 40;
  NetworkBuilder b({1, kHuge, kHuge, kHuge});
  b.output(b.quantized("x", 1, 0));
  CHECK_THAT(b.complaints(), Contains("is larger than the machine's memory"));
  NetworkBuilder pool({1, 64, 4096, 4096});
  pool.output(pool.quantized(pool.node("GlobalAveragePool", {pool.quantized("x", 1, 0)}), 1, 0));
  CHECK_THAT(pool.complaints(), Contains("a window of [4096, 4096] on 64 channels is too large"));
  NetworkBuilder pad({1, 2});
  const std::string pads = pad.constant(kInt64, {4}, {0, 1 << 30, 0, 1 << 30});
  pad.output(pad.node("Pad", {pad.node("Pad", {pad.quantized("x", 1, 0), pads}), pads}));
  CHECK_THAT(pad.complaints(), Contains("is larger than the machine's memory"));
}
