// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dma.hpp"

namespace vernier::units {

Dma::Dma(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config)
    : kit::Module(name, clock),
      tracker_(kStallNames, 4, kit::Merge::AnyBusy),
      channel0("channel0", clock, config, {spec::Queue::Dma0, timing::Priority::Dma, timing::Priority::Dma, &tracker_, 0, 1},
               bus_error_),
      channel1("channel1", clock, config, {spec::Queue::Dma1, timing::Priority::Dma, timing::Priority::Dma, &tracker_, 2, 3},
               bus_error_) {
  tracker_.declare_state(signals(), this->name());
}

void Dma::reset() {
  tracker_.reset();
  bus_error_.reset();
  channel0.reset();
  channel1.reset();
}

}  // namespace vernier::units
