// SPDX-License-Identifier: Apache-2.0
// A package on the model, and then on npu_core_sram.
#pragma once

#include "sim/cosim/core/core_network.hpp"
#include "tests/cosim/network_runs.hpp"

#include <algorithm>

namespace vernier::cosim {

inline CoreResult run_on_core(CoreSramBench& bench, const package::Package& package) {
  const std::vector<base::Tensor> inputs = random_inputs(package);
  soc::Npu npu(package.config);
  const soc::JobResult job = npu.run(package, inputs);
  REQUIRE(job.is_done());
  CoreNetwork network(package, job.commands);
  soc::JobOptions options;
  options.on_sram = [&](int64_t cycle, const mem::StorageView& sram) { network.see_sram(cycle, sram); };
  REQUIRE(npu.run(package, inputs, options).is_done());
  mem::Storage external(std::max<int64_t>(1, package.external_bytes));
  return network.run(bench, external);
}

}  // namespace vernier::cosim
