// SPDX-License-Identifier: Apache-2.0
// What the program's exit code says.
#pragma once

namespace vernier::cli {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitUnpredictable = 1;  // TOSA calls the result unpredictable: a REQUIRE was violated
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitMismatch = 3;  // the machine's values differ from the reference's
inline constexpr int kExitFault = 4;     // the simulated machine stopped or hangs
inline constexpr int kExitInternal = 70;
inline constexpr int kExitInterrupted = 130;  // SIGINT
inline constexpr int kExitTerminated = 143;   // SIGTERM

}  // namespace vernier::cli
