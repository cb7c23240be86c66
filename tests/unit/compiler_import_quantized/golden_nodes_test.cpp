// SPDX-License-Identifier: Apache-2.0
// The networks of tests/golden/onnx_nodes: operators with each attribute that a lowering reads, and the codes of
// onnxruntime.
#include "tests/support/source_tree.hpp"
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

using namespace vernier;
using namespace vernier::tests;
using Json = nlohmann::json;

namespace {

NumberType type_named(const std::string& name) {
  static const std::map<std::string, NumberType> kTypes{{"float32", kFloat}, {"int8", kInt8},   {"uint8", kUint8},
                                                        {"int16", kInt16},   {"int32", kInt32}, {"int64", kInt64}};
  return kTypes.at(name);
}

Attribute attribute_from(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return json.get<std::vector<int64_t>>();
  if (json.is_number_float()) return json.get<float>();
  return json.get<int64_t>();
}

NetworkBuilder network_from(const Json& json) {
  NetworkBuilder builder(json["input"]["shape"].get<base::Shape>());
  Network& network = builder.network;
  network.opset = json["opset"];
  for (const auto& [name, constant] : json["constants"].items()) {
    Constant made{type_named(constant["type"]), constant["shape"].get<base::Shape>(), {}, {}};
    if (made.type.is_float)
      made.floats = constant["elements"].get<std::vector<float>>();
    else
      made.integers = constant["elements"].get<std::vector<int64_t>>();
    network.constants[name] = std::move(made);
  }
  for (const Json& node : json["nodes"]) {
    Node made{"n_" + node["outputs"][0].get<std::string>(), node["kind"], node["inputs"], node["outputs"], {}};
    for (const auto& [name, attribute] : node["attributes"].items()) made.attributes[name] = attribute_from(attribute);
    network.nodes.push_back(std::move(made));
  }
  builder.output(network.nodes.back().outputs.at(0));
  return builder;
}

/// As the graph has them: unsigned codes less half of their range.
std::vector<int64_t> codes_of(const Json& end) {
  auto codes = end["codes"].get<std::vector<int64_t>>();
  if (end["type"] == "uint8") {
    for (int64_t& code : codes) code -= 128;
  }
  return codes;
}

}  // namespace

TEST_CASE("operators with each attribute that is read give the codes of onnxruntime") {
  std::ifstream file(source_path("tests/golden/onnx_nodes/nodes.json"));
  const Json networks = Json::parse(file)["networks"];
  REQUIRE(networks.size() > 250);
  for (const Json& json : networks) {
    INFO(json["name"].get<std::string>());
    const NetworkBuilder builder = network_from(json);
    REQUIRE(builder.complaints().empty());
    const std::vector<int64_t> expected = codes_of(json["output"]);
    const std::vector<int64_t> found = builder.run(codes_of(json["input"]));
    REQUIRE(found.size() == expected.size());
    int64_t most = 0;
    size_t differences = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      most = std::max(most, std::abs(found[i] - expected[i]));
      differences += found[i] != expected[i] ? 1 : 0;
    }
    INFO(differences << " of " << found.size() << " codes differ, by up to " << most);
    if (json["has_inexact_ties"].get<bool>()) {
      CHECK(most <= 1);
      CHECK(differences * 20 < found.size());
    } else {
      CHECK(most == 0);
    }
  }
}
