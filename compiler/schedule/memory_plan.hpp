// SPDX-License-Identifier: Apache-2.0
// Which buffers stay in SRAM while they live, and how each step is cut so that it can do with the rest.
#pragma once

#include "compiler/passes/program.hpp"
#include "compiler/schedule/tilings_of_steps.hpp"
#include "hw/base/indexed_vector.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

struct MemoryPlan {
  base::IndexedVector<passes::BufferId, bool> is_outside;
  std::vector<const Tiling*> tilings;  // by step, in places of their own
  std::vector<int64_t> budget_bytes;   // by step: what its tiling could have needed
  std::vector<Ends> ends;              // by step: what its tiling was chosen for
  std::vector<OperandSet> at_home;     // by step: the operands that the DMA command reaches outside by itself
  int64_t num_commands = 0;            // about
  int64_t least_bytes = 0;             // with nothing in SRAM that could be outside
  bool fits = false;
  [[nodiscard]] bool is_equal(const MemoryPlan& other) const;  // the same commands come of it
};

/// Everything in SRAM, nothing cut (memory mode sram).
MemoryPlan plan_without_memory(const std::vector<passes::Step>& steps, const passes::Program& program);

/// The tilings of steps: `steps` are those of the program with the fills of table slots between them. All are kept by
/// reference.
TilingsOfSteps make_tilings(const std::vector<passes::Step>& steps, const config::MachineConfig& config, KnownTimes& times);

/// `tilings`: of the steps, on the machine that the plan is for; the plan refers to them. A plan that fits `sram_bytes`, or
/// else one that does not and says the least bytes that would do. Buffers stay in SRAM where the steps that they serve gain
/// more than the others lose. `ends`: of all steps but the first and the last, which have a neighbour on one side only.
MemoryPlan plan_memory(const std::vector<passes::Step>& steps, TilingsOfSteps& tilings, const passes::Program& program,
                       const config::MachineConfig& config, int64_t sram_bytes, Ends ends);

}  // namespace vernier::schedule
