// SPDX-License-Identifier: Apache-2.0
// The reference against every small network of tests/golden/networks, whose results are the official reference model's.
#include "compiler/import/import.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/npy.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier {

TEST_CASE("the small networks give the outputs of the official reference model") {
  const auto folder = tests::source_path("tests/golden/networks");
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: tests/golden/networks is not there");
    return;
  }
  std::set<std::filesystem::path> networks;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) networks.insert(entry.path());
  }
  CHECK(!networks.empty());
  for (const auto& network : networks) {
    INFO(network.string());
    const ir::Graph graph = import::import_file(network / "model.tosa", ir::kLevel8k);
    const auto read = [&](ir::TensorId id) {
      const ir::TensorInfo& info = graph.tensor(id);
      return base::read_npy(network / (info.name + ".npy"), info.type, info.shape);
    };
    std::vector<base::Tensor> inputs;
    for (const ir::TensorId id : graph.inputs) inputs.push_back(read(id));
    const reference::Result result = reference::run(graph, inputs);
    CHECK(result.unpredictable.empty());
    REQUIRE(result.outputs.size() == graph.outputs.size());
    for (size_t i = 0; i < result.outputs.size(); ++i) CHECK(result.outputs[i] == read(graph.outputs[i]));
    CHECK(ir::print(ir::parse("printed", ir::print(graph))) == ir::print(graph));
  }
}

}  // namespace vernier
