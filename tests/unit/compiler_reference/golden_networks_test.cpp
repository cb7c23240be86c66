// SPDX-License-Identifier: Apache-2.0
// The reference against real networks: outputs for three seeds, every intermediate tensor for the first.
#include "compiler/import/import.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <string>

namespace vernier {

namespace {

namespace fs = std::filesystem;

base::Tensor read_for(const ir::Graph& graph, ir::TensorId id, const fs::path& path) {
  return base::read_npy(path, graph.tensor(id).type, graph.tensor(id).shape);
}

void check_outputs(const ir::Graph& graph, const fs::path& folder) {
  const reference::Result result = reference::run(graph, {read_for(graph, graph.inputs[0], folder / "input0.npy")});
  CHECK(result.unpredictable.empty());
  REQUIRE(result.outputs.size() == 1);
  CHECK(result.outputs[0] == read_for(graph, graph.outputs[0], folder / "output_tosa.npy"));
}

/// The text of `"key": "TEXT"` behind `at`, which is set behind it; "" when there is none.
std::string text_field(const std::string& json, const std::string& key, size_t& at) {
  const std::string start = fmt::format("\"{}\": \"", key);
  const size_t found = json.find(start, at);
  if (found == std::string::npos) return "";
  at = json.find('"', found + start.size());
  return json.substr(found + start.size(), at - found - start.size());
}

/// CRC-32 of each computed tensor, from the file's fields "tensor" and "crc32".
std::map<std::string, std::string> read_checksums(const fs::path& path) {
  const std::string json = base::read_text_file(path);
  std::map<std::string, std::string> checksums;
  size_t at = 0;
  for (std::string name = text_field(json, "tensor", at); !name.empty(); name = text_field(json, "tensor", at)) {
    checksums[name] = text_field(json, "crc32", at);
  }
  return checksums;
}

void check_intermediates(const ir::Graph& graph, const fs::path& folder) {
  auto expected = read_checksums(folder / "intermediate.json");
  CHECK(expected.size() == graph.operators.size());
  const auto observe = [&](ir::TensorId id, const base::Tensor& tensor) {
    const std::string& name = graph.tensor(id).name;
    INFO("tensor " << name);
    CHECK(fmt::format("{:08x}", base::crc32(tensor.bytes())) == expected[name]);
  };
  reference::run(graph, {read_for(graph, graph.inputs[0], folder / "seed0/input0.npy")}, observe);
}

void check_network(const std::string& name) {
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  INFO(name);
  const ir::Graph graph = import::import_file(nets / name / "model.tosa", ir::kLevel8k);
  for (const char* seed : {"seed0", "seed1", "seed2"}) check_outputs(graph, nets / name / seed);
  check_intermediates(graph, nets / name);
  const std::string text = ir::print(graph);
  CHECK(ir::print(ir::parse("printed", text)) == text);
}

}  // namespace

TEST_CASE("real networks give the outputs and inner tensors of the official reference model") {
  check_network(GENERATE("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8",
                         "mobilenet_v1_025_96_int8", "pretrainedResnet_quant", "str_ww_ref_model", "vit_tiny_int8",
                         "vww_96_int8"));
}

TEST_CASE("MobileNetV2 and a U-Net give the outputs and inner tensors of the official reference model", "[slow]") {
  check_network(GENERATE("mobilenet_v2_quantized_1x3x224x224", "unet_96_int8"));
}

TEST_CASE("ResNet-50 gives the outputs and inner tensors of the official reference model", "[slow]") {
  check_network("resnet50_int8");
}

TEST_CASE("multiply-accumulates of the real networks are those of their README") {
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  const std::map<std::string, int64_t> expected{{"ad01_int8", 264192},
                                                {"ds_cnn_kws_int16x8", 2656768},
                                                {"kws_ref_model", 2656768},
                                                {"mobilenet_v1_025_96_int16x8", 7514752},
                                                {"mobilenet_v1_025_96_int8", 7514752},
                                                {"mobilenet_v2_quantized_1x3x224x224", 300774272},
                                                {"pretrainedResnet_quant", 12501632},
                                                {"resnet50_int8", 3857973248},
                                                {"str_ww_ref_model", 826368},
                                                {"unet_96_int8", 245809152},
                                                {"vit_tiny_int8", 4428672},
                                                {"vww_96_int8", 7489664}};
  for (const auto& [name, macs] : expected) {
    INFO(name);
    const ir::Graph graph = import::import_file(nets / name / "model.tosa", ir::kLevel8k);
    int64_t total = 0;
    for (const ir::Operator& op : graph.operators) total += ir::macs_of(graph, op);
    CHECK(total == macs);
  }
}

}  // namespace vernier
