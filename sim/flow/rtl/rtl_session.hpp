// SPDX-License-Identifier: Apache-2.0
// The RTL that gives the values of a network's commands, from its blocks to what was found. Three types for three times,
// each made from the one before, so that nothing can be asked too early or chosen too late:
//
//   RtlBlocks     blocks that are there, or are refused before long work
//   RtlSession    a machine of one package whose commands run on them: jobs
//   RtlOutcome    after the last job: counts, mismatches, the blocks' part of the waves, what shows a mismatch again
#pragma once

#include "hw/package/package.hpp"
#include "sim/cosim/network/rtl_datapath.hpp"
#include "sim/flow/look/traces.hpp"
#include "sim/flow/rtl/rtl_source.hpp"
#include "sim/report/report.hpp"
#include "sim/soc/npu.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::flow {

/// A command, and the slices before it of the same reduction.
std::set<int32_t> with_earlier_slices(const package::Package& package, int32_t command_idx);
/// The commands of the array and of the vector unit with a cycle in the window of `traces`: when they run is known from a
/// job without values.
std::set<int32_t> commands_in_window(const Traces& traces, const package::Package& package);

/// What runs on RTL, and how.
struct RtlWork {
  uint64_t seed = 1;
  bool has_pairs = true;                     // neighbours without a token between them run once more, one after the other
  std::optional<std::set<int32_t>> drawn{};  // that a wave has; none: nothing is drawn
  std::optional<std::set<int32_t>> only{};   // no other command runs on RTL; none: all do
  /// Cycles of RTL are counted as in the run before, where the first command began in that one.
  std::optional<int64_t> first_cycle{};
  cosim::RtlProgressSink progress{};
};

/// How a job on RTL ended.
struct RtlJob {
  soc::JobResult job;                 // where the RTL stood still, what the machine had done until then
  std::optional<cosim::Hang> hang{};  // the RTL stood still
};

struct RtlState;
class RtlSession;
class RtlOutcome;

class RtlBlocks {
 public:
  /// Keeps the inputs of so many cycles of rescale and table steps. UserError where there is no RTL of so many lanes; Hang
  /// where RTL from elsewhere never answers.
  RtlBlocks(const spec::Datapath& machine, const RtlSource& source, int64_t kept_cycles = 0);
  RtlBlocks(RtlBlocks&&) noexcept;
  ~RtlBlocks();
  /// A machine of the package, which outlives the session and its outcome.
  [[nodiscard]] RtlSession begin(const package::Package& package, RtlWork work,
                                 soc::Control control = soc::Control::Direct) &&;

 private:
  std::unique_ptr<RtlState> state_;
};

class RtlSession {
 public:
  explicit RtlSession(std::unique_ptr<RtlState> state);
  RtlSession(RtlSession&&) noexcept;
  ~RtlSession();
  /// The machine, for its signals.
  [[nodiscard]] soc::Npu& machine();
  /// The next job. Counts are of the last job, mismatches of all; of several jobs one is drawn.
  [[nodiscard]] RtlJob run_job(const std::vector<base::Tensor>& inputs, const soc::JobOptions& options,
                               bool is_drawn = true);
  /// Nothing is drawn any more. What came by --rtl and was used by no command is told, and is a mismatch where its cycles
  /// are not those of hw/spec and have to be; not where the RTL stood still, since then the network did not come to its end.
  [[nodiscard]] RtlOutcome finish() &&;

 private:
  std::unique_ptr<RtlState> state_;
};

class RtlOutcome {
 public:
  explicit RtlOutcome(std::unique_ptr<RtlState> state);
  RtlOutcome(RtlOutcome&&) noexcept;
  ~RtlOutcome();
  [[nodiscard]] const cosim::NetworkResult& result() const;
  /// Whether all that was compared is equal, in each job.
  [[nodiscard]] bool is_equal() const;
  /// Adds to the first mismatch what the RTL has in the accumulator: the array runs its command once more.
  void add_accumulator();
  [[nodiscard]] report::RtlUse use() const;
  /// "npu_rescale_unit of DIR not used"; empty: none, or nothing came by --rtl.
  [[nodiscard]] const std::string& unused() const;
  /// The first mismatch of all jobs, with what shows it again; none where there is no mismatch.
  [[nodiscard]] const std::optional<cosim::FirstFault>& fault() const;
  /// The kept cycles of a unit; none where no command has a step for it.
  [[nodiscard]] std::optional<cosim::LaneReplay> kept_inputs(std::string_view unit) const;
  /// Whose blocks ran.
  [[nodiscard]] const RtlSource& source() const;
  /// What a reader has to know of RTL from elsewhere.
  [[nodiscard]] const std::vector<std::string>& notes() const;
  /// What was drawn of the array and of the vector unit; they live as long as this. What is too large to be drawn is left
  /// out, and wave_notes() have a line about it.
  [[nodiscard]] const std::vector<const cosim::RtlWave*>& waves() const;
  [[nodiscard]] const std::vector<std::string>& wave_notes() const;
  /// The signals of the machine.
  [[nodiscard]] const std::vector<kit::Signal>& signals() const;

 private:
  std::unique_ptr<RtlState> state_;
};

}  // namespace vernier::flow
