// SPDX-License-Identifier: Apache-2.0
// How a step is cut so that what it needs of memory outside fits beside what stays in SRAM.
//
// A tiling is a nest of cuts, outermost first. An operand that lives outside is copied to SRAM (or back) at the level of the
// innermost cut that changes what it touches: with rows outside and channels inside, the rows of the input are loaded once
// and the weights again for each stripe; the other way round, weights once and the input again for each block of channels.
// Copies of the inner levels exist twice where there is room, so that the next is loaded while this one is in use.
#pragma once

#include "compiler/passes/program.hpp"
#include "compiler/schedule/axes.hpp"
#include "compiler/schedule/operand_set.hpp"
#include "compiler/schedule/part_costs.hpp"
#include "hw/config/machine_config.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vernier::schedule {

struct Tiling {
  std::vector<Cut> cuts;                      // outermost first
  std::vector<int32_t> level;                 // by operand: how many cuts are outside of its copy; -1: not copied
  int32_t doubled_from = 0;                   // copies at this level and further inside exist twice
  int64_t need_bytes = 0;                     // of SRAM, for the copies
  int64_t num_commands = 1;                   // about: of the unit, and copies
  int64_t compute_cycles = 0;                 // of the unit, all parts
  int64_t load_cycles = 0, store_cycles = 0;  // of the DMA queues
  int64_t cost_cycles = 0;                    // with what overlaps overlapping
};
/// The cuts, and what the tiling is made of; cost_cycles is for whoever compares it.
std::string print(const Tiling& tiling, const passes::Step& step);

/// What the cost counts beside the longest of compute, loads and stores.
enum class Ends : uint8_t {
  Exposed,  // the first load and the last store show in part: more and smaller parts
  Hidden,   // the neighbours hide them: fewer and larger parts
  Last,     // of the last step: loads come early, but nothing follows behind which it could compute
};
inline constexpr size_t kNumEnds = 3;

/// Budgets from .. below, in bytes.
struct Budgets {
  int64_t from = std::numeric_limits<int64_t>::min(), below = std::numeric_limits<int64_t>::max();
};

/// How one step can be cut on one machine. What is known of its parts, and every choice made, is kept for the next plan.
class StepTilings {
 public:
  /// All but `may_be_copied` is kept by reference.
  StepTilings(const passes::Step& step, const config::MachineConfig& config, KnownTimes& times, OperandSet may_be_copied)
      : parts_(step, config, times, may_be_copied) {}

  /// The operands that are copied where they live outside.
  [[nodiscard]] OperandSet may_be_copied() const { return parts_.may_be_copied(); }
  /// The tiling of least cost that needs at most `budget_bytes`; need_bytes is above the budget when none does, and then the
  /// least there is. It stays where it is. `outside`: the operands that live there and are copied.
  const Tiling& choose(OperandSet outside, int64_t budget_bytes, Ends ends);
  /// What a tiling costs on this machine with its ends exposed and with them hidden, added up, whatever machine and ends it
  /// was chosen for. It has to stay where it is: its cost is asked once.
  [[nodiscard]] int64_t exposed_and_hidden_cycles(const Tiling& tiling);
  /// Every tiling that fits the budget, of those that choose() looks at.
  [[nodiscard]] std::vector<Tiling> tried(OperandSet outside, int64_t budget_bytes, Ends ends);

 private:
  PartCosts parts_;
  struct Chosen {
    Budgets budgets;
    std::array<Tiling, kNumEnds> by_ends;
  };
  std::map<OperandSet, std::map<int64_t, Chosen>> chosen_;  // by the least of its budgets
  std::unordered_map<const Tiling*, int64_t> costs_;        // that exposed_and_hidden_cycles() was asked for
};

}  // namespace vernier::schedule
