// SPDX-License-Identifier: Apache-2.0
#include "hw/package/control_flow.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace vernier::package {
namespace {

/// An If or Loop whose End has not come.
struct Open {
  int32_t step = 0, else_step = -1, while_step = -1;
  bool is_loop = false, has_stream = false;
};

uint32_t place_of(base::Address address) {
  const auto offset = static_cast<uint32_t>(address.offset);
  return address.space == base::MemorySpace::External ? offset | spec::kFlowExternal : offset;
}

uint32_t first_word(spec::FlowStep kind, uint32_t target) {
  return static_cast<uint32_t>(kind) | target << spec::kFlowTargetShift;
}

bool has_row(const Step& step, int32_t partner) {
  return step.kind != StepKind::Loop && !(step.kind == StepKind::End && partner < 0);
}

/// Looks at the steps in order; `open_` are those that it stands in.
class StepCheck {
 public:
  explicit StepCheck(const ControlFlow& flow) : flow_(flow) {}

  std::string problem() {
    if (flow_.steps.empty()) return "";
    if (flow_.steps.front().kind != StepKind::Run) return "the first step runs no stream";
    for (at_ = 0; at_ < flow_.steps.size(); ++at_) {
      if (std::string problem = take(flow_.steps[at_]); !problem.empty()) return problem;
    }
    if (!open_.empty()) return fmt::format("step {} has no end", open_.back().step);
    if (has_loop_ && flow_.most_commands == 0) return "a loop needs a limit of commands, found 0";
    return "";
  }

 private:
  [[nodiscard]] bool is_in(bool loop) const { return !open_.empty() && open_.back().is_loop == loop; }

  std::string take(const Step& step) {
    switch (step.kind) {
      case StepKind::Run: return run(step);
      case StepKind::If:
      case StepKind::Loop: return open(step.kind == StepKind::Loop);
      case StepKind::Else: return is_in(false) ? once(open_.back().else_step, "else") : outside("else", "an if");
      case StepKind::While: return is_in(true) ? once(open_.back().while_step, "while") : outside("while", "a loop");
      case StepKind::End: return close();
    }
    return "";
  }

  std::string run(const Step& step) {
    if (step.stream < 0 || static_cast<size_t>(step.stream) >= flow_.streams.size())
      return fmt::format("step {} runs stream {} of {}", at_, step.stream, flow_.streams.size());
    if (!open_.empty()) open_.back().has_stream = true;
    return "";
  }

  std::string open(bool is_loop) {
    if (static_cast<int64_t>(open_.size()) == spec::kMostFlowDepth)
      return fmt::format("step {} is {} deep in branches and loops, allowed are {}", at_, open_.size() + 1,
                         spec::kMostFlowDepth);
    has_loop_ = has_loop_ || is_loop;
    open_.push_back({static_cast<int32_t>(at_), -1, -1, is_loop, false});
    return "";
  }

  std::string once(int32_t& place, std::string_view what) {
    if (place >= 0) return fmt::format("step {} is a second {} of step {}", at_, what, open_.back().step);
    place = static_cast<int32_t>(at_);
    return "";
  }

  [[nodiscard]] std::string outside(std::string_view what, std::string_view of) const {
    return fmt::format("step {} is {} {} that is not directly in {}", at_, what == "else" ? "an" : "a", what, of);
  }

  std::string close() {
    if (open_.empty()) return fmt::format("step {} ends nothing", at_);
    const Open closed = open_.back();
    open_.pop_back();
    if (!closed.is_loop) return "";
    if (closed.while_step < 0) return fmt::format("the loop of step {} has no while", closed.step);
    return closed.has_stream ? "" : fmt::format("the loop of step {} has no stream directly in it", closed.step);
  }

  const ControlFlow& flow_;
  size_t at_ = 0;
  std::vector<Open> open_;
  bool has_loop_ = false;
};

}  // namespace

std::string problem_of_steps(const ControlFlow& flow) { return StepCheck(flow).problem(); }

std::vector<int32_t> partners_of(const ControlFlow& flow) {
  std::vector<int32_t> partners(flow.steps.size(), -1);
  std::vector<Open> open;
  for (size_t i = 0; i < flow.steps.size(); ++i) {
    const auto at = static_cast<int32_t>(i);
    const StepKind kind = flow.steps[i].kind;
    if (kind == StepKind::If || kind == StepKind::Loop) open.push_back({at, -1, -1, kind == StepKind::Loop, false});
    if (kind == StepKind::Else) open.back().else_step = at;
    if (kind == StepKind::While) open.back().while_step = at;
    if (kind != StepKind::End) continue;
    const Open closed = open.back();
    open.pop_back();
    if (closed.is_loop) {
      partners[i] = closed.step;
      partners[static_cast<size_t>(closed.while_step)] = at;
    } else {
      partners[static_cast<size_t>(closed.step)] = closed.else_step < 0 ? at : closed.else_step;
      if (closed.else_step >= 0) partners[static_cast<size_t>(closed.else_step)] = at;
    }
  }
  return partners;
}

StepWalk::StepWalk(const ControlFlow& flow) : flow_(&flow), partner_(partners_of(flow)) {}

std::vector<int32_t> flow_rows(const ControlFlow& flow) {
  const std::vector<int32_t> partners = partners_of(flow);
  std::vector<int32_t> rows;
  int32_t num_rows = 0;
  for (size_t i = 0; i < flow.steps.size(); ++i) {
    rows.push_back(num_rows);
    if (has_row(flow.steps[i], partners[i])) ++num_rows;
  }
  rows.push_back(num_rows);
  return rows;
}

int64_t flow_table_bytes(const ControlFlow& flow) {
  return flow.steps.empty() ? 0 : int64_t{flow_rows(flow).back()} * spec::kFlowStepBytes;
}

std::vector<uint32_t> flow_table(const ControlFlow& flow, base::Address stream) {
  const std::vector<int32_t> partners = partners_of(flow), rows = flow_rows(flow);
  const auto row_of = [&](int32_t step) { return static_cast<uint32_t>(rows[static_cast<size_t>(step)]); };
  std::vector<uint32_t> words;
  for (size_t i = 0; i < flow.steps.size(); ++i) {
    const Step& step = flow.steps[i];
    if (!has_row(step, partners[i])) continue;
    if (step.kind == StepKind::Run) {
      const StreamPart& part = flow.streams[static_cast<size_t>(step.stream)];
      base::Address begin = stream;
      begin.offset += static_cast<uint64_t>(part.begin_byte);
      words.push_back(static_cast<uint32_t>(spec::FlowStep::Run) | static_cast<uint32_t>(part.num_bytes));
      words.push_back(place_of(begin));
    } else if (step.kind == StepKind::If || step.kind == StepKind::While) {
      words.push_back(first_word(spec::FlowStep::BranchIfZero, row_of(partners[i] + 1)));
      words.push_back(place_of(step.condition));
    } else {
      const bool is_back = step.kind == StepKind::End;
      words.push_back(first_word(spec::FlowStep::Jump, row_of(is_back ? partners[i] : partners[i] + 1)));
      words.push_back(0);
    }
  }
  return words;
}

}  // namespace vernier::package
