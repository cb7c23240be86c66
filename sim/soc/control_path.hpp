// SPDX-License-Identifier: Apache-2.0
// The host's side of the control path: it releases the CPU, hands jobs over through the ring, and takes their completions.
//
// Contract: reset(), boot(), then any number of jobs: hand_over(), job_started() and job_stopped() by whoever follows the
// NPU, and completion_of() once the firmware has told it. run_until() lets time pass; after failure() is set nothing goes
// on. What the host itself does takes no time. It waits in steps of simulated time, and otherwise until the machine has
// nothing to do, which is when the firmware sleeps. The host's own CPU and bus are left out (D-032).
#pragma once

#include "sim/soc/control_system.hpp"
#include "sim/soc/control_use.hpp"
#include "sim/soc/cpu_debugger.hpp"
#include "sim/soc/firmware_program.hpp"
#include "sim/soc/handed_job.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::soc {

/// Its clock and its modules belong to the SystemC context in which it is made.
class ControlPath {
 public:
  /// Firmware that says nothing for so long is given up. The job server needs less than a thousand cycles.
  static constexpr int64_t kMostSilentCycles = 1 << 20;

  /// What the firmware wrote into a job's slot.
  struct Completion {
    spec::JobOutcome outcome = spec::JobOutcome::Pending;
    uint32_t fault_code = 0, fault_address = 0, fault_access = 0;
    int64_t cycles = 0;
    uint32_t step = 0, num_commands = 0;  // of a job with steps
    int64_t told_cycle = 0;               // of the system's clock: the host's doorbell
    ControlUse use;
    std::vector<int64_t> event_counts;  // by HandedJob::events
  };

  /// `npu_clock` is that of the NPU's jobs.
  ControlPath(const config::MachineConfig& config, NpuTop& npu, const kit::JobClock& npu_clock);

  /// Nothing of the last job goes on. Before the NPU's reset.
  void stop();
  /// After stop() and the NPU's reset: memories empty, registers as after power-on.
  void reset();
  /// Loads the firmware, the project's own where it is null, and waits until it takes jobs. False: it does not; failure()
  /// says why.
  bool boot(const FirmwareProgram* firmware, LineSink on_line);
  /// Who is told of each instruction of the jobs from the next boot() on; empty: nobody.
  void observe(riscv::ExecutionObserver observer) { system_.cpu.observe(std::move(observer)); }

  /// Whether the ring has a slot for one more job. Where HEAD cannot be what it is failure() says so.
  [[nodiscard]] bool has_room();
  void hand_over(const HandedJob& job);
  /// The control system is to have this fault. Its cycle counts from now, before boot() from the release of the CPU.
  void inject(const units::Injection& injection);
  /// One that has not happened yet does not happen any more.
  void end_injection() { system_.faults.end(); }
  /// What became of it; nothing: it has not happened.
  [[nodiscard]] std::optional<units::InjectedFault> injected() const { return system_.faults.injected(); }
  /// Asks the firmware to end a job that was handed over and has not ended.
  void cancel(uint32_t number);
  /// Whether the host stops the performance counters at the next doorbell of the firmware: it has chosen their events.
  void stop_counters_at_doorbell(bool stops) { stops_counters_ = stops; }

  /// The stream of a job starts in this cycle, of which the NPU's clock begins. The simulation pauses.
  void job_started(uint32_t number);
  /// The stream has ended: its clock has halted.
  void job_stopped(uint32_t number);
  /// From the end of the job's last stream until now; 0 where none has ended.
  [[nodiscard]] int64_t cycles_since_stop(uint32_t number) const;

  /// Until the condition is met or nothing happens any more; not for longer than firmware may take without a sign, than the
  /// watchdog allows, or than until `deadline_cycle`.
  template <typename Condition>
  void run_until(Condition&& is_met, std::optional<int64_t> deadline_cycle = std::nullopt);
  /// Lets time pass up to that cycle; nothing is waited for.
  void pass_until(int64_t cycle);
  /// Null: the firmware has not told the end of that job.
  [[nodiscard]] const Completion* completion_of(uint32_t number) const;
  /// Jobs that were handed over, and whose end the firmware has not told.
  [[nodiscard]] int64_t num_outstanding() const;
  /// After it the firmware did not do `what`: failure() says so, unless something was found before.
  void fail(const std::string& what);

