// SPDX-License-Identifier: Apache-2.0
// The host's side of the control path: it releases the CPU, hands a job over through the ring, and takes the completion.
//
// Contract: reset(), boot(), submit(), run_until_started(), then the NPU's job, then finish(): each once, in this order;
// boot() and finish() say whether the firmware answered. What the host itself does takes no time. It waits in steps of
// simulated time, and otherwise until the machine has nothing to do, which is when the firmware sleeps. Not modelled: the
// host's own CPU and bus (D-032).
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/control_system.hpp"
#include "sim/soc/control_use.hpp"
#include "sim/soc/cpu_debugger.hpp"
#include "sim/soc/firmware_program.hpp"

#include <optional>
#include <string>
#include <utility>

namespace vernier::soc {

/// Its clock and its modules belong to the SystemC context in which it is made.
class ControlPath {
 public:
  /// What the firmware wrote into the job's slot.
  struct Completion {
    spec::JobOutcome outcome = spec::JobOutcome::Pending;
    uint32_t fault_code = 0, fault_address = 0;
    int64_t cycles = 0;
    uint32_t head = 0;  // of the ring
  };

  /// `npu_clock` is that of the NPU's jobs.
  ControlPath(const config::MachineConfig& config, NpuTop& npu, const kit::JobClock& npu_clock);

  /// Nothing of the last job goes on. Before the NPU's reset.
  void stop();
  /// After stop() and the NPU's reset: memories empty, registers as after power-on.
  void reset();
  /// Loads the firmware and waits until it takes jobs. False: it does not; failure() says why. UserError where external
  /// memory is in use that host and firmware share.
  bool boot(const FirmwareProgram& firmware, LineSink on_line);
  /// Who is told of each instruction of the jobs from the next boot() on; empty: nobody.
  void observe(riscv::ExecutionObserver observer) { system_.cpu.observe(std::move(observer)); }
  /// `time_out_cycles` is TIME_OUT_CYCLES of the job; 0: none.
  void submit(const package::Package& package, int64_t watchdog_cycles, int64_t time_out_cycles);
  /// Whether the host stops the performance counters at the next doorbell of the firmware: it has chosen their events.
  void stop_counters_at_doorbell(bool stops) { stops_counters_ = stops; }
  /// Until job_started(). False: it was not called; failure() says why.
  bool run_until_started();
  /// The NPU's job starts now; of the one that begins the NPU's clock. The simulation pauses in this cycle.
  void job_started();
  /// After the NPU's end, until the firmware has ended the job. False: it has not; failure() says why.
  bool finish();
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
  void disbelieve(const std::string& why) { failure_ = why; }

  [[nodiscard]] const ControlUse& use() const { return use_; }
  [[nodiscard]] const Completion& completion() const { return completion_; }
  /// One line; empty where nothing failed.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  /// What the control CPU has done by a doorbell.
  struct CpuCounts {
    int64_t cycle = 0, instructions = 0, sleep_cycles = 0, bus_cycles = 0;
  };
  uint32_t access_mailbox(tlm::tlm_command command, std::string_view name, uint32_t value);
  void load(const FirmwareSegment& segment);
  void write_shared(uint32_t offset_bytes, uint32_t value);
  [[nodiscard]] uint32_t read_shared(uint32_t offset_bytes) const;
  [[nodiscard]] uint32_t read_job(spec::JobWord word) const;
  template <typename Condition>
  void run_until(Condition&& is_met);
  [[nodiscard]] NpuProgress progress() const;
  [[nodiscard]] std::string cpu_text() const;
  void host_rung();
  [[nodiscard]] CpuCounts cpu_counts() const;
  void fail(const std::string& what);

  NpuTop& npu_;
  const kit::JobClock& npu_clock_;
  kit::JobClock clock_;  // before the modules
  ControlSystem system_;
  ControlUse use_;
  Completion completion_;
  std::string failure_;
  bool is_rung_ = false, is_started_ = false;
  bool stops_counters_ = false;
  CpuCounts rung_, submit_;  // when the firmware last rang the host's doorbell, when the host rang the CPU's
  int64_t start_cycle_ = 0;  // of the NPU's job
  std::optional<CpuDebugger> debugger_;
};

}  // namespace vernier::soc
