// SPDX-License-Identifier: Apache-2.0
// Operators of the host at the ends, formats of inputs, and sums as outputs.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/ranges.h>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Codes = std::vector<int64_t>;
using package::HostOperator;
using package::HostStep;

namespace {

import::Options with_format(const import::InputFormat& format){import::Options options;
options.input_formats["x"] = format;
return options;
}  // namespace

std::vector<HostOperator> kinds_of(const std::vector<HostStep>& steps) {
  std::vector<HostOperator> kinds;
  for (const HostStep& step : steps) kinds.push_back(step.kind);
  return kinds;
}

/// A product of x, which has no quantizer, and weights, and a bias: the sums are the output.
NetworkBuilder sums(const std::string& bias_place = "last") {
  NetworkBuilder b({1, 2});
  const std::string product = b.node("MatMul", {"x", b.weights({2, 2}, {1, 2, 3, 4}, {0.5})});
  const std::string bias = b.constant(kFloat, {2}, {1, -2});
  b.output(bias_place == "last" ? b.node("Add", {product, bias}) : b.node("Add", {bias, product}));
  return b;
}

}  // namespace

TEST_CASE("float operators at the ends are steps of the boundary, in the file's order") {
  NetworkBuilder b({1, 3, 2});
  const std::string before = b.node("Sub", {b.constant(kFloat, {}, {1}), b.node("Transpose", {"x"})});
  const std::string codes = b.quantized(before, 0.5, 0);
  b.output(b.node("Softmax", {b.node("Div", {b.node("Relu", {codes}), b.constant(kFloat, {}, {4})})}));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  const package::BoundaryEnd &x = result.boundary.inputs.at(0), &y = result.boundary.outputs.at(0);
  CHECK(kinds_of(x.steps) == std::vector{HostOperator::Transpose, HostOperator::SubFrom});
  CHECK(x.source_shape == base::Shape{1, 3, 2});
  CHECK(result.graph->tensor(result.graph->inputs.at(0)).shape == base::Shape{2, 3, 1});
  CHECK(kinds_of(y.steps) == std::vector{HostOperator::Relu, HostOperator::Div, HostOperator::Softmax});
  CHECK(y.steps.back().dimensions == std::vector<int64_t>{2});
  CHECK(y.scale == 0.5F);
}

TEST_CASE("ends have the order of the network's inputs, whichever is quantized first") {
  NetworkBuilder b({1, 2});
  b.network.inputs.push_back({"second", kFloat, {1, 2}});
  const std::string later = b.quantized("second", 0.5, 0), earlier = b.quantized("x", 0.25, 0);
  b.output(b.quantized(b.node("Add", {later, earlier}), 1, 0));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  REQUIRE(result.boundary.inputs.size() == 2);
  CHECK((result.boundary.inputs[0].tensor == "x" && result.boundary.inputs[0].scale == 0.25F));
  CHECK((result.boundary.inputs[1].tensor == "second" && result.boundary.inputs[1].scale == 0.5F));
}

TEST_CASE("a Softmax of the host without an axis: the second dimension before opset 13, the last one since") {
  const auto axis_of = [](const base::Shape& shape, int64_t opset) {
    NetworkBuilder b(shape);
    b.network.opset = opset;
    b.output(b.node("Softmax", {b.node("Relu", {b.quantized("x", 0.5, 0)})}));
    const import::ImportResult result = b.lowered();
    return result.graph ? result.boundary.outputs.at(0).steps.back().dimensions : std::vector<int64_t>{};
  };
  CHECK(axis_of({1, 3, 1}, 12) == std::vector<int64_t>{1});
  CHECK(axis_of({1, 3, 2}, 13) == std::vector<int64_t>{2});
  NetworkBuilder b({1, 3, 2});
  b.network.opset = 12;
  b.output(b.node("Softmax", {b.node("Relu", {b.quantized("x", 0.5, 0)})}));
  CHECK_THAT(b.complaints(), Contains("axis 1 of [1, 3, 2] in opset 12 stands for all dimensions from there on"));
}

TEST_CASE("what a quantizer follows is the machine's") {
  NetworkBuilder b({1, 2});
  b.output(b.quantized(b.node("Sigmoid", {b.quantized("x", 0.5, 0)}), 0.01, 0));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(result.boundary.outputs.at(0).steps.empty());
  CHECK(result.graph->operators.size() == 1);
}

