// SPDX-License-Identifier: Apache-2.0
// ONNX files that the tests build through the protocol buffer classes, and damaged ones.
#include "compiler/import/import.hpp"
#include "hw/base/file.hpp"
#include "tests/support/import_text.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <functional>
#include <onnx/onnx_pb.h>

using namespace vernier;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using onnx::TensorProto;

namespace {

std::string bytes_of(const std::vector<int8_t>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size()};
}

TensorProto& add_tensor(onnx::GraphProto& graph, const std::string& name, int32_t type, const std::vector<int64_t>& dims) {
  TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t size : dims) tensor.add_dims(size);
  return tensor;
}

onnx::NodeProto& add_node(onnx::GraphProto& graph, const std::string& kind, const std::vector<std::string>& inputs,
                          const std::string& output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(kind);
  node.set_name("n_" + output);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

void add_end(onnx::ValueInfoProto& end, const std::string& name, const std::vector<int64_t>& dims) {
  end.set_name(name);
  auto& type = *end.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  for (const int64_t size : dims) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (size >= 0) dim.set_dim_value(size);
  }
}

/// x [1, 2] times weights w [2, 2], quantized on both sides.
onnx::ModelProto small_model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  auto& opset = *model.add_opset_import();
  opset.set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  add_tensor(graph, "s", TensorProto::FLOAT, {}).add_float_data(0.5F);
  add_tensor(graph, "z", TensorProto::INT8, {}).add_int32_data(-3);
  add_tensor(graph, "w", TensorProto::INT8, {2, 2}).set_raw_data(bytes_of({1, -2, 3, 4}));
  add_node(graph, "QuantizeLinear", {"x", "s", "z"}, "xq");
  add_node(graph, "DequantizeLinear", {"xq", "s", "z"}, "xd");
  add_node(graph, "DequantizeLinear", {"w", "s"}, "wd");
  add_node(graph, "MatMul", {"xd", "wd"}, "p");
  add_node(graph, "QuantizeLinear", {"p", "s", "z"}, "pq");
  add_node(graph, "DequantizeLinear", {"pq", "s", "z"}, "y");
  add_end(*graph.add_input(), "x", {1, 2});
  add_end(*graph.add_output(), "y", {1, 2});
  return model;
}

import::ImportResult import_model(const onnx::ModelProto& model,
                                  const std::string& file = "f"){const std::string text = model.SerializeAsString();
if (file != "f") return import::import_network(file, std::as_bytes(std::span(text)), {});  // its folder is of today
static tests::Recorded rows("tests/unit/compiler_import_onnx/recorded_reader.txt");
return tests::recorded(rows, import::import_network(file, std::as_bytes(std::span(text)), {}));
}  // namespace

std::string complaints(const onnx::ModelProto& model, const std::string& file = "f") {
  std::string text;
  for (const import::Finding& finding : import_model(model, file).findings)
    text += (text.empty() ? "" : "\n") + finding.text;
  return text;
}

std::string after(const std::function<void(onnx::GraphProto&)>& change) {
  onnx::ModelProto model = small_model();
  change(*model.mutable_graph());
  return complaints(model);
}

}  // namespace

TEST_CASE("a good file gives a graph, its boundary and the names of its nodes") {
  const import::ImportResult result = import_model(small_model());
  REQUIRE(result.graph);
  CHECK(result.findings.empty());
  CHECK_FALSE(result.is_whole_tosa);
  CHECK(result.boundary.inputs == std::vector<package::BoundaryEnd>{{"x", true, true, 0.5F, -3}});
  CHECK(result.boundary.outputs == std::vector<package::BoundaryEnd>{{"y", true, true, 0.5F, -3}});
  CHECK(result.names.size() == result.graph->operators.size());
  CHECK(std::find(result.names.begin(), result.names.end(), "n_p") != result.names.end());
  CHECK(result.graph->tensor(result.graph->inputs[0]).name == "x");
  CHECK(result.graph->tensor(result.graph->outputs[0]).name == "y");
}

