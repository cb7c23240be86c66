// SPDX-License-Identifier: Apache-2.0
// The elaborated machine, and the jobs whose streams it runs one after the other; Npu and Device stand on it.
//
// Contract: power_on() empties everything. A job is known to the machine by the number that stands in the register JOB when
// its stream starts: on_start() finds it. A stream without a job starts nothing: the NPU's clock does not run. run_stream()
// lets time pass while one runs. Whoever starts a stream, the host or the firmware, the statistics of a job are its own.
#pragma once

#include "sim/kit/simulation_context.hpp"
#include "sim/soc/control_path.hpp"
#include "sim/soc/flow_job.hpp"
#include "sim/soc/npu.hpp"
#include "sim/soc/npu_top.hpp"
#include "sim/soc/package_memory.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::soc {

/// A job as the machine has it, from before its start until somebody has taken its result.
struct MachineJob {
  uint32_t number = 0;  // as it was handed over; firmware may write another one to JOB
  const package::Package* package = nullptr;
  const JobOptions* options = nullptr;
  int64_t watchdog_cycles = 0;
  JobMemory memory{};
  std::function<void()> before_start{};  // may be empty; memory is that of the job
  bool has_started = false;
  std::optional<JobResult> result{};  // from its end on; with control flow its figures come with close_flow()
  std::optional<FlowJob> flow{};      // of a package with control flow
};

class Machine : private JobObserver {
 public:
  Machine(const config::MachineConfig& machine, std::unique_ptr<units::DatapathIf> values, Control choice);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Nothing of what was before goes on; memories are empty.
  void power_on();
  /// Called with the register JOB when a stream starts; null: nobody's.
  void on_start(std::function<MachineJob*(uint32_t job)> find) { find_ = std::move(find); }

  /// The host writes the registers of a job and starts it, unless a stream runs.
  void start_directly(const HandedJob& job);
  [[nodiscard]] bool is_running() const { return current_ != nullptr; }
  [[nodiscard]] bool is_running(const MachineJob& job) const { return current_ == &job; }
  /// Lets time pass until the stream that runs has ended, or `deadline_cycle` of its own cycles has come. True: it has
  /// ended.
  bool run_stream(std::optional<int64_t> deadline_cycle = std::nullopt);
  /// Whether a stream in which nothing happens any more runs on until its watchdog fires. Else its end is seen at once, and
  /// its cycles are those up to the last event.
  void keep_time(bool keeps) { keeps_time_ = keeps; }
  /// Whether run_stream() also comes back when commands have ended.
  void stop_at_commands(bool stops) {
    if (stops) ended_commands_.clear();
    stops_at_commands_ = stops;
  }
  /// The commands that have ended since stop_at_commands(true), in order.
  [[nodiscard]] const std::vector<EndedCommand>& ended_commands() const { return ended_commands_; }
  /// What the job has done that runs, or ran last; for one that an exception stopped.
  JobResult collect(const MachineJob& job);
  /// A job with control flow ends as the firmware has told: its result is that of all its streams. Does nothing for another
  /// job, or one that has not started.
  void close_flow(MachineJob& job, spec::JobOutcome told);
  /// A job that never started has run for no cycles.
  void close_unstarted(MachineJob& job);

  uint32_t access_register(std::string_view name, tlm::tlm_command command, uint32_t value = 0);
  /// Counting begins here; until a stream starts nothing happens in the NPU.
  void choose_events(const std::vector<uint32_t>& events);
  void read_events(JobResult& result, size_t num_events);

  config::MachineConfig config;
  std::unique_ptr<units::DatapathIf> datapath;
  kit::SimulationContext context;  // before the modules
  kit::JobClock clock;
  NpuTop top;
  std::optional<ControlPath> control;  // with a control CPU

 private:
  void starting(uint32_t job, const units::StreamLocation& stream) override;
  void resetting() override;
  void ended() override;
  void set_up(const MachineJob& job);
  void watch_stream(const MachineJob& job);
  /// What a job has before the stream that runs: of its other streams.
  struct BeforeStream {
    int32_t num_commands = 0;
    int64_t cycles = 0;
  };
  void stop_after(uint32_t job, int32_t command_idx, const BeforeStream& before);
  void capture_pieces(const MachineJob& job, int32_t command_idx, int64_t cycle);
  void inject(const MachineJob& job, units::Injection injection);
  void end_clock();
  void finish();
  static void take_outputs(const MachineJob& job, JobResult& result);
  JobStatus status();
  std::string wait_for_graph();
  uint32_t access_pmu(std::string_view name, tlm::tlm_command command, uint32_t value = 0);

  std::function<MachineJob*(uint32_t)> find_;
  MachineJob* current_ = nullptr;  // whose stream runs
  bool stops_at_commands_ = false, keeps_time_ = false;
  std::vector<EndedCommand> ended_commands_;
  bool is_fresh_ = false;                        // no stream has run since power_on()
  bool is_watchdog_ = false, is_reset_ = false;  // how the stream ended that ended last
};

}  // namespace vernier::soc
