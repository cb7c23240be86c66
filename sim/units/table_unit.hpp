// SPDX-License-Identifier: Apache-2.0
// The table unit: N lanes of look-up, one vector a cycle, and the table memory, two slots of 513 x 16, 256 x 8 or 256 x 32
// bit.
//
// Contract: the DMA fills a slot (TableFill), the array's epilogue and the vector unit look up. All lanes hold the same
// table, so it is kept once. Timing: the demand for table lanes of the phases in flight; the array's epilogue is served
// first. Filling is a DMA command.
#pragma once

#include "sim/kit/module.hpp"
#include "sim/units/lanes_tracker.hpp"
#include "sim/units/unit_if.hpp"

namespace vernier::units {

class TableUnit : public kit::Module, public TableIf {
 public:
  TableUnit(const sc_core::sc_module_name& name, kit::JobClock& clock)
      : kit::Module(name, clock),
        users_(declare("users", kit::SignalKind::Count)),
        busy_(declare("busy", kit::SignalKind::Flow, "cycles")) {}
  void reset() override;
  void begin_use() override {
    tracker_.begin_use(now());
    show(users_, tracker_.num_users());
  }
  void end_use(int64_t vectors) override {
    if (const auto use = tracker_.end_use(vectors, now()))
      signals().move(busy_, use->start_cycle, use->end_cycle, use->busy_cycles);
    show(users_, tracker_.num_users());
  }
  [[nodiscard]] const kernels::TableMemory& tables() const override { return tables_; }
  void fill(int64_t slot, base::ElementType type, std::span<const std::byte> bytes) override;
  [[nodiscard]] LanesTracker& tracker() { return tracker_; }

 private:
  LanesTracker tracker_;
  kit::SignalId users_;  // phases that use the lanes
  kit::SignalId busy_;   // cycles in which they work, over each stretch in which somebody uses them
  kernels::TableMemory tables_;
};

}  // namespace vernier::units
