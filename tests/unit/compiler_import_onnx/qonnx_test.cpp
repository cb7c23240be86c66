// SPDX-License-Identifier: Apache-2.0
// QONNX's domains and the versions of Trunc, in files that the test builds through the protocol buffer classes.
#include "compiler/import/import.hpp"
#include "tests/support/import_text.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <onnx/onnx_pb.h>
#include <span>
#include <string>

using namespace vernier;
using Catch::Matchers::Contains;
using onnx::TensorProto;

namespace {

// Strings: g++ 12 takes the setters of literals for overlapping copies (-Wrestrict).
const std::string kNode = "n", kInput = "x", kOutput = "y", kSigned = "signed", kNarrow = "narrow";

void add_end(onnx::ValueInfoProto& end, const std::string& name) {
  end.set_name(name);
  auto& type = *end.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_value(4);
}

/// A node of some domain on x [4], with as many constants of 1, 4 or 8 as it has other inputs.
onnx::ModelProto model_of(const std::string& domain, const std::string& kind, int num_inputs, int64_t version) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  if (version > 0) {
    auto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(kind);
  node.set_domain(domain);
  node.set_name(kNode);
  node.add_input(kInput);
  node.add_output(kOutput);
  const float numbers[] = {1, 0, 8, 4, 4};
  for (int i = 0; i + 1 < num_inputs; ++i) {
    TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(fmt::format("c{}", i));
    tensor.set_data_type(TensorProto::FLOAT);
    tensor.add_float_data(numbers[i]);
    node.add_input(tensor.name());
  }
  for (const std::string& name : {kSigned, kNarrow}) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(name == kSigned ? 1 : 0);
  }
  add_end(*graph.add_input(), kInput);
  add_end(*graph.add_output(), kOutput);
  return model;
}

import::ImportResult import_from_bytes(const onnx::ModelProto& model){const std::string text = model.SerializeAsString();
static tests::Recorded rows("tests/unit/compiler_import_onnx/recorded_qonnx.txt");
return tests::recorded(rows, import::import_network("f", std::as_bytes(std::span(text)), {}));
}  // namespace

std::string findings(const onnx::ModelProto& model) {
  std::string text;
  for (const import::Finding& finding : import_from_bytes(model).findings)
    text +=
        fmt::format("{}: {}", finding.severity == import::Finding::Severity::Warning ? "warning" : "error", finding.text);
  return text;
}

}  // namespace

TEST_CASE("quantizers are known in each of QONNX's domains, imported or not") {
  for (const char* domain : {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"}) {
    for (const char* kind : {"Quant", "IntQuant"}) {
      for (const int64_t version : {0, 1, 2}) CHECK(findings(model_of(domain, kind, 4, version)).empty());
    }
    CHECK(findings(model_of(domain, "BipolarQuant", 2, 0)).empty());
    CHECK(findings(model_of(domain, "FloatQuant", 6, 1)) ==
          "error: f: node 'n' (FloatQuant) gives floats of few bits, allowed are integers");
  }
  CHECK_THAT(findings(model_of("qonnx.custom_op.general", "QuantX", 4, 1)), Contains("node 'n' (QuantX) is not supported"));
  CHECK_THAT(findings(model_of("some.other", "Quant", 4, 1)), Contains("is not quantized"));
}

TEST_CASE("the number of inputs is Trunc's version, and an import of another one is told") {
  const std::string domain = "qonnx.custom_op.general";
  const auto scale_of_result = [&](int num_inputs, int64_t version) {
    return import_from_bytes(model_of(domain, "Trunc", num_inputs, version)).boundary.outputs.at(0).scale;
  };
  CHECK(findings(model_of(domain, "Trunc", 5, 0)).empty());
  CHECK(findings(model_of(domain, "Trunc", 5, 1)).empty());
  CHECK(scale_of_result(5, 1) == 1);
  for (const int64_t version : {2, 3}) {
    CHECK_THAT(
        findings(model_of(domain, "Trunc", 5, version)),
        Contains("error: f: node 'n' (Trunc) has 5 inputs, expected 6: out_scale is missing, since the file imports"));
    CHECK(findings(model_of(domain, "Trunc", 6, version)).empty());
  }
  for (const int64_t version : {0, 1}) {
    CHECK_THAT(findings(model_of(domain, "Trunc", 6, version)),
               Contains("warning: f: node 'n' (Trunc) has 6 inputs, so it is version 2, although the file imports"));
    CHECK(scale_of_result(6, version) == 4);
  }
  CHECK_THAT(findings(model_of(domain, "Trunc", 4, 1)),
             Contains("there are 4 inputs, expected 5 (version 1) or 6 (version 2)"));
}
