// SPDX-License-Identifier: Apache-2.0
// A job that did not come to its end, as a value: the simulated machine stopped or hangs, or the RTL that gave its values
// stands still. It is a finding about what was simulated, no error of who asked.
#pragma once

#include "sim/flow/run/verdict.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace vernier::flow {

struct MachineFailure {
  soc::JobStatus status;  // not Done
  int64_t cycles = 0;     // until then
};

struct RtlFailure {
  std::string what;                             // which block, in which cycle, and what was waited for
  bool is_consequence = false;                  // of mismatches that came before: these are the finding
  std::vector<std::string> first_mismatches{};  // what differed before, if anything
  std::string replay{};                         // a line about the replay of the first of them; empty: none was asked for
};

/// A loop of the network does not come to an end on the reference.
struct ReferenceFailure {
  std::string what;
};

struct Failure {
  std::string subject;  // the file of the model; of RTL that answers nothing before there is a job, its folder
  std::variant<MachineFailure, RtlFailure, ReferenceFailure> cause;
  std::string injected{};            // the fault that the run was given; empty: none
  std::vector<std::string> notes{};  // about waves of what ran until then

  [[nodiscard]] Verdict verdict() const;
};

/// What to tell people: lines that begin with the subject. One of them goes on over several lines.
std::vector<std::string> messages(const Failure& failure);

}  // namespace vernier::flow
