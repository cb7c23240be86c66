// SPDX-License-Identifier: Apache-2.0
// What the program's exit code says.
#pragma once

#include "sim/flow/run/verdict.hpp"

namespace vernier::cli {

/// The exit code for a verdict of the library.
constexpr int exit_code_of(flow::Verdict verdict) { return static_cast<int>(verdict); }

inline constexpr int kExitSuccess = exit_code_of(flow::Verdict::Good);
inline constexpr int kExitUnpredictable = exit_code_of(flow::Verdict::Unpredictable);
inline constexpr int kExitMismatch = exit_code_of(flow::Verdict::Mismatch);
inline constexpr int kExitFault = exit_code_of(flow::Verdict::Fault);
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitInternal = 70;
inline constexpr int kExitInterrupted = 130;  // SIGINT
inline constexpr int kExitTerminated = 143;   // SIGTERM
static_assert(kExitSuccess == 0 && kExitUnpredictable == 1 && kExitMismatch == 3 && kExitFault == 4);

}  // namespace vernier::cli
