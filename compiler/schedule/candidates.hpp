// SPDX-License-Identifier: Apache-2.0
// The memory plans that compete for an SRAM: made for its size and for the rungs below it, for the external memory that
// there is and for slower ones, with smaller and larger parts. A plan for less is often the better one, because choices are
// made step by step and copies leave gaps; and a plan that a smaller SRAM or a slower memory would have must not be lost.
#pragma once

#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/memory_plan.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace vernier::schedule {

struct Candidate {
  int64_t planned_bytes = 0;  // of SRAM
  size_t machine = 0;         // index into the machines
  Ends ends = Ends::Exposed;
  std::shared_ptr<const MemoryPlan> plan;
  int64_t estimate_cycles = 0;  // on the machine that there is, all steps one after the other

  /// Made for the machine that there is, with smaller parts.
  [[nodiscard]] bool is_plain() const { return machine == 0 && ends == Ends::Exposed; }
};

/// In places of their own: tilings refer to them.
using Machines = std::deque<PlannedFor>;

/// The machines that plans are made for: first the one that there is, then some with slower external memory.
Machines make_machines(const Task& task);

/// The plan for so much SRAM; it may not fit.
Candidate make_candidate(const Task& task, Machines& machines, int64_t planned_bytes, size_t machine, Ends ends);

struct Candidates {
  std::vector<Candidate> plans;
  /// The plain plan for most SRAM has so many commands that host time allows to carry out one or two of its kind. Then only
  /// plain plans compete.
  bool are_long = false;
  /// It has so few that each kind of plan is made for every size, and that smaller sizes of SRAM are searched too.
  bool are_short = false;
  /// It has so few that smaller sizes of SRAM are searched by themselves instead.
  bool are_few = false;
};

/// A plan of no more commands has few.
inline constexpr int64_t kFewPlanCommands = 100;

/// The plans that fit, each once: those of the least estimate first.
Candidates make_candidates(const Task& task, Machines& machines);

/// Plans with smaller parts for coarse rungs below an eighth of the SRAM: a short program may be best made for a size that
/// is far below a large SRAM. Plans with a lower estimate come first; none is estimated at an eighth more than the first.
std::vector<Candidate> make_far_candidates(const Task& task, Machines& machines);

}  // namespace vernier::schedule
