// SPDX-License-Identifier: Apache-2.0
// The checks of a command against the machine's state: bounds, parity, unwritten bytes, and conflicts with what is in flight
// (docs: "When values move").
//
// Rule of conflicts: two commands in flight that share a byte, one of them writing, on different queues, or as
// read-after-write on one queue, are a fault that names both. A queue keeps its other pairs in order by itself. Within one
// command an output may overlap an input only same element on same element. Ranges are byte-exact boxes; table slots and
// kept accumulators are ranges. Timing: none; hardware would not have it. Always on.
#pragma once

#include "hw/package/range.hpp"
#include "sim/kit/module.hpp"
#include "sim/mem/memory.hpp"
#include "sim/units/unit_if.hpp"

#include <vector>

namespace vernier::units {

class HazardChecker : public kit::Module, public HazardIf {
 public:
  HazardChecker(const sc_core::sc_module_name& name, kit::JobClock& clock, const spec::Datapath& datapath);
  sc_core::sc_port<mem::MemoryIf> sram_port{"sram_port"};
  sc_core::sc_port<mem::MemoryIf> external_port{"external_port"};
  sc_core::sc_port<CommandLogIf> log_port{"log_port"};

  void reset() override { in_flight_.clear(); }
  [[nodiscard]] std::optional<CommandFault> check_bounds(const IssuedCommand& command) override;
  [[nodiscard]] std::optional<CommandFault> enter(const IssuedCommand& command) override;
  void mark_written(int32_t command_idx) override;
  void leave(int32_t command_idx) override;

 private:
  struct Entry {
    int32_t command_idx;
    spec::Queue queue;
    std::vector<package::Range> ranges;
  };
  [[nodiscard]] mem::MemoryIf* memory_of(package::Storage storage);
  [[nodiscard]] std::optional<CommandFault> check_read(const std::vector<package::Range>& ranges);
  [[nodiscard]] std::optional<CommandFault> check_conflicts(const IssuedCommand& command,
                                                            const std::vector<package::Range>& ranges) const;
  [[nodiscard]] std::vector<Entry>::iterator entry_of(int32_t command_idx);

  spec::Datapath datapath_;
  std::vector<Entry> in_flight_;
  std::vector<package::Range> ranges_;  // of the command that check_bounds saw last
};

}  // namespace vernier::units
