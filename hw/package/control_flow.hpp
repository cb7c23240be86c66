// SPDX-License-Identifier: Apache-2.0
// Control flow of a package: which of its streams follows which. Firmware carries it out [decision 0031].
#pragma once

#include "hw/base/address.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::package {

/// A part of the package's command stream that the NPU runs as one stream; END is its last command.
struct StreamPart {
  int64_t begin_byte = 0, num_bytes = 0;
  int32_t first_command = 0;  // of all commands of the package
  bool operator==(const StreamPart&) const = default;
};

enum class StepKind : uint8_t {
  Run,    // a stream
  If,     // the steps up to its Else or End where the byte is not 0; from Else to End where it is 0
  Else,   // of the If that is open
  Loop,   // the steps up to its End again and again, until its While leaves it
  While,  // stays in the Loop that is open where the byte is not 0, else goes on after its End
  End,    // of the If or Loop that is open
};

struct Step {
  StepKind kind = StepKind::Run;
  int32_t stream = 0;       // of Run
  base::Address condition;  // of If and While: the byte
  int32_t tensor_idx = -1;  // of If and While: the tensor that the byte belongs to; -1: none is named
  bool operator==(const Step&) const = default;
};

struct ControlFlow {
  std::vector<StreamPart> streams;  // the stream of the package from its first byte to its last
  std::vector<Step> steps;
  base::Address table;        // of spec::FlowStep, in memory at cycle 0: flow_table()
  int64_t most_commands = 0;  // no stream starts once so many commands have ended; 0: no limit
  bool operator==(const ControlFlow&) const = default;
};

/// `steps` are good, as from_bytes() leaves them.
std::vector<uint32_t> flow_table(const ControlFlow& flow, base::Address stream);
int64_t flow_table_bytes(const ControlFlow& flow);
/// Number of the step in flow_table() for each step; of the next one where it has none.
std::vector<int32_t> flow_rows(const ControlFlow& flow);

/// Why the steps are none, one line; empty where they are good: streams in range, Else, While and End where they belong,
/// at most kMostFlowDepth deep, a stream directly in each loop, a stream first, a limit where there is a loop.
std::string problem_of_steps(const ControlFlow& flow);

/// Where the steps go: a walk over them that is independent of the table.
class StepWalk {
 public:
  explicit StepWalk(const ControlFlow& flow);
  /// The next Run, by asking is_zero(step) at each If and While; nothing: the end.
  template <typename IsZero>
  std::optional<int32_t> next(IsZero&& is_zero);

 private:
  const ControlFlow* flow_;
  std::vector<int32_t> partner_;  // of If: its Else or End; of Else: its End; of While: its loop's End; of End: its Loop
  int32_t at_ = 0;
};

/// For each step the one that it belongs to, as StepWalk needs it; -1: none.
std::vector<int32_t> partners_of(const ControlFlow& flow);

template <typename IsZero>
std::optional<int32_t> StepWalk::next(IsZero&& is_zero) {
  while (at_ < static_cast<int32_t>(flow_->steps.size())) {
    const int32_t here = at_++;
    const Step& step = flow_->steps[static_cast<size_t>(here)];
    const int32_t partner = partner_[static_cast<size_t>(here)];
    switch (step.kind) {
      case StepKind::Run: return here;
      case StepKind::If:
      case StepKind::While:
        if (is_zero(step)) at_ = partner + 1;
        break;
      case StepKind::Else: at_ = partner + 1; break;
      case StepKind::End:
        if (partner >= 0) at_ = partner;
        break;
      case StepKind::Loop: break;
    }
  }
  return std::nullopt;
}

}  // namespace vernier::package
