// SPDX-License-Identifier: Apache-2.0
// The DMA: two channels with a queue each, one unit in the report.
//
// Contract: dma_channel.hpp, twice. Timing: a cycle is busy when any channel moves data, else a stall of the lowest channel
// that stalls, else idle. Within a phase, stalls are taken to come first. Channel 0 is served before channel 1.
#pragma once

#include "sim/units/dma_channel.hpp"

namespace vernier::units {

class Dma : public kit::Module {
 public:
  Dma(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config);
  void reset() override;
  [[nodiscard]] kit::StateTracker& tracker() { return tracker_; }
  /// After reset(), before the job begins: of the copies from or to external memory that start from `cycle` on, the one of
  /// that number from 0 gets a bus error.
  void fail(int64_t cycle, int64_t number) { bus_error_.arm(cycle, number); }
  [[nodiscard]] const std::optional<InjectedFault>& injected() const { return bus_error_.injected(); }

 private:
  kit::StateTracker tracker_;
  DueEvent bus_error_;

 public:
  DmaChannel channel0, channel1;
};

}  // namespace vernier::units
