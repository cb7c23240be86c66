// SPDX-License-Identifier: Apache-2.0
// Jobs of several networks on one machine that stays powered: they come at their cycles, and each is looked at.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"
#include "sim/report/job_table.hpp"
#include "sim/soc/device.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// A network whose jobs come.
struct TrafficNetwork {
  std::string file;
  package::Package package;
  std::vector<base::Tensor> inputs;                   // of each job
  std::optional<std::vector<base::Tensor>> expected;  // the reference's outputs; none: they are not compared
  /// Of a network with variables, in the place of `expected`: the reference's outputs of the next job, each time that a job
  /// is done, in their order.
  std::function<std::vector<base::Tensor>()> next_expected{};
};

struct TrafficPlan {
  soc::DeviceOptions device;
  int64_t inferences = 1;      // jobs of each network
  int64_t arrival_cycles = 0;  // between two jobs of a network; 0: all come at once
  bool values = true;
};

/// The jobs of all networks, in the order of their arrival; of those that come in one cycle that of the first network comes
/// first. `progress(done, all)` is called after each. UserError where the networks do not fit the machine together,
/// soc::FirmwareError where its firmware fails.
report::JobTable run_traffic(const config::MachineConfig& config, std::vector<TrafficNetwork> networks,
                             const TrafficPlan& plan, const std::function<void(int64_t done, int64_t all)>& progress);

}  // namespace vernier::flow
