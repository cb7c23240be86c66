// SPDX-License-Identifier: Apache-2.0
// What a job leaves behind of each command: when it ran, on which queue, what its unit did meanwhile, what it moved, and who
// gave the token that it waited for last. SystemC-free.
#pragma once

#include "hw/base/indexed_vector.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/kit/state_tracker.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace vernier::units {

/// What a command is for the attribution of cycles (attribution.hpp).
enum class Work : uint8_t {
  None,    // END, and commands that did not start
  Array,   // the MAC array
  Vector,  // the vector unit
  Copy,    // DMA inside SRAM: copies, fills, table fills, gathers, scatters, transposes
  Load,    // DMA that reads outside and writes SRAM
  Store,   // DMA that writes outside
};
/// `own`: what the command itself moves, without its fetch.
constexpr Work work_of(spec::Queue queue, const timing::Traffic& own) {
  if (queue == spec::Queue::MacArray) return Work::Array;
  if (queue == spec::Queue::VectorUnit) return Work::Vector;
  if (own.external_write_bytes > 0) return Work::Store;
  return own.external_read_bytes > 0 ? Work::Load : Work::Copy;
}
constexpr bool is_dma(Work work) { return work == Work::Copy || work == Work::Load || work == Work::Store; }

using Share = kit::StateTracker::Share;

/// A range of CommandRecords::shares.
struct Shares {
  uint32_t first = 0, count = 0;
  bool operator==(const Shares&) const = default;
};

/// Main or drain of a command on its unit.
struct PhaseRecord {
  int64_t start_cycle = -1, end_cycle = -1;  // -1: it did not begin, did not end
  /// Its length when nobody else is in flight: the first of its cycles, what comes behind them was added by others.
  int64_t own_cycles = 0;
  Shares shares;  // what its cycles were, in order: stalls, busy, what others added
  bool operator==(const PhaseRecord&) const = default;
};

struct CommandRecord {
  int32_t layer_idx = -1;       // -1: of no layer, a command that the package does not know
  int32_t last_giver_idx = -1;  // the command that gave the token that it could take last; -1: it took none
  int64_t token_cycle = -1;     // from which on that one could be taken
  int64_t dispatch_cycle = -1;  // it enters its unit's queue; -1 here and below: it did not
  int64_t start_cycle = -1, end_cycle = -1;
  PhaseRecord main, drain;
  Shares waits;             // of the unit for this command, before it started
  timing::Traffic traffic;  // its own, and its fetch
  timing::PossibleError possible_error{};
  int64_t drain_words = 0;  // of its SRAM words, those of its drain
  spec::Queue queue = spec::Queue::Dma0;
  Work work = Work::None;
  bool operator==(const CommandRecord&) const = default;
};

struct CommandRecords {
  base::IndexedVector<int32_t, CommandRecord> commands;  // by command_idx, END included
  std::vector<Share> shares;
  [[nodiscard]] std::span<const Share> of(const Shares& range) const {
    return std::span(shares).subspan(range.first, range.count);
  }
};

}  // namespace vernier::units
