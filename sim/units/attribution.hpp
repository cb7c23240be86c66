// SPDX-License-Identifier: Apache-2.0
// Which layer each cycle and each byte of a job belongs to, and what the layer was doing then. A pure function of what the
// job has left of its commands (command_record.hpp). SystemC-free.
//
// At work, from start to end, are commands of the array and of the vector unit, stores, and the DMA of a layer that owns no
// command of the array or the vector unit. No other load, fill or copy is. A cycle belongs to the layer of the lowest index
// with a command at work; where none is at work, to the layer of the next command at work (of several that start in the same
// cycle: the lowest layer); after the last one to the layer of the last. So a load that is hidden behind compute has no
// cycle.
//
// A cycle counts for what the unit of its layer's oldest command at work does: busy, or a stall. (The oldest is the one that
// started first. While the array drains the results of one command and accumulates for the next, it does the latter.)
//
// Where no command is at work, a cycle counts for what holds up the next command at work: the command that gave the last
// token that it waited for, until that token can be taken, or the command before it on its queue, until its end; the later
// of the two. A holder that has not started itself in that cycle is held up in the same way, and its wait is followed: a
// table fill that is queued after loads is held up by the loads.
#pragma once

#include "hw/base/indexed_vector.hpp"
#include "sim/units/command_record.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vernier::units {

/// What an attributed cycle counts for.
enum class Cause : uint8_t {
  Array,          // the array accumulates
  Epilogue,       // it only drains the last results of a command
  VectorUnit,     // the vector unit works
  DmaInSram,      // a copy moves data inside SRAM
  DmaExternal,    // it moves them from or to the outside
  WaitsForLoad,   // nothing is at work: the next command at work is held up by a copy from outside
  WaitsForCopy,   // by a copy or a fill in SRAM
  NothingAtWork,  // for something else: its issue, a token's way, END
  FirstStall      // timing::Stall, in its order, from here on
};
inline constexpr size_t kFirstStallCause = static_cast<size_t>(Cause::FirstStall);
inline constexpr size_t kNumCauses = kFirstStallCause + timing::kNumStalls;
inline constexpr std::array<std::string_view, kNumCauses> kCauseNames = [] {
  std::array<std::string_view, kNumCauses> names{"array",        "epilogue",         "vector_unit",      "dma_in_sram",
                                                 "dma_external", "waiting_for_load", "waiting_for_copy", "nothing_at_work"};
  for (size_t i = 0; i < timing::kNumStalls; ++i) names[kFirstStallCause + i] = timing::kStallNames[i];
  return names;
}();

struct LayerCount {
  int64_t attributed_cycles = 0;
  std::array<int64_t, kNumCauses> attributed_by{};  // sum to attributed_cycles
  int64_t first_cycle = -1, last_cycle = -1;        // its commands at work: the first start, the last end; -1: none started
  int64_t in_flight_cycles = 0;                     // cycles with at least one command of it in flight
  int64_t working_cycles = 0;                       // cycles with at least one command of it at work
  timing::Traffic traffic;                          // its commands and their fetch
  bool operator==(const LayerCount&) const = default;
};

struct Attribution {
  base::IndexedVector<int32_t, LayerCount> layers;
  int32_t last_layer_idx = -1;  // the layer of the command at work that ended last: END's; -1: there is no layer
};

/// Of a job that took `cycles`. Commands that have not ended are in flight until then. Where no command is at work at all,
/// everything belongs to the layer that the package gives END.
Attribution attribute(const CommandRecords& records, size_t num_layers, int64_t cycles);

}  // namespace vernier::units