TEST_CASE("movement of codes after the last quantizer stays on the machine") {
  NetworkBuilder b({1, 2, 3});
  b.output(b.node("Transpose", {b.quantized("x", 0.5, 0)}, {{"perm", std::vector<int64_t>{0, 2, 1}}}));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(result.boundary.outputs.at(0).steps.empty());
}

TEST_CASE("an input that is quantized in two ways is two inputs of the graph, of which one takes the floats of the other") {
  NetworkBuilder b({1, 2});
  b.output(b.quantized("x", 0.5, 0));
  b.output(b.quantized(b.node("Relu", {"x"}), 0.5, 0));
  b.output(b.quantized(b.node("Relu", {"x"}), 0.5, 0));  // the second way again
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  REQUIRE(result.boundary.inputs.size() == 2);
  CHECK(result.boundary.inputs[0].tensor == "x");
  CHECK(result.boundary.inputs[0].reads.empty());
  CHECK(result.boundary.inputs[1].reads == std::vector<std::string>{"x"});
  CHECK(kinds_of(result.boundary.inputs[1].steps) == std::vector{HostOperator::Relu});
  CHECK(result.graph->inputs.size() == 2);
}

TEST_CASE("operators that the host does not have, and inputs that no quantizer meets, are refused") {
  NetworkBuilder c({1, 2});
  const std::string weights = c.constant(kFloat, {2, 2}, {1, 2, 3, 4});
  c.output(c.node("LpNormalization", {c.node("MatMul", {c.quantized("x", 0.5, 0), weights})}));
  CHECK_THAT(c.complaints(), Contains("is computed by the host after the last quantizer, allowed there are Abs Add ArgMax"));
  CHECK_THAT(c.complaints(), Contains(" Transpose Unsqueeze") && !Contains("Unsqueeze "));
  NetworkBuilder e({1, 2});
  const std::string relu = e.node("Relu", {"x"});
  e.output(e.quantized(e.node("MatMul", {relu, e.weights({2, 2}, {1, 2, 3, 4}, {1})}), 1, 0));
  CHECK_THAT(e.complaints(), Contains("is computed by the host before any quantizer, allowed there are Abs Add Average") &&
                                 !Contains("ArgMax"));
  NetworkBuilder d({1, 2});
  d.output(d.node("Relu", {"x"}));
  d.output(d.quantized("x", 1, 0));
  CHECK_THAT(d.complaints(), Contains("is computed of an input without any quantizer"));
}

TEST_CASE("sums in int32 are an output, and a bias that is a whole number of steps is in them") {
  for (const char* place : {"last", "first"}) {
    const NetworkBuilder b = sums(place);
    const import::ImportResult result = b.lowered(with_format({0.25F, 0, 8, true}));
    REQUIRE(result.graph);
    CHECK(result.boundary.inputs.at(0).scale == 0.25F);
    CHECK(result.boundary.inputs.at(0).rule == package::IntRule{base::Rounding::HalfEven, -128, 127});
    CHECK(result.boundary.outputs.at(0).scale == 0.125F);
    CHECK(result.boundary.outputs.at(0).steps.empty());
    CHECK(b.run({3, -5}, with_format({0.25F, 0, 8, true})) == Codes{3 - 15 + 8, 6 - 20 - 16});
  }
}

TEST_CASE("a bias that is no whole number of steps is added by the host") {
  const import::ImportResult result = sums().lowered(with_format({0.3F, 0, 8, true}));
  REQUIRE(result.graph);
  CHECK(kinds_of(result.boundary.outputs.at(0).steps) == std::vector{HostOperator::Add});
}