  /// Cycles until the watchdog of the system fires unless something happens first; 0 or more. Nothing: it is off.
  [[nodiscard]] std::optional<int64_t> watchdog_left_cycles() const;
  /// It fires now: failure() says why.
  void fire_watchdog();
  /// The CPU does not run ahead of so many cycles from now. Returns how far the host may go: not as far with a debugger, so
  /// that it is heard meanwhile.
  sc_core::sc_time limit(const sc_core::sc_time& from_now);

  /// A debugger stops the CPU of the jobs from the next boot() on; null: none.
  void debug(gdb::Server* server);
  /// Hears the debugger. False: it has ended the run; failure() says so.
  [[nodiscard]] bool attend_debugger();

  /// The completion is not what the machine did, for this reason; nothing happens where it is empty.
  void disbelieve(const std::string& why);

  [[nodiscard]] int64_t boot_cycles() const { return boot_cycles_; }
  /// Jobs whose slots the firmware has given back.
  [[nodiscard]] uint32_t head() const { return read_shared(spec::kRingWords[0].offset_bytes); }
  [[nodiscard]] int64_t now() const { return clock_.now(); }  // cycles since the release of the CPU
  /// One line; empty where nothing failed.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  /// What the control CPU has done by a moment.
  struct CpuCounts {
    int64_t cycle = 0, instructions = 0, sleep_cycles = 0, bus_cycles = 0;
  };
  struct Handed {
    uint32_t slot_offset_bytes = 0, num_events = 0;
    CpuCounts doorbell;                              // when the host rang for it
    std::optional<int64_t> start_cycle, stop_cycle;  // of its first stream, of its last one
    int64_t between_cycles = 0;                      // from stream to stream
    std::optional<Completion> completion;
  };
  uint32_t access_mailbox(tlm::tlm_command command, std::string_view name, uint32_t value);
  void load(const FirmwareSegment& segment);
  void write_shared(uint32_t offset_bytes, uint32_t value);
  [[nodiscard]] uint32_t read_shared(uint32_t offset_bytes) const;
  void run_step(int64_t left_cycles, bool& is_over);
  [[nodiscard]] NpuProgress progress() const;
  [[nodiscard]] std::string cpu_text() const;
  void host_rung();
  void take_completion(Handed& job);
  void look_at_firmware();
  [[nodiscard]] CpuCounts cpu_counts() const;

  NpuTop& npu_;
  const kit::JobClock& npu_clock_;
  kit::JobClock clock_;  // before the modules
  ControlSystem system_;
  std::map<uint32_t, Handed> jobs_;  // by number, since reset()
  std::string failure_;
  bool is_rung_ = false;  // by the firmware, since boot() or hand_over()
  bool stops_counters_ = false;
  uint32_t tail_ = 0;
  int64_t boot_cycles_ = 0;
  uint32_t ring_version_ = 0;         // that the firmware was built for; 0: it does not say
  CpuCounts rung_;                    // when the firmware last rang the host's doorbell
  std::optional<int64_t> npu_start_;  // of the stream that runs or ran last
  int64_t commands_before_ = 0;       // of the streams before it
  int64_t last_end_before_ = 0;       // of the last of these commands
  std::optional<CpuDebugger> debugger_;
  std::optional<units::Injection> injection_;  // until boot()
};

template <typename Condition>
void ControlPath::run_until(Condition&& is_met, std::optional<int64_t> deadline_cycle) {
  const int64_t given_up_cycle = clock_.now() + kMostSilentCycles;
  const int64_t last_cycle = deadline_cycle ? std::min(*deadline_cycle, given_up_cycle) : given_up_cycle;
  bool is_over = false;
  while (!is_met() && !is_over && attend_debugger() && failure_.empty() && clock_.is_running())
    run_step(last_cycle - clock_.now(), is_over);
  clock_.rethrow_failure();
}

}  // namespace vernier::soc
