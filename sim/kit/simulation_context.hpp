// SPDX-License-Identifier: Apache-2.0
// A SystemC kernel for each machine, so that one can be elaborated after another has run.
#pragma once

#include <systemc>

namespace vernier::kit {

/// Modules made after construction or activate() belong to this context, sc_start() runs it. SystemC cannot free a context
/// (deleting one ends in a crash at exit), so it stays, reachable, until the process ends.
class SimulationContext {
 public:
  SimulationContext();
  void activate() const;

 private:
  sc_core::sc_simcontext* context_;
};

}  // namespace vernier::kit
