// SPDX-License-Identifier: Apache-2.0
// Small helpers that the profiles of all units share.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/timing/phase.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>

namespace vernier::timing {

inline int64_t& demand(Phase& phase, Resource resource) { return phase.demand[static_cast<size_t>(resource)]; }
inline int64_t& stall(Phase& phase, Stall name) { return phase.stall_cycles[static_cast<size_t>(name)]; }

/// Lengthens the phase by `cycles` of that stall.
inline void add_stall(Phase& phase, Stall name, int64_t cycles) {
  stall(phase, name) += cycles;
  phase.cycles += cycles;
}

/// The words of a command's streams but those of the greatest: each of them can meet a word of another stream in its bank
/// and cost one cycle, whatever way the streams lie in time.
inline int64_t words_of_lesser(std::initializer_list<int64_t> streams_words) {
  return std::accumulate(streams_words.begin(), streams_words.end(), int64_t{0}) - std::max(streams_words);
}

/// Makes the phase at least as long as what it asks of each shared resource takes when nobody else asks; the difference is a
/// stall with that resource's name. Words that are read come from cycle `first_word_cycle` of the phase on.
void stretch_to_demand(Phase& phase, const config::MachineConfig& config, int64_t first_word_cycle = 0);

/// Gives a phase that is as long as it will be a lead of `cycles`, or as many as leave time for what it does behind the
/// lead.
void set_lead(Phase& phase, int64_t cycles, const config::MachineConfig& config);

}  // namespace vernier::timing
