// SPDX-License-Identifier: Apache-2.0
// A queued unit whose results lie in SRAM: the array and the vector unit.
//
// Contract: queued_unit.hpp; what a command has put into its write set is committed to SRAM at its end. The unit has two
// tracks, main and drain, of one tracker.
#pragma once

#include "sim/mem/memory.hpp"
#include "sim/units/queued_unit.hpp"

namespace vernier::units {

class SramUnit : public QueuedUnit {
 public:
  sc_core::sc_port<mem::MemoryIf> sram_port{"sram_port"};

  void reset() override;
  [[nodiscard]] kit::StateTracker& tracker() { return tracker_; }

 protected:
  SramUnit(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config, spec::Queue queue,
           timing::Priority main_priority, timing::Priority drain_priority);
  void commit(Running& running) override;
  /// The fault of a command that needs table slot `slot` to hold a table of `needed`; none when it does.
  [[nodiscard]] std::optional<CommandFault> check_table(int64_t slot, base::ElementType needed) const;

 private:
  kit::StateTracker tracker_;
};

}  // namespace vernier::units
