// SPDX-License-Identifier: Apache-2.0
// A hundred random single-operator graphs equal the reference, half of them in an SRAM that hardly holds them.
#include "compiler/reference/interpreter.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/e2e/system/random_graph.hpp"

#include <catch2/catch.hpp>

#include <iostream>

namespace vernier::tests {
namespace {

constexpr uint64_t kNumGraphs = 100;

void check_equal(const RandomGraph& random, const package::Package& package, soc::Npu& npu, uint64_t seed) {
  const std::vector<base::Tensor> inputs = random_inputs(random.graph, seed);
  const soc::JobResult job = npu.run(package, inputs);
  INFO(status_text(job));
  if (const auto* fault = std::get_if<soc::Fault>(&job.status)) UNSCOPED_INFO(fault->detail);
  REQUIRE(job.is_done());
  CHECK(job.outputs == reference::run(random.graph, inputs).outputs);
}

}  // namespace

TEST_CASE("random single operators equal the reference") {
  const std::string preset = GENERATE("v64", "v256", "v1024");
  const config::MachineConfig config = machine(preset, spec::MemoryMode::Sram);
  soc::Npu npu(config);
  for (uint64_t seed = 0; seed < kNumGraphs; ++seed) {
    const RandomGraph random = random_graph(seed, false);
    INFO(preset << " " << random.what);
    for (const int64_t optimize : {0, 1}) check_equal(random, compile(random.graph, config, optimize), npu, seed);
  }
}

TEST_CASE("random single operators equal the reference in stripes and blocks") {
  const config::MachineConfig config = machine("v256", spec::MemoryMode::WeightsExternal);
  int num_split = 0;
  for (uint64_t seed = 0; seed < kNumGraphs / 2; ++seed) {
    const RandomGraph random = random_graph(seed, true);
    config::MachineConfig small = config;
    small.sram_bytes = least_sram_bytes(random.graph, config, 1);
    const package::Package package = compile(random.graph, small, 1);
    const auto whole = commands_of(compile(random.graph, config, 0)).size();
    const auto pieces = commands_of(package).size();
    INFO(random.what << ": " << small.sram_bytes << " bytes of SRAM, " << pieces << " commands instead of " << whole);
    if (pieces > whole) ++num_split;
    soc::Npu npu(small);
    check_equal(random, package, npu, seed);
  }
  std::cout << num_split << " of " << kNumGraphs / 2 << " graphs run in more commands than they have steps\n";
  CHECK(num_split >= static_cast<int>(kNumGraphs) * 4 / 10);
}

}  // namespace vernier::tests