TEST_CASE("formats of inputs have the codes that they say") {
  const auto end_of = [](const import::InputFormat& format) {
    return sums().lowered(with_format(format)).boundary.inputs.at(0);
  };
  CHECK(end_of({1, 3, 4, false}).rule == package::IntRule{base::Rounding::HalfEven, 0, 15});
  CHECK(end_of({1, 3, 4, false}).zero_point == 3);
  CHECK_FALSE(end_of({1, 3, 4, false}).is_signed);
  CHECK(end_of({1, 0, 1, true}).rule == package::IntRule{base::Rounding::Sign, -1, 1});
  NetworkBuilder wide({1, 2});
  wide.output(wide.quantized(wide.node("MatMul", {"x", wide.weights({2, 2}, {1, 2, 3, 4}, {0.5})}), 0.5, 0));
  const package::BoundaryEnd codes = wide.lowered(with_format({1, 3, 16, false})).boundary.inputs.at(0);
  CHECK(codes.rule == package::IntRule{base::Rounding::HalfEven, 0, 65535});
  CHECK((codes.zero_point == 3 && !codes.is_signed));
  NetworkBuilder b({1, 2}, kInt8);
  b.output(b.node("DequantizeLinear", {"x", b.constant(kFloat, {}, {1}), b.constant(kInt8, {}, {0})}));
  CHECK_THAT(b.lowered(with_format({})).findings.at(0).text, Contains("--input-format: input 'x' holds int8, allowed"));
}

TEST_CASE("FINN's annotations are formats of inputs that no node quantizes") {
  const auto rule_of = [](const std::string& annotation) {
    NetworkBuilder b = sums();
    b.network.inputs[0].annotation = annotation;
    const import::ImportResult result = b.lowered();
    return result.graph ? result.boundary.inputs.at(0) : package::BoundaryEnd{};
  };
  using base::Rounding;
  CHECK(rule_of("INT8").rule == package::IntRule{Rounding::HalfEven, -128, 127});
  CHECK(rule_of("UINT4").rule == package::IntRule{Rounding::HalfEven, 0, 15});
  CHECK(rule_of("TERNARY").rule == package::IntRule{Rounding::HalfEven, -1, 1});
  CHECK(rule_of("BINARY").rule == package::IntRule{Rounding::HalfEven, 0, 1});
  CHECK(rule_of("BIPOLAR").rule == package::IntRule{Rounding::Sign, -1, 1});
  CHECK(rule_of("FIXED<6,2>").rule == package::IntRule{Rounding::HalfEven, -32, 31});
  CHECK(rule_of("FIXED<6,2>").scale == 0.0625F);
  for (const char* none : {"FLOAT32", "INT", "INT33", "FIXED<6>", "FIXED<6,7>", "INT8x"}) CHECK_FALSE(rule_of(none).rule);
  NetworkBuilder b({1, 2});
  b.network.inputs[0].annotation = "INT8";
  b.output(b.quantized("x", 0.5, 3));  // the quantizer of the file goes first
  CHECK(b.lowered().boundary.inputs.at(0).zero_point == 3);
  NetworkBuilder c = sums();
  c.network.inputs[0].annotation = "SCALEDINT<8>";
  CHECK_THAT(c.complaints(), Contains("'x' is not quantized"));
}

TEST_CASE("Concat at the end of codes with different scales: a scale for each index of the axis, then the host") {
  NetworkBuilder b({1, 2, 2});
  const std::string x = b.quantized("x", 0.5, 3);
  const std::string y = b.quantized(b.node("Relu", {x}), 0.25, -7);
  const std::string joined = b.node("Concat", {x, y, x}, {{"axis", int64_t{-1}}});
  b.output(b.node("Reshape", {joined, b.constant(kInt64, {1}, {-1})}));
  CHECK(b.run({4, 3, 2, 7}) == std::vector<int64_t>{4, 3, -5, -7, 4, 3, 2, 7, -7, 1, 2, 7});
  const import::ImportResult result = b.lowered();
  const package::BoundaryEnd& end = result.boundary.outputs.at(0);
  REQUIRE(end.channels.size() == 6);
  CHECK(end.axis == 2);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(end.channels[i].scale == (i == 2 || i == 3 ? 0.25F : 0.5F));
    CHECK(end.channels[i].zero_point == (i == 2 || i == 3 ? -7 : 3));
  }
  REQUIRE(end.steps.size() == 1);
  CHECK(end.steps[0].dimensions == base::Shape{12});
  NetworkBuilder c({1, 2});  // other bits: 16 for both
  const std::string z = c.quantized("x", 0.5, 3);
  c.output(c.node("Concat", {z, c.quantized(c.node("Relu", {z}), 1, 0, kInt16)}, {{"axis", int64_t{1}}}));
  CHECK_THAT(c.complaints(),
             Contains("its operands have different scales and no quantizer follows, so that it gets 16 bits"));
}

