// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/flow_job.hpp"

#include "hw/base/error.hpp"
#include "sim/soc/job_sum.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::soc {

bool FlowJob::is_at_limit() const {
  const int64_t most_commands = package_->flow.most_commands;
  return most_commands > 0 && result_.num_commands >= most_commands;
}

/// The firmware cannot see it; a run goes on with what is there, as hardware would, and is told as a fault.
void FlowJob::note_unwritten(const JobMemory& memory, const package::Step& step) {
  const auto offset = static_cast<int64_t>(step.condition.offset);
  if (!unwritten_.empty() || !memory.of(step.condition.space).storage().first_unwritten(offset, 1)) return;
  unwritten_ = fmt::format("the condition at {}, after step {}, was never written", step.condition, step_);
}

std::optional<int32_t> FlowJob::next(const JobMemory& memory) {
  if (!next_) {
    next_ = walk_.next([&](const package::Step& step) {
      note_unwritten(memory, step);
      const auto bytes = memory.of(step.condition.space).storage().bytes();
      return bytes[static_cast<size_t>(step.condition.offset)] == std::byte{0};
    });
  }
  return *next_;
}

const package::StreamPart& FlowJob::part() const {
  return package_->flow.streams[static_cast<size_t>(package_->flow.steps[static_cast<size_t>(step_)].stream)];
}

std::string FlowJob::starting(const JobMemory& memory, base::Address stream, int64_t size_bytes, int64_t wait_cycles) {
  const std::optional<int32_t> step = next(memory);
  if (!step) return fmt::format("the firmware starts a stream at {}, the steps are at their end", stream);
  if (is_at_limit())
    return fmt::format("the firmware starts a stream after {} commands, allowed are {}", result_.num_commands,
                       package_->flow.most_commands);
  step_ = *step;
  next_.reset();
  base::Address expected = package_->stream_address;
  expected.offset += static_cast<uint64_t>(part().begin_byte);
  if (stream != expected || size_bytes != part().num_bytes)
    return fmt::format("the firmware starts {} bytes at {}, step {} has {} bytes at {}", size_bytes, stream, step_,
                       part().num_bytes, expected);
  run_ = {package_->flow.steps[static_cast<size_t>(step_)].stream,
          step_,
          static_cast<int64_t>(result_.commands.size()),
          result_.cycles,
          0,
          wait_cycles};
  return "";
}

void FlowJob::ended(JobResult one) {
  run_.cycles = one.cycles;
  const std::string where =
      fmt::format("stream {} in step {}, run {} of the job", run_.stream, run_.step, result_.streams.size());
  if (auto* fault = std::get_if<Fault>(&one.status)) {
    fault->command_idx += part().first_command;
    fault->detail = fmt::format("{}: {}", where, fault->detail);
  } else if (auto* hang = std::get_if<Hang>(&one.status)) {
    hang->wait_for = fmt::format("{}\n{}", where, hang->wait_for);
  }
  add_stream(result_, std::move(one), run_);
}

std::string FlowJob::wrong_end(const JobMemory& memory, const ControlPath::Completion& told) {
  using Outcome = spec::JobOutcome;
  const std::vector<int32_t> rows = package::flow_rows(package_->flow);
  const bool is_done = result_.is_done();
  const std::optional<int32_t> step = is_done ? next(memory) : std::optional(step_);
  const bool is_withdrawn = told.outcome == Outcome::Cancelled || told.outcome == Outcome::TimedOut;
  const bool is_over_limit = told.outcome == Outcome::LimitReached && is_at_limit();
  const bool is_right = step ? is_withdrawn || is_over_limit : told.outcome == Outcome::Done;
  if (is_done && !is_right)
    return fmt::format("the firmware tells outcome {} after {} commands, {}", static_cast<int>(told.outcome),
                       result_.num_commands,
                       !step           ? "and the steps are at their end"
                       : is_at_limit() ? "which are all that are allowed"
                                       : fmt::format("and step {} is next", *step));
  const int32_t row = rows[step ? static_cast<size_t>(*step) : package_->flow.steps.size()];
  if (static_cast<int64_t>(told.step) != row || told.num_commands != result_.num_commands)
    return fmt::format("the firmware tells step {} after {} commands, the machine is at {} after {}", told.step,
                       told.num_commands, row, result_.num_commands);
  return "";
}

JobResult FlowJob::take_result(spec::JobOutcome told) {
  result_.status = status_of(told);
  return std::move(result_);
}

JobStatus FlowJob::status_of(spec::JobOutcome told) const {
  if (!result_.is_done()) return result_.status;
  if (!unwritten_.empty()) return Fault{spec::FaultCode::UninitialisedRead, unwritten_, -1, 0};
  if (told == spec::JobOutcome::LimitReached) return LimitReached{package_->flow.most_commands, result_.num_commands};
  return told == spec::JobOutcome::Done ? JobStatus{Done{}} : JobStatus{Stopped{}};
}

}  // namespace vernier::soc
