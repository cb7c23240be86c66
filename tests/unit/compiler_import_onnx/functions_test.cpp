// SPDX-License-Identifier: Apache-2.0
// Functions that a file defines itself, and constants of BOOL.
#include "compiler/import/import.hpp"
#include "tests/support/import_text.hpp"

#include <catch2/catch.hpp>

#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

using namespace vernier;
using Catch::Matchers::Contains;
using onnx::TensorProto;

namespace {

onnx::NodeProto& add_to(auto& owner, const std::string& domain, const std::string& kind,
                        const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *owner.add_node();
  node.set_domain(domain);
  node.set_op_type(kind);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

void add_float(onnx::ValueInfoProto& end, const std::string& name, const std::vector<int64_t>& dims) {
  end.set_name(name);
  auto& type = *end.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  for (const int64_t size : dims) type.mutable_shape()->add_dim()->set_dim_value(size);
}

onnx::FunctionProto& add_function(onnx::ModelProto& model, const std::string& name, const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name(name);
  function.set_domain("mine");
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  function.add_opset_import()->set_version(13);
  return function;
}

/// x, quantized by a function of the file that calls another one.
onnx::ModelProto model_with_functions() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  TensorProto& scale = *graph.add_initializer();
  scale.set_name("s");
  scale.set_data_type(TensorProto::FLOAT);
  scale.add_float_data(0.5F);
  TensorProto& zero = *graph.add_initializer();
  zero.set_name("z");
  zero.set_data_type(TensorProto::INT8);
  zero.add_int32_data(0);
  auto& quantize = add_function(model, "Fake", {"a", "b", "z"}, {"c"});
  add_to(quantize, "", "QuantizeLinear", {"a", "b", "z"}, {"q"});
  add_to(quantize, "", "DequantizeLinear", {"q", "b", "z"}, {"c"});
  auto& leaky = add_function(model, "Leaky", {"a", "b", "z"}, {"c", "a"});
  leaky.add_attribute("slope");
  auto& attribute = *add_to(leaky, "", "LeakyRelu", {"a"}, {"q"}).add_attribute();
  attribute.set_name("alpha");
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_ref_attr_name("slope");
  add_to(leaky, "mine", "Fake", {"q", "b", "z"}, {"c"});
  add_to(graph, "mine", "Fake", {"x", "s", "z"}, {"xd"});
  add_float(*graph.add_input(), "x", {2});
  add_float(*graph.add_output(), "y", {2});
  return model;
}

onnx::NodeProto& call_leaky(onnx::ModelProto& model, float slope, const std::string& from, const std::string& to) {
  onnx::NodeProto& call = add_to(*model.mutable_graph(), "mine", "Leaky", {from, "s", "z"}, {to, to + "_given"});
  auto& attribute = *call.add_attribute();
  attribute.set_name("slope");
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(slope);
  return call;
}

auto imported(const onnx::ModelProto& model) {
  const std::string text = model.SerializeAsString();
  return import::import_network("f", std::as_bytes(std::span(text)), {});
}

std::string complaint_of(const onnx::ModelProto& model) {
  const import::ImportResult result = imported(model);
  return result.findings.empty() ? "" : result.findings.front().text;
}

}  // namespace

TEST_CASE("calls of a file's functions become their nodes, with the caller's attributes, as often as they are called") {
  onnx::ModelProto model = model_with_functions();
  call_leaky(model, 0.25F, "xd", "m");
  call_leaky(model, 0.5F, "m_given", "y");  // which is xd
  const import::ImportResult result = imported(model);
  REQUIRE(result.graph);
  const auto& operators = result.graph->operators;
  REQUIRE(operators.size() == 1);  // the first call's LeakyRelu is read by nothing
  CHECK(operators[0].kind == ir::OpKind::Table);
  const base::Tensor& table = *result.graph->tensor(operators[0].inputs.at(1)).constant;
  CHECK(table.at(128 - 40) == -20);
  CHECK(table.at(128 + 40) == 40);
  CHECK(result.boundary.inputs.at(0).scale == 0.5F);
}

TEST_CASE("what is wrong with a function is told by the node that calls it") {
  onnx::ModelProto model = model_with_functions();
  call_leaky(model, 0.25F, "xd", "y");
  add_to(*model.mutable_functions(0), "mine", "Leaky", {"a", "b", "z"}, {"r", "t"});
  CHECK_THAT(complaint_of(model), Contains("the function calls itself"));
  onnx::ModelProto older = model_with_functions();
  call_leaky(older, 0.25F, "xd", "y");
  older.mutable_functions(1)->mutable_opset_import(0)->set_version(12);
  CHECK_THAT(complaint_of(older),
             Contains("(mine.Leaky): the function has opset 12 of ONNX, the file 13: expected both before 13"));
}

TEST_CASE("functions of one name, which differ in their overload, are refused by name") {
  onnx::ModelProto model = model_with_functions();
  call_leaky(model, 0.25F, "xd", "y");
  const onnx::FunctionProto copy = model.functions(1);
  *model.add_functions() = copy;
  CHECK_THAT(complaint_of(model), Contains("(mine.Leaky): the file defines several functions of this name, which differ in "
                                           "their overload: allowed is one of a name"));
}

TEST_CASE("an input of truth values is refused, a constant of them is not") {
  onnx::ModelProto model = model_with_functions();
  onnx::GraphProto& graph = *model.mutable_graph();
  TensorProto& mask = *graph.add_initializer();
  mask.set_name("mask");
  mask.set_data_type(TensorProto::BOOL);
  mask.add_dims(2);
  mask.set_raw_data(std::string("\x01\x00", 2));
  add_to(graph, "", "Neg", {"xd"}, {"n"});
  add_to(graph, "mine", "Fake", {"n", "s", "z"}, {"nd"});
  add_to(graph, "", "Where", {"mask", "xd", "nd"}, {"w"});
  add_to(graph, "mine", "Fake", {"w", "s", "z"}, {"y"});
  CHECK(imported(model).graph);
  auto& input = *graph.add_input();
  add_float(input, "truth", {2});
  input.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::BOOL);
  CHECK_THAT(complaint_of(model), Contains("input 'truth' has type BOOL, allowed are FLOAT and integers"));
}

TEST_CASE("a default of a function's attribute is not read, and calls do not stand in each other without end") {
  onnx::ModelProto model = model_with_functions();
  model.mutable_functions(1)->clear_attribute();  // then the library has not seen the field that holds the default
  call_leaky(model, 0.25F, "xd", "y").clear_attribute();
  CHECK_THAT(complaint_of(model),
             Catch::Contains("attribute 'slope' is left out, and its default in the function is not read"));
  onnx::ModelProto deep = model_with_functions();
  for (int i = 0; i < 70; ++i) {
    auto& function = add_function(deep, fmt::format("F{}", i), {"a", "b", "z"}, {"c"});
    add_to(function, "mine", i < 69 ? fmt::format("F{}", i + 1) : "Fake", {"a", "b", "z"}, {"c"});
  }
  add_to(*deep.mutable_graph(), "mine", "F0", {"xd", "s", "z"}, {"y"});
  CHECK_THAT(complaint_of(deep), Catch::Contains("calls of functions stand more than 64 deep in each other"));
}
