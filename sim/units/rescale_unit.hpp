// SPDX-License-Identifier: Apache-2.0
// The rescale unit: N lanes of multiplier, rounding and saturation, one vector a cycle, used by the array's epilogue and by
// the vector unit.
//
// Contract: its arithmetic is part of the commands that use it (hw/model by way of sim/kernels); this module is its
// activity. Timing: the demand for rescale lanes of the phases in flight; the array's epilogue is served first
// (hw/timing/in_flight.hpp).
#pragma once

#include "sim/kit/module.hpp"
#include "sim/units/lanes_tracker.hpp"
#include "sim/units/unit_if.hpp"

namespace vernier::units {

class RescaleUnit : public kit::Module, public LanesIf {
 public:
  RescaleUnit(const sc_core::sc_module_name& name, kit::JobClock& clock)
      : kit::Module(name, clock),
        users_(declare("users", kit::SignalKind::Count)),
        busy_(declare("busy", kit::SignalKind::Flow, "cycles")) {}
  void reset() override {
    tracker_.reset();
    show_at_start(users_, 0);
  }
  void begin_use() override {
    tracker_.begin_use(now());
    show(users_, tracker_.num_users());
  }
  void end_use(int64_t vectors) override {
    if (const auto use = tracker_.end_use(vectors, now()))
      signals().move(busy_, use->start_cycle, use->end_cycle, use->busy_cycles);
    show(users_, tracker_.num_users());
  }
  [[nodiscard]] LanesTracker& tracker() { return tracker_; }

 private:
  LanesTracker tracker_;
  kit::SignalId users_;  // phases that use the lanes
  kit::SignalId busy_;   // cycles in which they work, over each stretch in which somebody uses them
};

}  // namespace vernier::units
