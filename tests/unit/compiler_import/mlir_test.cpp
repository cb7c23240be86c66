// SPDX-License-Identifier: Apache-2.0
// MLIR text: forms that the tools print, worked by hand, and a line with line and column for each mistake.
#include "compiler/import/import.hpp"
#include "compiler/import/location.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

namespace vernier {

namespace {

using base::ElementType;
using Catch::Matchers::Contains;

import::ImportResult imported(std::string_view text){
    return import::import_network("f.mlir", std::as_bytes(std::span(text.data(), text.size())), {});
}  // namespace

ir::Graph graph_of(std::string_view text) {
  import::ImportResult result = imported(text);
  return import::take_graph(result);
}

/// All lines that are said of a text.
std::string complaint(std::string_view text) {
  std::string lines;
  for (const import::Finding& finding : imported(text).findings) lines += (lines.empty() ? "" : "\n") + finding.text;
  return lines;
}

/// A function of one int8 input of 4 elements around these lines, which give %r.
std::string function(std::string_view lines) {
  return fmt::format("func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {{\n{}\nreturn %r : tensor<4xi8>\n}}", lines);
}

/// The value of a constant as text says it.
base::Tensor constant(std::string_view dense, std::string_view type, std::string_view trailer = "") {
  const ir::Graph graph = graph_of(fmt::format(
      "func.func @main(%x: tensor<1xi8>) -> {1} {{\n %0 = \"tosa.const\"() <{{values = {0} : {1}}}> : () -> {1}\n "
      "return %0 : {1}\n}}\n{2}",
      dense, type, trailer));
  return *graph.tensor(graph.outputs.at(0)).constant;
}

/// The first output for these inputs.
base::Tensor value_of(const ir::Graph& graph, const std::vector<base::Tensor>& inputs) {
  return reference::run(graph, inputs).outputs.at(0);
}

}  // namespace vernier

TEST_CASE("the pretty and the generic form of MLIR are the same graph") {
  const ir::Graph pretty = graph_of(R"(
#target = #tosa.target_env<specification_version = "1.0", level = "8k", profiles = ["pro_int"], extensions = []>
!codes = tensor<1x4xi8>
module attributes {tosa.target_env = #target} {  // a comment
  func.func @main(%arg0: !codes {tosa.tensor_name = "in"} loc("a":1:2)) -> (tensor<1x4xi8> {tosa.tensor_name = "out"}) {
    %0 = tosa.clamp %arg0 {max_val = 100 : i8, min_val = -100 : i8, nan_mode = PROPAGATE, vendor.note = [1, {a = "}"}]} : (tensor<1x4xi8>) -> tensor<1x4xi8> loc(#loc1)
    %s = tosa.const_shape  {values = dense<[4, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.reshape %0, %s : (!codes, !tosa.shape<2>) -> tensor<4x1xi8> loc(#loc1)
    %2 = tosa.transpose %1 {perms = array<i32: 1, 0>} : (tensor<4x1xi8>) -> tensor<1x4xi8>
    return %2 : tensor<1x4xi8>
  }
}
#loc = loc("file.tflite":0:0)
#loc1 = loc(fused["conv/Relu"(#loc), "conv/Bias"])
)");
  const ir::Graph generic = graph_of(R"(
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x4xi8>) -> tensor<1x4xi8>, sym_name = "main", arg_attrs = [{tosa.tensor_name = "in"}], res_attrs = [{tosa.tensor_name = "out"}]}> ({
  ^bb0(%a: tensor<1x4xi8>):
    %0 = "tosa.clamp"(%a) <{max_val = 100 : i8, min_val = -100 : i8, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<1x4xi8>) -> tensor<1x4xi8> loc(#loc1)
    %s = "tosa.const_shape"() <{values = dense<"0x04000000000000000100000000000000"> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %1 = "tosa.reshape"(%0, %s) : (tensor<1x4xi8>, !tosa.shape<2>) -> tensor<4x1xi8> loc(#loc1)
    %2 = "tosa.transpose"(%1) {perms = array<i32: 1, 0>} : (tensor<4x1xi8>) -> tensor<1x4xi8>
    "func.return"(%2) : (tensor<1x4xi8>) -> ()
  }) : () -> ()
}) {tosa.description = "x"} : () -> ()
#loc1 = loc("conv/Relu;conv/Bias")
)");
  CHECK(ir::print(pretty) == ir::print(generic));
  CHECK(pretty.tensor(pretty.inputs[0]).name == "in");
  CHECK(pretty.tensor(pretty.outputs[0]).name == "out");
  CHECK(pretty.operators[0].location == "conv/Relu;conv/Bias");
  CHECK(pretty.operators[1].location == "conv/Relu;conv/Bias");
  CHECK(pretty.operators[2].location.empty());
}

TEST_CASE("ends of MLIR have the names of the entry function, or the serialiser's") {
  const std::string body = "{\n return %a, %b : tensor<1xi8>, tensor<1xi8>\n}";
  const std::string head = "func.func @main(%a: tensor<1xi8>, %b: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) ";
  const ir::Graph named = graph_of(head + "attributes {tf.entry_function = {inputs = \"p,q\", outputs = \"r,s\"}} " + body);
  CHECK(named.tensor(named.inputs[0]).name == "p");
  CHECK(named.tensor(named.inputs[1]).name == "q");
  CHECK(named.outputs == named.inputs);  // a tensor has one name
  const ir::Graph plain = graph_of(head + body);
  CHECK(plain.tensor(plain.inputs[1]).name == "TosaInput_1");
}

TEST_CASE("constants of MLIR text have the values that they say, in every form") {
  CHECK(constant("dense<[[1, -2], [3, 127]]>", "tensor<2x2xi8>") ==
        tests::make_tensor(ElementType::Int8, {2, 2}, {1, -2, 3, 127}));
  CHECK(constant("dense<-7>", "tensor<2x1xi16>") == tests::make_tensor(ElementType::Int16, {2, 1}, {-7, -7}));
  CHECK(constant("dense<5>", "tensor<i32>") == tests::make_tensor(ElementType::Int32, {}, {5}));
  CHECK(constant("dense<\"0x0001FF7F\">", "tensor<4xi8>") == tests::make_tensor(ElementType::Int8, {4}, {0, 1, -1, 127}));
  CHECK(constant("dense<\"0xFE\">", "tensor<3xi8>") == tests::make_tensor(ElementType::Int8, {3}, {-2, -2, -2}));
  CHECK(constant("dense<\"0x0F0700\">", "tensor<3xi4>") == tests::make_tensor(ElementType::Int4, {3}, {-1, 7, 0}));
  CHECK(constant("dense<[-7, 7, 1]>", "tensor<3xi4>") == tests::make_tensor(ElementType::Int4, {3}, {-7, 7, 1}));
  CHECK(constant("dense<\"0x010000000000FDFFFFFFFFFF\">", "tensor<2xi48>") ==
        tests::make_tensor(ElementType::Int48, {2}, {1, -3}));
  CHECK(constant("dense<[140737488355327, -140737488355328]>", "tensor<2xi48>") ==
        tests::make_tensor(ElementType::Int48, {2}, {140737488355327, -140737488355328}));
  CHECK(constant("dense<[true, false, true]>", "tensor<3xi1>") == tests::make_tensor(ElementType::Bool, {3}, {1, 0, 1}));
  CHECK(constant("dense<\"0x010001\">", "tensor<3xi1>") == tests::make_tensor(ElementType::Bool, {3}, {1, 0, 1}));
  CHECK(constant("dense<\"0x0503\">", "tensor<10xi1>") ==
        tests::make_tensor(ElementType::Bool, {10}, {1, 0, 1, 0, 0, 0, 0, 0, 1, 1}));
  CHECK(constant("dense_resource<w>", "tensor<2xi16>",
                 "{-#\n dialect_resources: {builtin: {w: \"0x0200000001000280\"\n}}\n#-}") ==
        tests::make_tensor(ElementType::Int16, {2}, {1, -32766}));
}

TEST_CASE("regions of MLIR read values around them, and loops hand them on") {
  const ir::Graph choice = graph_of(R"(
func.func @main(%c: tensor<i1>, %x: tensor<2xi32>) -> tensor<2xi32> {
  %one = "tosa.const"() <{values = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
  %r = tosa.cond_if %c -> (tensor<2xi32>) {
    %y = tosa.add %x, %one : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.yield %y : tensor<2xi32>
  } else {
    tosa.yield %x : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}
)");
  const auto numbers = tests::make_tensor(ElementType::Int32, {2}, {5, -6});
  CHECK(value_of(choice, {tests::make_tensor(ElementType::Bool, {}, {1}), numbers}) ==
        tests::make_tensor(ElementType::Int32, {2}, {6, -5}));
  CHECK(value_of(choice, {tests::make_tensor(ElementType::Bool, {}, {0}), numbers}) == numbers);

  // Three rounds of adding %x, which the body captures: 4 times the input.
  const ir::Graph loop = graph_of(R"(
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %zero = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %three = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
  %i, %s = tosa.while_loop (%n = %zero, %sum = %x) : (tensor<i32>, tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>) {
    %goes_on = tosa.greater %three, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %goes_on : tensor<i1>
  } do {
  ^bb0(%m: tensor<i32>, %before: tensor<2xi32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = tosa.add %m, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %after = tosa.add %before, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.yield %next, %after : tensor<i32>, tensor<2xi32>
  }
  return %s : tensor<2xi32>
}
)");
  CHECK(value_of(loop, {numbers}) == tests::make_tensor(ElementType::Int32, {2}, {20, -24}));
}

TEST_CASE("variables of MLIR are those of the graph, in both forms") {
  const std::string uses = R"(
  func.func @main(%x: tensor<2xi8>) -> tensor<2xi8> {
    %0 = tosa.variable_read @state : tensor<2xi8>
    tosa.variable_write @state, %x : tensor<2xi8>
    return %0 : tensor<2xi8>
  })";
  for (const std::string& declaration :
       {std::string("tosa.variable @state = dense<[3, -4]> : tensor<2xi8>"),
        std::string("\"tosa.variable\"() <{initial_value = dense<[3, -4]> : tensor<2xi8>, sym_name = \"state\", type = i8, "
                    "var_shape = dense<2> : tensor<1xindex>}> : () -> ()")}) {
    const ir::Graph graph = graph_of(fmt::format("module {{\n{}{}\n}}", declaration, uses));
    REQUIRE(graph.variables.size() == 1);
    CHECK(graph.variables[0].name == "state");
    CHECK(*graph.variables[0].initial == tests::make_tensor(ElementType::Int8, {2}, {3, -4}));
    REQUIRE(graph.operators.size() == 2);
    CHECK(graph.operators[0].kind == ir::OpKind::VariableRead);
    CHECK(graph.operators[1].kind == ir::OpKind::VariableWrite);
  }
}

TEST_CASE("a mistake in MLIR text has its line and column") {
  CHECK(complaint(function("%r = tosa.identity %y : (tensor<4xi8>) -> tensor<4xi8>")) ==
        "f.mlir:2:20: %y is not defined before this place");
  CHECK(complaint(function("%r = tosa.identity %x : (tensor<4xi16>) -> tensor<4xi8>")) ==
        "f.mlir:2:20: %x is tensor<4xi16> here and tensor<4xi8> where it is defined");
  CHECK(complaint(function("%r = tosa.clamp %x {min_val = 0 : i8} : (tensor<4xi8>) -> tensor<4xi8>")) ==
        "f.mlir:2:6: tosa.clamp has no attribute 'max_val'");
  CHECK(complaint(function("%r = tosa.reverse %x {axis = 0 : i32, new_shape = 1} : (tensor<4xi8>) -> tensor<4xi8>")) ==
        "f.mlir:2:51: attribute 'new_shape' of tosa.reverse is none of TOSA 1.0, which has axis");
  CHECK(complaint(function("%r = tosa.frobnicate %x : (tensor<4xi8>) -> tensor<4xi8>")) ==
        "f.mlir:2:6: 'tosa.frobnicate' is no operator of TOSA 1.0");
  CHECK(complaint(function("%r = tosa.identity %x : (tensor<4xi7>) -> tensor<4xi8>")) ==
        "f.mlir:2:35: 'i7' is no type of a tensor's elements; allowed are i1, i4, i8, i16, i32, i48, index and floats");
  CHECK(complaint(function("%r = \"tosa.const\"() <{values = dense<[1, 2]> : tensor<4xi8>}> : () -> tensor<4xi8>")) ==
        "f.mlir:2:38: 2 values for the 4 elements of tensor<4xi8>");
  CHECK(complaint(function("%r = \"tosa.const\"() <{values = dense<300> : tensor<4xi8>}> : () -> tensor<4xi8>")) ==
        "f.mlir:2:38: 300 is no value of i8, allowed are -128 to 127");
  CHECK(complaint(function("%r = \"tosa.const\"() <{values = dense<\"0x0\"> : tensor<4xi8>}> : () -> tensor<4xi8>")) ==
        "f.mlir:2:32: the string is no even number of hexadecimal digits");
  CHECK(complaint(function("%r = \"tosa.const\"() <{values = dense_resource<w> : tensor<4xi8>}> : () -> tensor<4xi8>")) ==
        "f.mlir:2:32: resource 'w' is not among the dialect_resources at the end of the file");
  CHECK(complaint("module {\n  func.func @f() {\n    return\n  }\n  func.func @g() {\n    return\n  }\n}") ==
        "f.mlir: the file has functions @f, @g, allowed is one, or one that is called @main");
  CHECK(complaint(function("%r = tosa.identity %x : (tensor<4294967300xi8>) -> tensor<4xi8>")) ==
        "f.mlir:2:43: a dimension of 4294967300, allowed are sizes up to 2147483647");
  CHECK(complaint("module {") == "f.mlir:1:9: expected '}', found the end of the file");
  CHECK(complaint("module {\n  func.func @main(%x: tensor<1xi8>) -> tensor<1xi8> {\n    return %x : tensor<1xi8>\n") ==
        "f.mlir:4:1: expected '}', found the end of the file");
}

TEST_CASE("all operations of other dialects are named at once") {
  const std::string text = complaint(
      "module {\n  util.global @a : i32\n  func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {\n    %0 = linalg.fill {a = "
      "[\n1]} "
      "ins(%x : tensor<4xi8>)\n    %1 = \"stablehlo.add\"(%0, %x) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>\n    "
      "return %1 : "
      "tensor<4xi8>\n  }\n}");
  CHECK_THAT(text,
             Contains("f.mlir:2:3: 'util.global' is no operation of the dialects that are read: builtin, func and tosa"));
  CHECK_THAT(text, Contains("f.mlir:4:10: 'linalg.fill' is no operation"));
  CHECK_THAT(text, Contains("f.mlir:6:10: 'stablehlo.add' is no operation"));
}

TEST_CASE("MLIR text that grows when it is read ends with one line") {
  std::string types = "!t0 = tensor<1xi8>\n";
  std::string attributes = "#a0 = 1\n";
  for (int i = 1; i <= 60; ++i) {
    types += fmt::format("!t{0} = tensor<1x!t{1}>\n", i, i - 1);
    attributes += fmt::format("#a{0} = [#a{1}, #a{1}]\n", i, i - 1);
  }
  CHECK_THAT(complaint(attributes + "module attributes {x = #a60} {\n}"), Contains("more than 64 times as long"));
  CHECK(!complaint(types + "module {\n}").empty());
  std::string nested = "module {\n";
  for (int i = 0; i < 100000; ++i) nested += "module {\n";
  CHECK_THAT(complaint(nested), Contains("more than 64 things lie in each other here"));
  CHECK_THAT(
      complaint(function("%r = \"tosa.const\"() <{values = dense<0> : tensor<100000x100000xi8>}> : () -> tensor<4xi8>")),
      Contains("64 times the bytes of the text and 64 MiB"));
}

TEST_CASE("a location gives the name of the source's operator") {
  CHECK(import::location_name("loc(\"conv/Relu\"(\"x.tflite\":0:0))") == "conv/Relu");
  CHECK(import::location_name("loc(\"a\\22b\\\\\")") == "a\"b\\");
  CHECK(import::location_name("loc(\"x.tflite\":3:4)").empty());
  CHECK(import::location_name("loc(unknown)").empty());
  CHECK(import::location_name("loc(fused[\"a\", \"b\"(\"x\":1:2), \"x\":1:2, \"a\", unknown])") == "a;b");
  CHECK(import::location_name("loc(fused<\"meta\">[\"a\"])") == "a");
  CHECK(import::location_name("loc(callsite(\"callee\" at \"caller\"))") == "callee");
  CHECK(import::location_name("loc(callsite(\"f\":1:2 at \"caller\"))") == "caller");
  const auto alias = [](std::string_view name) -> std::string_view {
    return name == "loc1" ? "loc(\"n\"(#loc))" : name == "ring" ? "loc(fused[#ring, #ring])" : "";
  };
  CHECK(import::location_name("loc(#loc1)", alias) == "n");
  CHECK(import::location_name("loc(#ring)", alias).empty());
  CHECK(import::location_name("no location").empty());
}

}  // namespace vernier
