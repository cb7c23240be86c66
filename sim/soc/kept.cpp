// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/kept.hpp"

#include <algorithm>
#include <list>
#include <utility>

namespace vernier::soc {
namespace {

template <typename Made>
struct Idle {
  config::MachineConfig config;
  Control control;
  std::unique_ptr<Made> machine;
};

/// The one that was used longest ago comes first. Never destroyed: SystemC does not survive that at the end of a process.
template <typename Made>
std::list<Idle<Made>>& idle() {
  static auto* all = new std::list<Idle<Made>>;
  return *all;
}

template <typename Made>
std::unique_ptr<Made> take(const config::MachineConfig& config, Control control) {
  const auto found =
      std::ranges::find_if(idle<Made>(), [&](const auto& one) { return one.control == control && one.config == config; });
  if (found == idle<Made>().end()) return nullptr;
  std::unique_ptr<Made> machine = std::move(found->machine);
  idle<Made>().erase(found);
  return machine;
}

std::unique_ptr<Npu> machine_of(std::unique_ptr<Npu> kept, const config::MachineConfig& config, Control control) {
  return kept ? std::move(kept) : std::make_unique<Npu>(config, control);
}

std::unique_ptr<Device> machine_of(std::unique_ptr<Device> kept, const config::MachineConfig& config, Control control) {
  if (!kept) return std::make_unique<Device>(config, DeviceOptions{.control = control});
  kept->power_on();
  return kept;
}

}  // namespace

template <typename Made>
Kept<Made>::Kept(const config::MachineConfig& config, Control control)
    : config_(config), control_(control), machine_(machine_of(take<Made>(config, control), config, control)) {}

template <typename Made>
Kept<Made>::~Kept() {
  if (!is_kept_ || !machine_) return;
  machine_->rest();
  idle<Made>().push_back({std::move(config_), control_, std::move(machine_)});
  if (idle<Made>().size() > kMostKept) idle<Made>().pop_front();
}

template class Kept<Npu>;
template class Kept<Device>;

JobResult run_kept(const package::Package& package, const std::vector<base::Tensor>& inputs, const JobOptions& options) {
  KeptNpu npu(package.config);
  JobResult job = npu.machine().run(package, inputs, options);
  if (job.is_done()) npu.keep();
  return job;
}

}  // namespace vernier::soc