TEST_CASE("the sign of a sum that is 0 is noise in the source where scales are no powers of two") {
  const auto warnings = [](double scale) {
    NetworkBuilder b({1, 2});
    const std::string product = b.node("MatMul", {b.quantized("x", scale, 0), b.weights({2, 2}, {1, 2, 3, 4}, {0.5})});
    b.output(b.node("BipolarQuant", {product, b.constant(kFloat, {}, {1})}));
    return b.complaints();
  };
  CHECK(warnings(0.25).empty());
  CHECK_THAT(warnings(0.3), Contains("(BipolarQuant): where a sum is exactly 0 its sign is +"));
}

namespace {

/// The float operators of an output, as people read them, with the numbers of the values that each reads.
std::string program_of(const import::ImportResult& result, size_t output = 0) {
  if (!result.graph) return "refused";
  std::string text;
  for (const HostStep& step : result.boundary.outputs.at(output).steps)
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ", package::to_text(step),
                        step.operands.empty() ? "" : fmt::format(" of {}", fmt::join(step.operands, " ")));
  return text;
}

using Ints = std::vector<int64_t>;

/// Sigmoid of codes of that shape, so that what follows is the host's; after it one operator.
std::string after_sigmoid(const base::Shape& shape, const std::string& kind, const std::vector<Ints>& lists = {},
                          const std::map<std::string, Attribute>& attributes = {}) {
  NetworkBuilder b(shape);
  std::vector<std::string> inputs{b.node("Sigmoid", {b.quantized("x", 0.5, 0)})};
  for (const Ints& list : lists)
    inputs.push_back(b.constant(kInt64, {std::ssize(list)}, std::vector<double>(list.begin(), list.end())));
  b.output(b.node(kind, inputs, attributes));
  const std::string text = program_of(b.lowered());
  return text.starts_with("Sigmoid; ") ? text.substr(9) : text;
}

}  // namespace

TEST_CASE("operators after the last quantizer are the host's, in small parts") {
  CHECK(after_sigmoid({1, 4}, "Slice", {{3}, {0}, {1}, {-2}}) == "Slice of 2 along axis 1, from 3 on by steps of -2");
  CHECK(after_sigmoid({1, 4}, "Gather", {{-1, 0, 0}}, {{"axis", int64_t{1}}}) == "Pick of 3 along axis 1");
  CHECK(after_sigmoid({1, 4}, "Pad", {{0, 1, 0, 2}}) == "Pick of 7 along axis 1 (outside 0)");
  CHECK(after_sigmoid({1, 4}, "Tile", {{3, 1}}) == "Pick of 3 along axis 0");
  CHECK(after_sigmoid({1, 4}, "Expand", {{2, 1, 4}}) == "Reshape to [1, 1, 4]; Pick of 2 along axis 0");
  CHECK(after_sigmoid({1, 4}, "ReduceMean", {{1}}, {{"keepdims", int64_t{0}}}) ==
        "ReduceMean over axes [1]; Reshape to [1]");
  CHECK(after_sigmoid({1, 2, 3, 3}, "GlobalAveragePool") == "ReduceMean over axes [2, 3]");
  CHECK(after_sigmoid({1, 2, 3, 3}, "MaxPool", {}, {{"kernel_shape", Ints{2, 2}}}) == "MaxPool");
  CHECK(after_sigmoid({1, 4, 2, 2}, "DepthToSpace", {}, {{"blocksize", int64_t{2}}}) ==
        "Reshape to [1, 2, 2, 1, 2, 2]; Transpose by [0, 3, 4, 1, 5, 2]; Reshape to [1, 1, 4, 4]");
  CHECK(after_sigmoid({1, 4}, "LogSoftmax") ==
        "ReduceMax over axes [1]; Sub of 1 2; Exp; ReduceSum over axes [1]; Log; Sub of 3 6");
  CHECK(after_sigmoid({1, 4}, "Tanh") == "Tanh");
  CHECK(after_sigmoid({1, 4}, "LeakyRelu", {}, {{"alpha", 0.25F}}) == "LeakyRelu (0.25)");
  CHECK(after_sigmoid({1, 4}, "Cast", {}, {{"to", int64_t{7}}}) == "Truncate");
  CHECK(after_sigmoid({1, 4}, "Cast", {}, {{"to", int64_t{2}}}) == "refused");
}

