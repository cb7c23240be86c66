// SPDX-License-Identifier: Apache-2.0
// A job with control flow as the machine follows it: which stream the steps of the package say is next, and what all of its
// streams have done together.
//
// Contract: starting() and ended() for each stream, in turn. The steps are walked here again, apart from the firmware and
// from its table, with the bytes that are in memory: firmware that starts another stream, or ends the job at another step,
// is found.
#pragma once

#include "sim/soc/control_path.hpp"
#include "sim/soc/npu.hpp"
#include "sim/soc/package_memory.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace vernier::soc {

class FlowJob {
 public:
  explicit FlowJob(const package::Package& package) : package_(&package), walk_(package.flow) {}

  /// A stream starts. Why it is not the one that is to start, one line; empty: it is.
  std::string starting(const JobMemory& memory, base::Address stream, int64_t size_bytes, int64_t wait_cycles);
  [[nodiscard]] bool has_started() const { return step_ >= 0; }
  /// The stream that runs or ran last; it has started.
  [[nodiscard]] const package::StreamPart& part() const;
  /// That stream has ended.
  void ended(JobResult one);
  /// Of all streams that have ended.
  [[nodiscard]] const JobResult& result() const { return result_; }

  /// Why the completion is not what the steps give, one line; empty: it is. After a stream that is done.
  std::string wrong_end(const JobMemory& memory, const ControlPath::Completion& told);
  /// What the job was in the end, which the firmware has told; without outputs. Once.
  JobResult take_result(spec::JobOutcome told);

 private:
  /// The next Run after the stream that is done; nothing: the steps are at their end.
  std::optional<int32_t> next(const JobMemory& memory);
  [[nodiscard]] bool is_at_limit() const;
  [[nodiscard]] JobStatus status_of(spec::JobOutcome told) const;
  void note_unwritten(const JobMemory& memory, const package::Step& step);

  const package::Package* package_;
  package::StepWalk walk_;
  std::optional<std::optional<int32_t>> next_;  // known until the next stream starts
  int32_t step_ = -1;                           // of the stream that runs or ran last
  StreamRun run_;                               // the one that runs
  std::string unwritten_;  // the first condition that nobody has written, one line; empty: there is none
  JobResult result_;
};

}  // namespace vernier::soc