TEST_CASE("every way to hold a tensor gives the same graph") {
  const std::string expected = ir::print(*import_model(small_model()).graph);
  const auto printed = [](const std::function<void(TensorProto&)>& change) {
    onnx::ModelProto model = small_model();
    change(*model.mutable_graph()->mutable_initializer(2));
    const import::ImportResult result = import_model(model);
    REQUIRE(result.graph);
    return ir::print(*result.graph);
  };
  CHECK(printed([](TensorProto& w) {
          w.clear_raw_data();
          for (const int value : {1, -2, 3, 4}) w.add_int32_data(value);
        }) == expected);
  // INT4, two in a byte: the weights and their zero point are int4 in the graph too.
  std::string of_int4 = expected;
  for (const std::string_view name : {"tensor const_3 ", "tensor const_6 "})
    of_int4.replace(of_int4.find(name) + name.size(), 4, "int4");
  CHECK(printed([](TensorProto& w) {
          w.set_data_type(22);
          w.set_raw_data("\xe1\x43");
        }) == of_int4);
  CHECK(printed([](TensorProto& w) { w.set_raw_data(bytes_of({1, -2, 3, 5})); }) != expected);
  onnx::ModelProto listed = small_model();  // initializers may stand among the inputs
  add_end(*listed.mutable_graph()->add_input(), "w", {2, 2});
  CHECK(ir::print(*import_model(listed).graph) == expected);
  onnx::ModelProto constant = small_model();
  onnx::GraphProto& graph = *constant.mutable_graph();
  onnx::AttributeProto& value = *add_node(graph, "Constant", {}, "w").add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  *value.mutable_t() = graph.initializer(2);
  graph.mutable_initializer()->RemoveLast();
  CHECK(ir::print(*import_model(constant).graph) == expected);
}

TEST_CASE("initializers among the graph's inputs are constants") {
  onnx::ModelProto model = small_model();
  add_end(*model.mutable_graph()->add_input(), "s", {});
  add_end(*model.mutable_graph()->add_input(), "w", {2, 2});
  const import::ImportResult result = import_model(model);
  REQUIRE(result.graph);
  CHECK(ir::print(*result.graph) == ir::print(*import_model(small_model()).graph));
}

TEST_CASE("the element of a ConstantOfShape is read") {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_tensor(graph, "sizes", TensorProto::INT64, {1}).add_int64_data(1);
  auto& attribute = *add_node(graph, "ConstantOfShape", {"sizes"}, "shape").add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(TensorProto::INT64);
  attribute.mutable_t()->add_dims(1);
  attribute.mutable_t()->add_int64_data(-1);
  add_node(graph, "Reshape", {"y", "shape"}, "flat");
  graph.mutable_output(0)->set_name("flat");
  const import::ImportResult result = import_model(model);
  REQUIRE(result.graph);
  CHECK(result.graph->tensor(result.graph->outputs[0]).shape == base::Shape{2});
}

TEST_CASE("nodes may stand in any order, but not in a circle") {
  onnx::ModelProto model = small_model();
  const std::string expected = ir::print(*import_model(model).graph);
  auto& nodes = *model.mutable_graph()->mutable_node();
  std::reverse(nodes.begin(), nodes.end());
  CHECK(ir::print(*import_model(model).graph) == expected);
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_node(0)->set_input(0, "pq"); }) ==
        "f: node 'n_xq' (QuantizeLinear) reads what depends on its own result: the graph has a cycle");
}

