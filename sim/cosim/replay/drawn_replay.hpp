// SPDX-License-Identifier: Apache-2.0
// Random commands of the array or of the vector unit in the form of a replay, for benches that take their vectors from
// files.
#pragma once

#include "sim/cosim/replay/replay.hpp"

#include <cstdint>
#include <string>

namespace vernier::cosim {

/// So many beats of results at most are drawn for files.
inline constexpr int64_t kMaxDrawnResults = 20'000;

/// Commands that follow each other, until they have `results` rows of results or beats of stores, or kMaxDrawnResults.
/// `unit` is "mac_array", "datapath" or "vector".
Replay drawn_replay(const std::string& unit, const std::string& config, const spec::Datapath& datapath, uint64_t seed,
                    int64_t results);

}  // namespace vernier::cosim
