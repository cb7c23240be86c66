// SPDX-License-Identifier: Apache-2.0
// RTL that loops inside one evaluation, as `always_comb while (busy) ..` does, never comes back to its caller. A timer of
// the process's user time sees an evaluation that lasts too long.
#pragma once

#include <cstdint>
#include <string_view>

namespace vernier::cosim {

/// User time that one evaluation may take; the largest block of ours takes a thousandth of a second.
inline constexpr int kMostEvaluationSeconds = 10;

/// Ends the program, with a message. It is called in a signal handler: `block` is in its cycle `cycle` and stays there.
using EndlessHandler = void (*)(std::string_view block, int64_t cycle);
void watch_evaluations(EndlessHandler handler);

/// An evaluation, which lasts until the end of the scope, of the block `name`, which lives longer.
class WatchedEvaluation {
 public:
  WatchedEvaluation(const std::string_view& name, int64_t cycle);
  ~WatchedEvaluation();
  WatchedEvaluation(const WatchedEvaluation&) = delete;
  WatchedEvaluation& operator=(const WatchedEvaluation&) = delete;
};

}  // namespace vernier::cosim
