// SPDX-License-Identifier: Apache-2.0
// The rule by which phases in flight share what is shared, and the clockwork that follows from it.
//
// Rule: each phase asks demand / cycles of each resource per cycle; in its lead it asks for reads alone, and for the rest
// behind it demand / (cycles - lead). Phases are served in order of their priority (the smaller first; equal ones by age). A
// phase runs at rate = min(1, what is left / what it asks) over the resources that it asks for, and takes rate x its asking.
// Demands that fit slow nobody. Each start, each end and each end of a lead recomputes the rates of all.
// A capacity is a ratio; what draws on it is counted in units over its denominator, so that 1/125 byte per cycle is as exact
// as
// 16. Arithmetic is in fixed point (D-003; kOne = one cycle of work, or a rate of one): ends are exact and repeatable.
#pragma once

#include "hw/base/ratio.hpp"
#include "hw/timing/phase.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::timing {

inline constexpr int64_t kOne = 65536;

/// Order of service: drain of the array, activations and weights, vector unit, DMA. Accesses of the control CPU and command
/// fetch are tiny and first.
enum class Priority : uint8_t { ControlCpu, CommandFetch, MacDrain, MacMain, VectorUnit, Dma };

/// What all phases together may take in a cycle, in the units of Resource; numerators are below 2^47. Half-duplex external
/// memory: `external_shared`, and ExternalRead's capacity serves both directions.
struct Capacities {
  std::array<base::Ratio, kNumResources> per_cycle{};
  bool external_shared = false;
};

/// What one phase asks per cycle, kOne = one unit of the resource over the denominator of its capacity.
struct Asking {
  Priority priority = Priority::CommandFetch;
  std::array<int64_t, kNumResources> per_cycle{};
};
struct Served {
  int64_t rate = kOne;                 // kOne = full speed
  std::optional<Resource> limited_by;  // the resource that set the rate below kOne
};
/// The rule itself; `asking` in order of age, the result in the same order.
std::vector<Served> serve(const std::vector<Asking>& asking, const Capacities& capacities);

/// What became of a phase.
struct Ended {
  int32_t id = 0;
  int64_t start = 0, end = 0;                          // cycles; end - start = phase.cycles + sum(slowed_cycles)
  std::array<int64_t, kNumResources> slowed_cycles{};  // extra cycles by the resource that caused them
};

/// The phases in flight.
class InFlight {
 public:
  explicit InFlight(const Capacities& capacities) : capacities_(capacities) {}
  /// Starts a phase at `now` (not before any earlier call's now). Returns its id. A phase of 0 cycles ends at `now`.
  int32_t start(const Phase& phase, Priority priority, int64_t now);
  /// The earliest end of a phase, or of a lead that somebody notices, as things stand; none when nothing is in flight.
  [[nodiscard]] std::optional<int64_t> next_change() const;
  /// Removes and returns the phases that end at or before `now`, in order of end, then of age; the others have their rates
  /// recomputed at each such end.
  std::vector<Ended> advance(int64_t now);
  [[nodiscard]] bool empty() const { return phases_.empty(); }

 private:
  struct Running {
    int32_t id;
    int64_t start;
    Asking in_lead, behind_lead;
    bool is_reader;            // asks for reads alone
    int64_t remaining;         // work, kOne = one cycle at full speed
    int64_t remaining_behind;  // of it behind the lead
    Served served;
    std::array<int64_t, kNumResources> slowed{};  // kOne = one cycle
    [[nodiscard]] bool is_in_lead() const { return remaining > remaining_behind; }
  };
  /// Whether the end of the phase's lead can change a rate: somebody else asks for more than reads.
  [[nodiscard]] bool does_lead_matter(const Running& running) const;
  void progress_to(int64_t now);
  void recompute();
  Capacities capacities_;
  std::vector<Running> phases_;
  std::vector<Asking> asking_;  // of them, as things stand
  int64_t now_ = 0;
  int32_t next_id_ = 0;
};

}  // namespace vernier::timing
