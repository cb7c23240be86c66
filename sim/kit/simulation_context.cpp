// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/simulation_context.hpp"

#include "sim/kit/report_handler.hpp"

#include <vector>

namespace vernier::kit {

SimulationContext::SimulationContext() {
  static auto* all = new std::vector<sc_core::sc_simcontext*>;  // never destroyed: what it holds stays reachable
  install_report_handler();
  context_ = all->emplace_back(new sc_core::sc_simcontext);
  activate();
}

void SimulationContext::activate() const {
  sc_core::sc_curr_simcontext = context_;
  sc_core::sc_default_global_context = context_;
}

}  // namespace vernier::kit
