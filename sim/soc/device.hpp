// SPDX-License-Identifier: Apache-2.0
// A machine that stays powered: several networks are resident, each in regions of its own, and jobs of them run one after
// the other. SystemC stays behind this header.
//
// Contract: simulated time passes in run_until_ended() and run_for() only. submit() notes a job; it arrives at its cycle,
// and from then on it may run. With Control::Cpu the host hands it to the firmware, which chooses the order; with
// Control::Direct the host starts the job of the highest priority, the oldest of equal ones, in the cycle in which the one
// before it ended. A stream that waits for itself runs until its watchdog or its time-out ends it.
// Inputs are written when a job starts and outputs are read when it ends, by a host that takes no time
// (D-032). A job starts with its image and its inputs in memory, and nothing else of its region counts as written.
#pragma once

#include "hw/base/error.hpp"
#include "hw/spec/control_system.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::soc {

struct JobRequest {
  int32_t network = 0;               // of load()
  std::vector<base::Tensor> inputs;  // in the order of the package; kept until the job starts
  uint32_t priority = 0;             // the higher one runs first
  int64_t arrival_cycle = 0;         // of the device's time; in the past: now
  bool values = true;
  int64_t watchdog_cycles = 0;  // as in JobOptions
  int64_t time_out_cycles = 0;  // as in JobOptions
  /// Numbers of events that are counted in this job, kNumPmuCounters at most: JobResult::event_counts. With Control::Cpu the
  /// firmware sets the counters and reads them, and the job is alone with the NPU.
  std::vector<uint32_t> events{};
  std::optional<units::Injection> injection{};  // one of the control system counts its cycle from the doorbell
};

/// What became of a job. Cycles are of the device's time, -1: it did not happen.
struct DeviceJob {
  int32_t network = 0;
  int64_t arrival_cycle = -1;  // when it came; its doorbell is later where the ring is full
  int64_t start_cycle = -1, end_cycle = -1;
  int64_t told_cycle = -1;  // the host knows that it has ended
  spec::JobOutcome outcome = spec::JobOutcome::Pending;
  std::optional<JobResult> result{};  // of one that has started and ended

  [[nodiscard]] bool has_ended() const { return outcome != spec::JobOutcome::Pending; }
};

/// Where a network lies.
struct NetworkPlace {
  int64_t sram_base = 0, sram_bytes = 0;
  int64_t external_base = 0, external_bytes = 0;
};

/// The firmware does not boot, or does not answer any more.
class FirmwareError : public base::UserError {
  using UserError::UserError;
};

struct DeviceOptions {
  Control control = Control::Direct;
  const FirmwareProgram* firmware = nullptr;  // null: the project's own
  ConsoleObserver on_console{};
  riscv::ExecutionObserver on_instruction{};  // of the control CPU, from its boot on
};

class Device {
 public:
  /// Boots the firmware. FirmwareError where it does not boot.
  explicit Device(const config::MachineConfig& config, DeviceOptions options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Off and on again: as a new one, in cycle 0, without networks and jobs. FirmwareError as above. Precondition: its jobs
  /// have ended.
  void power_on();
  /// Gives back what the simulated memories take; power_on() has to follow. Precondition: its jobs have ended.
  void rest();

  /// Puts a network into memory; its number. UserError, naming `file` where there is one, where it is for another machine
  /// (each field that differs is named), or where no room is left. It may be compiled for less SRAM than the machine has.
  /// Networks that keep nothing in SRAM between jobs share it.
  int32_t load(package::Package package, const std::string& file = {});
  /// Its room is free again. UserError while it has jobs that have not ended.
  void unload(int32_t network);
  [[nodiscard]] const package::Package& network(int32_t network) const;
  [[nodiscard]] NetworkPlace place(int32_t network) const;

  /// UserError for inputs that do not fit the network; its number. Variables of a network begin with the values that its
  /// package has when it is loaded, and each job that is done leaves those of the next one.
  int32_t submit(JobRequest request);
  /// Asks for the end of a job. False: it has ended already.
  bool cancel(int32_t job);
  /// Until the job has ended, for so many cycles at most. True: it has ended.
  bool run_until_ended(int32_t job, std::optional<int64_t> most_cycles = std::nullopt);
  /// Lets so many cycles pass. What happens in the cycle that comes next has not happened then.
  void run_for(int64_t cycles);
  /// Until all jobs have ended.
  void run_until_idle();
  /// Until a command of a stream has ended. False: nothing runs, and nothing waits.
  bool step_command();
  /// The commands that ended in the last step_command(): one, or all those of one cycle.
  [[nodiscard]] const std::vector<EndedCommand>& stepped_commands() const;
  /// Bytes of a network's region as they are now; those that nobody has written in its job are 0. Precondition: they lie in
  /// it.
  void read(int32_t network, base::Address from, std::span<std::byte> to) const;
  /// A register of the NPU, as the host reads it. Precondition: it is one of spec::kRegisters.
  [[nodiscard]] uint32_t read_register(std::string_view name) const;

  /// InternalError for a number that submit() never gave, or that was taken.
  [[nodiscard]] const DeviceJob& job(int32_t job) const;
  [[nodiscard]] bool has_job(int32_t job) const;
  [[nodiscard]] bool has_network(int32_t network) const;
  /// The record of a job that has ended; the device forgets it.
  DeviceJob take(int32_t job);
  [[nodiscard]] int64_t now() const;  // cycles since power-on
  [[nodiscard]] int64_t boot_cycles() const;
  /// Why nothing more can run, one line; empty: it can.
  [[nodiscard]] const std::string& failure() const;
  [[nodiscard]] const config::MachineConfig& config() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vernier::soc
