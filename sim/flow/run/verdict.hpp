// SPDX-License-Identifier: Apache-2.0
// What a run comes to, in one word.
#pragma once

namespace vernier::flow {

/// The numbers are the exit codes of the program `vernier`, which tables of several runs and debuggers are told too.
enum class Verdict {
  Good = 0,
  Unpredictable = 1,  // TOSA calls the result unpredictable: a REQUIRE was violated
  Mismatch = 3,       // values differ from the reference's, or RTL from the model
  Fault = 4,          // the simulated machine stopped or hangs, or its RTL stands still
};

}  // namespace vernier::flow
