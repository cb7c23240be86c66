// SPDX-License-Identifier: Apache-2.0
// The RTL that gives the values of a network's commands: its blocks, the datapath of the machine that runs on them, its part
// of the waves, and what was found. For `run --backend rtl` and `cosim MODEL`.
#pragma once

#include "hw/package/package.hpp"
#include "sim/cli/rtl_folder_option.hpp"
#include "sim/cli/traces.hpp"
#include "sim/cosim/rtl_datapath.hpp"
#include "sim/report/report.hpp"

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace vernier::cli {

/// A command, and the slices before it of the same reduction.
std::set<int32_t> with_earlier_slices(const package::Package& package, int32_t command_idx);

/// Whether an array of ours has to keep units of ours: those of `source` have another depth.
bool needs_own_array(const RtlSource& source, int lanes);

class RtlBackend {
 public:
  struct Work {
    bool has_pairs = true;    // neighbours without a token between them run once more, one after the other
    int64_t kept_cycles = 0;  // of rescale and table steps, whose inputs are kept
  };
  /// UserError where there is no RTL of so many lanes; Hang where RTL from elsewhere never answers.
  RtlBackend(const spec::Datapath& machine, const Work& work, const RtlSource& source);

  /// Before datapath(): the commands that run in the window of `traces` are drawn.
  void draw(const Traces& traces, const package::Package& package);
  /// The same of these commands.
  void draw(std::set<int32_t> commands);
  /// Before datapath(): no other command runs on RTL.
  void run_only(std::set<int32_t> commands) { only_ = std::move(commands); }
  /// Before datapath(): cycles of RTL are counted as in the run before, where the first command began in that one.
  void count_from(int64_t cycle) { first_cycle_ = cycle; }
  /// For a machine of the package, which outlives this; once. A job on it throws cosim::Hang where the RTL stands still.
  std::unique_ptr<units::DatapathIf> datapath(const package::Package& package, uint64_t seed,
                                              cosim::RtlProgressSink progress = {});
  /// After the last job: what came by --rtl and was used by no command is told, and is a mismatch where its cycles are not
  /// those of hw/spec and have to be.
  void finish();
  /// Counts are of the job that begins now, mismatches of all jobs; of several jobs one is drawn.
  void begin_job(bool is_drawn = true);
  /// What was drawn of the array and of the vector unit, none without draw(). Nothing is drawn any more. What is too large
  /// to be drawn is left out, and `notes` get a line about it.
  std::vector<const cosim::RtlWave*> finish_waves(std::vector<std::string>& notes);

  [[nodiscard]] const cosim::NetworkResult& result() const { return result_; }
  /// Whether all that was compared is equal, in each job.
  [[nodiscard]] bool is_equal() const { return earlier_mismatches_ + result_.mismatches() == 0; }
  [[nodiscard]] report::RtlUse use() const;
  /// "npu_rescale_unit of DIR not used"; empty: none, or nothing came by --rtl. After finish().
  [[nodiscard]] const std::string& unused() const { return unused_; }
  /// The first mismatch of all jobs, with what shows it again; none where there is no mismatch.
  [[nodiscard]] const std::optional<cosim::FirstFault>& fault() const { return fault_; }
  /// Work::kept_cycles of a unit; none where no command has a step for it.
  [[nodiscard]] std::optional<cosim::LaneReplay> kept_inputs(std::string_view unit) const {
    return lane_units_->kept_inputs(unit);
  }
  /// Whose blocks run.
  [[nodiscard]] const RtlSource& source() const { return source_; }
  /// What a reader has to know of RTL from elsewhere.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void note_latency(std::string_view module, int64_t latency_cycles);
  /// Whether a command of the network has work for a unit of the folder where that runs.
  [[nodiscard]] bool uses(std::string_view unit) const;
  /// The cycles of each command that ran on RTL, beside those that hw/timing charges for it.
  [[nodiscard]] std::vector<report::RtlUse::CommandCycles> command_cycles() const;

  RtlSource source_;
  Work work_;
  bool is_strict_;
  std::optional<cosim::RtlWave> wave_, vector_wave_;  // they outlive the blocks that write them
  std::optional<cosim::LaneUnits> lane_units_;
  std::optional<cosim::RtlVectorUnit> vector_unit_;
  std::unique_ptr<cosim::ClockedBlock> block_;
  std::optional<cosim::ArrayMemory> memory_;
  std::optional<cosim::FirstFault> fault_;
  std::optional<int64_t> first_cycle_;
  std::optional<std::set<int32_t>> only_;
  cosim::RtlDatapath* datapath_ = nullptr;     // the machine's
  const package::Package* package_ = nullptr;  // what runs on it
  cosim::NetworkResult result_;
  bool has_job_ = false;
  int64_t earlier_mismatches_ = 0, earlier_cycle_mismatches_ = 0;
  std::vector<std::string> first_mismatches_;  // of earlier jobs
  std::vector<std::string> notes_;
  bool is_array_own_ = false;                               // which keeps units of ours then
  std::vector<std::pair<std::string, int64_t>> latencies_;  // of units of another depth, by module
  std::string unused_;
};

/// Says that the RTL of a job on `file` stands still, and what differed before, which it may be a consequence of, with its
/// replay unless `no_replay`. The exit code: that of a mismatch where there was one and the RTL has not stopped itself.
int report_rtl_hang(const std::string& file, const RtlBackend& rtl, const config::MachineConfig& config, bool no_replay,
                    const cosim::Hang& hang);

}  // namespace vernier::cli