TEST_CASE("indices of what the host computes are the host's, those of codes the machine's") {
  NetworkBuilder b({1, 4});
  const std::string x = b.quantized("x", 0.5, 0);
  const std::string product = b.node("MatMul", {x, b.constant(kFloat, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
  b.output(b.node("ArgMax", {product}, {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}}));
  b.output(b.node("ArgMax", {b.node("Sigmoid", {x})}, {{"axis", int64_t{-1}}}));
  const import::ImportResult result = b.lowered();
  CHECK_THAT(program_of(result), EndsWith("; ArgMax along axis 1; Reshape to [1]"));
  REQUIRE(result.graph);
  CHECK(result.boundary.outputs.size() == 1);  // the other output is integers of the graph
  CHECK(result.graph->outputs.size() == 2);
}

TEST_CASE("weights of floats are multiplied by the host, those of codes by the machine") {
  for (const bool is_float : {true, false}) {
    NetworkBuilder b({1, 2});
    const std::string weights = is_float ? b.constant(kFloat, {2, 2}, {1, 2, 3, 4}) : b.weights({2, 2}, {1, 2, 3, 4}, {1});
    b.output(b.node("MatMul", {b.quantized("x", 0.5, 0), weights}));
    CHECK(program_of(b.lowered()) == (is_float ? "Constant [2, 2]; MatMul of 0 1" : ""));
  }
}

TEST_CASE("what the host computes of several tensors reads them as outputs of the graph, and values twice") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 0.5, 0), y = b.quantized(b.node("Tanh", {x}), 0.25, 0);
  b.output(b.node("Mul", {b.node("Sigmoid", {x}), y}));
  const std::string gate = b.node("Sigmoid", {y});
  b.output(b.node("Concat", {gate, b.node("Mul", {gate, gate})}, {{"axis", int64_t{0}}}));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  REQUIRE(result.boundary.outputs.size() == 2);  // the second one has the numbers that the first one reads
  CHECK(program_of(result, 0) == "Sigmoid of 0; Mul of 2 1");
  CHECK(result.boundary.outputs[0].reads == std::vector<std::string>{result.boundary.outputs[1].tensor});
  CHECK(program_of(result, 1) == "Sigmoid; Mul of 1 1; Concat along axis 0 of 1 2");
  CHECK(result.boundary.outputs[1].source_shape == base::Shape{2, 2});
  NetworkBuilder c({1, 2});
  const std::string z = c.quantized("x", 0.5, 0);
  c.output(c.node("Mul", {z, c.quantized(c.node("Tanh", {z}), 0.25, 0)}));
  const import::ImportResult other = c.lowered();
  REQUIRE(other.graph);
  REQUIRE(other.boundary.outputs.size() == 2);  // one more than the network has: codes only
  CHECK(other.graph->outputs.size() == 2);
  CHECK_FALSE(other.boundary.outputs[1].is_float);
  CHECK(other.boundary.outputs[1].scale == 0.25F);
}

TEST_CASE("what an output and a quantizer read is computed for both") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 0.5, 0), tanh = b.node("Tanh", {x});
  b.output(tanh);
  b.output(b.quantized(tanh, 0.25, 0));
  const import::ImportResult result = b.lowered();
  CHECK(program_of(result, 0) == "Tanh");
  CHECK(program_of(result, 1).empty());
}

TEST_CASE("numbers are moved before the first quantizer too") {
  NetworkBuilder b({1, 4});
  const std::string part =
      b.node("Slice", {"x", b.constant(kInt64, {1}, {1}), b.constant(kInt64, {1}, {3}), b.constant(kInt64, {1}, {1})});
  b.output(b.quantized(part, 0.5, 0));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(kinds_of(result.boundary.inputs.at(0).steps) == std::vector{HostOperator::Slice});
  CHECK(result.boundary.inputs[0].source_shape == base::Shape{1, 4});
  CHECK(result.graph->tensor(result.graph->inputs.at(0)).shape == base::Shape{1, 2});
  NetworkBuilder c({1, 2});
  c.network.inputs.push_back({"second", kFloat, {1, 2}});
  c.output(c.quantized(c.node("Concat", {c.node("Relu", {"x"}), "second"}, {{"axis", int64_t{0}}}), 0.5, 0));
  CHECK_THAT(c.complaints(), Contains("it joins values of several inputs before any quantizer, allowed is one input"));
}
