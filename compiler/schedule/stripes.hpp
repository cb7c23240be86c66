// SPDX-License-Identifier: Apache-2.0
// The steps of a program in the order of the stream, with the fills of table slots, and the stripes of rows that let a step
// overlap with its neighbours.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/passes/program.hpp"
#include "compiler/schedule/cut.hpp"
#include "compiler/schedule/known_times.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

struct StripeRules {
  bool choose_by_cost = false;  // number of stripes and direction of depthwise windows, by the units' timing
  CutLimits limits;
};

/// The steps of other queues before and behind a step.
struct Beside {
  int64_t least_stripes = 1;  // that let it overlap with them; 1: there is none
  int64_t cycles = 0;         // of theirs, each alone: what depthwise windows lose at most by fewer stripes
};

/// The steps with their tables in slots; before each the fills that it needs, or with `fills_ahead` one step earlier where
/// that one leaves the slot alone.
std::vector<passes::Step> steps_with_fills(const passes::Program& program, bool fills_ahead);

/// The stripes of a step. A MAC step is cut into the number of stripes that costs least: a stripe whose accumulator rows are
/// a few more than whole banks leaves a short last row tile, behind which the next one waits for its bank. Beside a step of
/// another queue, more stripes let the two overlap: `beside`. Where there is none, a vector step is one command: each more
/// has a fill of its own. `told`, if given, gets the choices.
std::vector<passes::Step> stripes_of(const passes::Step& step, const config::MachineConfig& config, KnownTimes& times,
                                     const StripeRules& rules, const Beside& beside,
                                     std::vector<cost::Alternatives>* told = nullptr);
/// What stands beside step `idx` of `steps`. `alone_cycles`: what each of them takes alone.
Beside beside(const std::vector<passes::Step>& steps, size_t idx, const std::vector<int64_t>& alone_cycles,
              const StripeRules& rules);

}  // namespace vernier::schedule
