// SPDX-License-Identifier: Apache-2.0
// Networks and hand-made packages on blocks, for tests.
#pragma once

#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/file.hpp"
#include "sim/cosim/network/rtl_datapath.hpp"
#include "sim/soc/npu.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vernier::cosim {

inline constexpr int64_t kLanes = 8;

inline config::MachineConfig v64() { return config::preset_config("v64", "test"); }

struct Ran {
  NetworkReport report;
  std::vector<base::Tensor> outputs;
};

inline Ran run_on(std::unique_ptr<RtlBlock> block, const package::Package& package, const std::vector<base::Tensor>& inputs,
                  RtlDatapathOptions options = {}) {
  Ran ran;
  ran.report.lanes = package.config.datapath.lanes;
  ClockedBlock clocked(std::move(block), spec::kRtlBlocks[3], ran.report.lanes);
  options.run.seed = 5;
  auto datapath = std::make_unique<RtlDatapath>(clocked, package, ran.report.result, std::move(options));
  soc::Npu npu(package.config, std::move(datapath));
  soc::JobResult job = npu.run(package, inputs);
  INFO((std::holds_alternative<soc::Fault>(job.status) ? std::get<soc::Fault>(job.status).detail : ""));
  REQUIRE(job.is_done());
  ran.outputs = std::move(job.outputs);
  return ran;
}

inline package::Package compiled(const std::string& network, const config::MachineConfig& config) {
  const std::string file = tests::source_path("tests/golden/networks/" + network + "/model.tosa");
  const std::vector<std::byte> bytes = base::read_file(file);
  return emit::compile(import::import_graph(file, bytes, ir::kLevel8k), {file, bytes}, config, {1});
}

inline std::vector<base::Tensor> random_inputs(const package::Package& package) {
  Random random(9);
  std::vector<base::Tensor> inputs;
  for (const int32_t idx : package.inputs) {
    const package::TensorEntry& entry = package.tensors[static_cast<size_t>(idx)];
    base::Tensor& input = inputs.emplace_back(entry.type, entry.shape);
    for (int64_t i = 0; i < input.size(); ++i)
      input.set(i, random.within(base::min_value(entry.type), base::max_value(entry.type)));
  }
  return inputs;
}

inline std::vector<base::Tensor> kernels_outputs(const package::Package& package, const std::vector<base::Tensor>& inputs) {
  return soc::Npu(package.config).run(package, inputs).outputs;
}

}  // namespace vernier::cosim