TEST_CASE("external data lies in the model's folder, and nowhere else") {
  const tests::TemporaryDirectory folder;
  base::write_text_file(folder / "w.bin", "__" + bytes_of({1, -2, 3, 4}));
  std::filesystem::create_directory(folder / "inside");
  base::write_text_file(folder / "inside/v.bin", bytes_of({1, -2, 3, 4}));
  std::filesystem::create_symlink(folder / "w.bin", folder / "inside/link.bin");
  const std::string file = (folder / "m.onnx").string(), deep = (folder / "inside/m.onnx").string();
  const auto model = [&](const std::map<std::string, std::string>& entries) {
    onnx::ModelProto changed = small_model();
    TensorProto& w = *changed.mutable_graph()->mutable_initializer(2);
    w.clear_raw_data();
    w.set_data_location(TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto& entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return changed;
  };
  const import::ImportResult good = import_model(model({{"location", "w.bin"}, {"offset", "2"}, {"length", "4"}}), file);
  REQUIRE(good.graph);
  CHECK(ir::print(*good.graph) == ir::print(*import_model(small_model()).graph));
  CHECK(complaints(model({{"location", "inside/v.bin"}}), file).empty());
  const std::string who = file + ": initializer 'w' ";
  CHECK(complaints(model({{"location", "no.bin"}}), file) == who + "has external data in 'no.bin', which is no file there");
  CHECK(complaints(model({{"location", "inside"}}), file) == who + "has external data in 'inside', which is no file there");
  CHECK(complaints(model({{"location", "w.bin"}, {"offset", "3"}}), file) ==
        who + "has 4 bytes of external data from byte 3 of 'w.bin' on, which has 6");
  CHECK(complaints(model({{"location", "w.bin"}, {"length", "5"}}), file) == who + "takes 4 bytes, its external data has 5");
  CHECK_THAT(complaints(model({{"location", "w.bin"}, {"offset", "-1"}}), file), Contains("'-1', expected a number"));
  for (const std::string& outside :
       {std::string("../w.bin"), (folder / "w.bin").string(), std::string("link.bin"), std::string()})
    CHECK(complaints(model({{"location", outside}}), deep) ==
          fmt::format("{}: initializer 'w' has external data in '{}', allowed are files in the folder of the model", deep,
                      outside));
}

TEST_CASE("what is wrong with a graph is told by name, all at once") {
  CHECK(after([](onnx::GraphProto& graph) {
          graph.mutable_node(3)->set_input(1, "nobody");
          graph.mutable_node(4)->set_input(1, "none");
        }) ==
        "f: node 'n_p' (MatMul) reads 'nobody', which nothing gives\n"
        "f: node 'n_pq' (QuantizeLinear) reads 'none', which nothing gives");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_node(1)->set_output(0, "xq"); }) ==
        "f: value 'xq' is given twice, allowed is once");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_output(0)->set_name("q"); }) ==
        "f: output 'q' is given by nothing");
  CHECK(after([](onnx::GraphProto& graph) { graph.clear_output(); }) == "f: the graph has no output, needed is one");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_initializer(2)->set_data_type(TensorProto::FLOAT16); }) ==
        "f: initializer 'w' has type FLOAT16, allowed are FLOAT and integers");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_initializer(2)->set_data_type(99); }) ==
        "f: initializer 'w' has type number 99, allowed are FLOAT and integers");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_initializer(2)->set_dims(0, 3); }) ==
        "f: initializer 'w' of shape [3, 2] takes 6 bytes, found 4");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_initializer(2)->set_dims(0, int64_t{1} << 60); }) ==
        "f: initializer 'w' has shape [1152921504606846976, 2], which is none");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_initializer(1)->set_int32_data(0, 128); }) ==
        "f: initializer 'z' holds 128, its type has -128 to 127");
  CHECK(after([](onnx::GraphProto& graph) { graph.add_node()->set_op_type("Relu"); }) ==
        "f: node 'number 6' (Relu) has no output, needed is one");
  CHECK(after([](onnx::GraphProto& graph) { graph.mutable_initializer(0)->add_float_data(1); }) ==
        "f: initializer 's' of shape [] takes 1 elements, found 2");
}

TEST_CASE("operators that there are not are told beside what is wrong with constants") {
  CHECK_THAT(
      after([](onnx::GraphProto& graph) {
        graph.mutable_initializer(2)->set_data_type(TensorProto::DOUBLE);
        graph.mutable_node(3)->set_op_type("Einsum");
      }),
      StartsWith(
          "f: initializer 'w' has type DOUBLE, allowed are FLOAT and integers\nf: node 'n_p' (Einsum): is not supported"));
}

TEST_CASE("opsets, damaged files") {
  onnx::ModelProto old = small_model();
  old.mutable_opset_import(0)->set_version(9);
  CHECK(complaints(old) == "f: opset 9 of ONNX, allowed are 10 and newer");
  old.clear_opset_import();
  CHECK(complaints(old) == "f: imports no opset of ONNX, allowed are 10 and newer");
  onnx::ModelProto newer = small_model();
  newer.mutable_opset_import(0)->set_version(1000);
  CHECK(complaints(newer) == "f: opset 1000 of ONNX is newer than 28: its operators are taken as they are there");
  const std::string text = small_model().SerializeAsString();
  for (size_t size = 8; size < text.size(); size += 7) {
    const std::string_view part = std::string_view(text).substr(0, size);
    const import::ImportResult result = import::import_network("f", std::as_bytes(std::span(part)), {});
    CHECK_FALSE(result.graph);
    CHECK_FALSE(result.findings.empty());
  }
}
