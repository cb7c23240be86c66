// SPDX-License-Identifier: Apache-2.0
// Whole networks, lowered and run step by step: the made ones of this tree and the twelve real ones of ../shared.
#include "compiler/import/import.hpp"
#include "hw/base/npy.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace vernier {
namespace {

namespace fs = std::filesystem;

void check_equal(const ir::Graph& graph, const std::vector<base::Tensor>& inputs, const std::string& machine,
                 const tests::RunOptions& options) {
  INFO("machine " << machine << ", optimize " << options.optimize << ", cut seed " << options.cut_seed);
  const tests::RunResult result = tests::lower_and_run(graph, inputs, machine, options);
  CHECK(result.differences == std::vector<std::string>{});
  CHECK(result.elements_compared > 0);
  if (options.optimize > 0) return;
  for (const package::FoldedTensor& tensor : result.program.folded) CHECK(tensor.reason == "constant");
}

void check_all_ways(const ir::Graph& graph, const std::vector<base::Tensor>& inputs) {
  for (const std::string machine : {"v64", "v256", "v1024"}) {
    for (const int64_t optimize : {0, 1}) {
      check_equal(graph, inputs, machine, {optimize, 0});
      check_equal(graph, inputs, machine, {optimize, 7});
    }
  }
}

TEST_CASE("the made networks come out as the reference computes them") {
  std::vector<fs::path> networks;
  for (const auto& entry : fs::directory_iterator(tests::source_path("tests/golden/networks"))) {
    if (entry.is_directory()) networks.push_back(entry.path());
  }
  std::sort(networks.begin(), networks.end());
  REQUIRE(networks.size() >= 100);
  for (const fs::path& network : networks) {
    INFO("network " << network.filename().string());
    const ir::Graph graph = import::import_file(network / "model.tosa", ir::kLevel8k);
    std::vector<base::Tensor> inputs;
    for (const ir::TensorId id : graph.inputs) {
      const fs::path file = network / (graph.tensor(id).name + ".npy");
      inputs.push_back(base::read_npy(file, graph.tensor(id).type, graph.tensor(id).shape));
    }
    check_all_ways(graph, inputs);
  }
}

struct RealNetwork {
  std::string name;
  size_t most_steps;  // commands that it may take on v256: fused, not an operator each; with copies of its input
};

TEST_CASE("real networks come out as the reference computes them") {
  const auto network =
      GENERATE(RealNetwork{"ad01_int8", 10}, RealNetwork{"kws_ref_model", 24}, RealNetwork{"pretrainedResnet_quant", 21},
               RealNetwork{"mobilenet_v1_025_96_int8", 37}, RealNetwork{"str_ww_ref_model", 15},
               RealNetwork{"vww_96_int8", 35}, RealNetwork{"ds_cnn_kws_int16x8", 15},
               RealNetwork{"mobilenet_v1_025_96_int16x8", 35}, RealNetwork{"vit_tiny_int8", 86});
  const fs::path folder = tests::shared_path("golden/nets/" + network.name);
  if (folder.empty()) {
    WARN("../shared is not here: " << network.name << " is not run");
    return;
  }
  INFO(network.name);
  const ir::Graph graph = import::import_file(folder / "model.tosa", ir::kLevel8k);
  for (const std::string seed : {"seed0", "seed1"}) {
    const ir::TensorInfo& input = graph.tensor(graph.inputs[0]);
    const std::vector<base::Tensor> inputs{base::read_npy(folder / seed / "input0.npy", input.type, input.shape)};
    if (seed == "seed0") {
      check_all_ways(graph, inputs);
    } else {
      check_equal(graph, inputs, "v256", {1, 3});
    }
  }
  const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, 5), "v256", {1, 0});
  CHECK(result.differences == std::vector<std::string>{});
  CHECK(result.program.steps.size() <= network.most_steps);
}

TEST_CASE("large networks come out as the reference computes them", "[slow]") {
  const auto network = GENERATE(RealNetwork{"mobilenet_v2_quantized_1x3x224x224", 67}, RealNetwork{"unet_96_int8", 40},
                                RealNetwork{"resnet50_int8", 82});
  const fs::path folder = tests::shared_path("golden/nets/" + network.name);
  if (folder.empty()) {
    WARN("../shared is not here: " << network.name << " is not run");
    return;
  }
  INFO(network.name);
  const ir::Graph graph = import::import_file(folder / "model.tosa", ir::kLevel8k);
  const ir::TensorInfo& input = graph.tensor(graph.inputs[0]);
  const std::vector<base::Tensor> inputs{base::read_npy(folder / "seed0/input0.npy", input.type, input.shape)};
  const auto result = tests::lower_and_run(graph, inputs, "v256", {1, 5});
  CHECK(result.differences == std::vector<std::string>{});
  CHECK(result.program.steps.size() <= network.most_steps);
  if (network.name != "resnet50_int8") check_equal(graph, inputs, "v1024", {0, 0});
}

}  // namespace
}  // namespace vernier
