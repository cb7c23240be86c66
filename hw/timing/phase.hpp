// SPDX-License-Identifier: Apache-2.0
// What a command costs its unit, and what it asks of the resources that all units share.
#pragma once

#include "hw/spec/performance_counters.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace vernier::timing {

/// Shared between units. Demand is counted in the unit named.
enum class Resource : uint8_t {
  SramRead,      // words
  SramWrite,     // words
  RescaleLanes,  // vectors of N lanes
  TableLanes,    // vectors of N lanes
  ExternalRead,  // bytes, whole bursts
  ExternalWrite  // bytes, whole bursts
};
inline constexpr int kNumResources = 6;
constexpr bool is_outside(Resource resource) { return resource >= Resource::ExternalRead; }
constexpr bool is_read(Resource resource) { return resource == Resource::SramRead || resource == Resource::ExternalRead; }

/// Where the cycles of a unit go besides useful work. Each is counted where it happens.
enum class Stall : uint8_t {
  WaitingForToken,    // a command is queued, its tokens are not there
  CommandIssue,       // a command is on its way from the command processor
  PipelineFill,       // latencies from start to first result and from last operand to last write
  WeightLoad,         // the array waits for its weight tile
  BankConflict,       // operands of one cycle lie in the same bank
  PortContention,     // SRAM ports are given to somebody earlier in the order of service
  RescaleContention,  // rescale or table lanes are given to the array's epilogue; for the array: it waits for its own
  ExternalMemory,     // latency and bandwidth of the external memory
  Dma,                // a command waits for the DMA: its token comes from a DMA queue
  ControlCpu          // waiting for the control CPU
};
inline constexpr int kNumStalls = 10;
/// The first of spec::kStallNames: those that a profile can have.
inline constexpr std::array<std::string_view, kNumStalls> kStallNames = [] {
  std::array<std::string_view, kNumStalls> names{};
  for (size_t i = 0; i < names.size(); ++i) names[i] = spec::kStallNames[i];
  return names;
}();

/// A stretch of a command on its unit. `cycles` is its length when nobody else is in flight:
/// cycles = busy_cycles + sum(stall_cycles), of which datapath_cycles (busy, pipeline fill, weight load, and the wait of the
/// array for its own epilogue) is what RTL has to show.
struct Phase {
  int64_t cycles = 0;
  int64_t busy_cycles = 0;
  int64_t datapath_cycles = 0;
  std::array<int64_t, kNumStalls> stall_cycles{};
  std::array<int64_t, kNumResources> demand{};  // totals over the phase, spread evenly (D-002)
  /// The first of `cycles`, in which it only reads: the array drains nothing before its first row tile is accumulated.
  int64_t lead_cycles = 0;
};

/// The longest phase that moves bytes outside: in_flight.hpp counts 65,536ths of a cycle in 63 bits. Only a copy of all of a
/// large SRAM through the slowest external memory would be longer.
inline constexpr int64_t kMostPhaseCycles = int64_t{1} << 45;

/// How far a command's cycles can be off, each by itself: an upper bound of what its profile leaves out or simplifies
/// (docs/architecture/approximations.md), counted from the words that the profile charges.
struct PossibleError {
  int64_t streams_cycles = 0;  // a word of a lesser stream meets one of the greatest in its bank
  int64_t padding_cycles = 0;  // too many: rows of steps that meet padding, or a pixel that fills up a last group
  bool operator==(const PossibleError&) const = default;
};

/// `main` occupies the unit; `drain` follows it and may overlap the next command's main (the other accumulator bank).
struct Profile {
  Phase main, drain;
  PossibleError possible_error{};
  /// What the command takes from its start to its end when it has the machine to itself.
  [[nodiscard]] int64_t cycles_alone() const { return main.cycles + drain.cycles; }
};

}  // namespace vernier::timing
