// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/kept_npu.hpp"

#include <algorithm>
#include <list>
#include <utility>

namespace vernier::soc {
namespace {

struct Idle {
  config::MachineConfig config;
  Control control;
  std::unique_ptr<Npu> npu;
};

/// The one that was used longest ago comes first. Never destroyed: SystemC does not survive that at the end of a process.
std::list<Idle>& idle() {
  static auto* all = new std::list<Idle>;
  return *all;
}

std::unique_ptr<Npu> take(const config::MachineConfig& config, Control control) {
  const auto found =
      std::ranges::find_if(idle(), [&](const Idle& one) { return one.control == control && one.config == config; });
  if (found == idle().end()) return std::make_unique<Npu>(config, control);
  std::unique_ptr<Npu> npu = std::move(found->npu);
  idle().erase(found);
  return npu;
}

}  // namespace

KeptNpu::KeptNpu(const config::MachineConfig& config, Control control)
    : config_(config), control_(control), npu_(take(config, control)) {}

KeptNpu::~KeptNpu() {
  if (!is_kept_ || !npu_) return;
  npu_->rest();
  idle().push_back({std::move(config_), control_, std::move(npu_)});
  if (idle().size() > kMostKeptNpus) idle().pop_front();
}

}  // namespace vernier::soc
