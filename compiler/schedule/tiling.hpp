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
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vernier::schedule {

struct Cut {
  Axis axis = kRows;
  int64_t size = 1;  // of a part
  bool operator==(const Cut&) const = default;
};

struct Tiling {
  std::vector<Cut> cuts;                      // outermost first
  std::vector<int32_t> level;                 // by operand: how many cuts are outside of its copy; -1: not copied
  int32_t doubled_from = 0;                   // copies at this level and further inside exist twice
  int64_t need_bytes = 0;                     // of SRAM, for the copies
  int64_t num_parts = 1;                      // about
  int64_t compute_cycles = 0;                 // of the unit, all parts
  int64_t load_cycles = 0, store_cycles = 0;  // of the DMA queues
  int64_t cost_cycles = 0;                    // with what overlaps overlapping
};
/// The cuts, and what the tiling is made of; cost_cycles is for whoever compares it.
std::string print(const Tiling& tiling, const passes::Step& step);
/// Which of a reduction's slices.
enum class Slice : uint8_t { Middle, Last };
/// The largest part inside of some cuts.
passes::Step largest_part(const passes::Step& step, std::span<const Cut> cuts, const spec::Datapath& datapath,
                          Slice slice = Slice::Middle);

/// Which operands of a step live outside: by operand.
using IsOutside = std::vector<bool>;

/// What the cost counts beside the longest of compute, loads and stores.
enum class Ends : uint8_t {
  Exposed,  // the first load and the last store show in part: more and smaller parts
  Hidden,   // the neighbours hide them: fewer and larger parts
  Last,     // of the last step: loads come early, but nothing follows behind which it could compute
};

/// The tiling of least cost that needs at most `budget_bytes`; need_bytes is above the budget when none does, and then the
/// least there is. `tried`, if given, gets every tiling that fits.
Tiling choose_tiling(const passes::Step& step, const IsOutside& is_outside, const config::MachineConfig& config,
                     int64_t budget_bytes, Ends ends, std::vector<Tiling>* tried = nullptr);

/// Copies in SRAM start on a word of the first bank.
int64_t stage_align_bytes(const spec::Datapath& datapath);

}  // namespace vernier::schedule
