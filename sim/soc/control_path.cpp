// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/control_path.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/soc/register_block.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace vernier::soc {

namespace {
/// The host looks at the machine so often while the firmware does not sleep.
constexpr int64_t kStepCycles = 4096;
/// It hears a debugger so often while the NPU runs.
constexpr int64_t kDebuggerStepCycles = 512;
/// Firmware that says nothing for so long is given up. The job server needs about a thousand cycles.
constexpr int64_t kMostCycles = 1 << 20;
constexpr uint32_t kAllBits = 0xFFFF'FFFF;
}  // namespace

ControlPath::ControlPath(const config::MachineConfig& config, NpuTop& npu, const kit::JobClock& npu_clock)
    : npu_(npu), npu_clock_(npu_clock), system_("control", clock_, config, npu) {
  system_.mailbox.on_host_doorbell([this] { host_rung(); });
  system_.watchdog.on_progress([this] { return progress(); });
  system_.watchdog.on_change([] { sc_core::sc_pause(); });  // the host goes on for as long as it now may
}

void ControlPath::host_rung() {
  is_rung_ = true;
  rung_ = cpu_counts();
  if (!stops_counters_) return;
  access_register(npu_.pmu_initiator, spec::kPmuRegisters, "CONTROL", tlm::TLM_WRITE_COMMAND, 0);
}

ControlPath::CpuCounts ControlPath::cpu_counts() const {
  return {clock_.now(), system_.cpu.cpu_count(spec::CpuEvent::Instructions),
          system_.cpu.cpu_count(spec::CpuEvent::SleepCycles), system_.cpu.cpu_count(spec::CpuEvent::BusCycles)};
}

void ControlPath::stop() {
  system_.cpu.observe({});  // what it does while it is held is nobody's
  clock_.halt();
  system_.timer.stop();
  system_.cpu.nudge();
  sc_core::sc_start();  // processes of halted clocks let their events pass
  debug(nullptr);
}

void ControlPath::reset() {
  system_.reset();
  use_ = {};
  completion_ = {};
  failure_.clear();
  is_rung_ = is_started_ = stops_counters_ = false;
}

void ControlPath::load(const FirmwareSegment& segment) {
  VERNIER_CHECK(is_firmware_place(segment.address, segment.bytes.size()), "{} bytes of firmware at 0x{:08x}",
                segment.bytes.size(), segment.address);
  const uint32_t ram_base = spec::cpu_window_base(spec::CpuWindowId::Ram);
  if (segment.address >= ram_base) return system_.ram.write(int64_t{segment.address} - ram_base, segment.bytes);
  system_.firmware.write(int64_t{segment.address} - spec::cpu_window_base(spec::CpuWindowId::Firmware), segment.bytes);
}

bool ControlPath::boot(const FirmwareProgram& firmware, LineSink on_line) {
  if (npu_.external.storage().peak_bytes() > spec::kSharedOffsetBytes)
    throw base::UserError("--control",
                          "'cpu' needs the last {} bytes of external memory, which the package uses; allowed is "
                          "'direct'",
                          spec::kSharedBytes);
  for (const FirmwareSegment& segment : firmware.segments) load(segment);
  system_.console.on_line(std::move(on_line));
  clock_.begin();
  system_.cpu.begin();
  run_until([this] { return is_rung_; });
  use_.boot_cycles = rung_.cycle;
  const uint32_t state = access_mailbox(tlm::TLM_READ_COMMAND, "FIRMWARE_STATE", 0);
  if (state != static_cast<uint32_t>(spec::FirmwareState::Ready)) fail("the firmware did not boot");
  return failure_.empty();
}

void ControlPath::submit(const package::Package& package, int64_t watchdog_cycles, int64_t time_out_cycles) {
  const uint32_t slot = spec::kJobSlotsOffsetBytes;  // of job 0
  const auto write = [&](spec::JobWord word, uint64_t value) {
    write_shared(slot + spec::offset_of(word), static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)));
  };
  write(spec::JobWord::StreamAddress, package.stream_address.offset);
  write(spec::JobWord::StreamSpace, package.stream_address.space == base::MemorySpace::Sram ? 0 : 1);
  write(spec::JobWord::StreamBytes, package.stream.size());
  write(spec::JobWord::WatchdogCycles, static_cast<uint64_t>(watchdog_cycles));
  write(spec::JobWord::TimeOutCycles, static_cast<uint64_t>(time_out_cycles));
  write(spec::JobWord::Outcome, static_cast<uint32_t>(spec::JobOutcome::Pending));
  write_shared(spec::kRingWords[1].offset_bytes, 1);
  access_mailbox(tlm::TLM_WRITE_COMMAND, "HOST_DOORBELL", kAllBits);
  is_rung_ = false;
  submit_ = cpu_counts();
  access_mailbox(tlm::TLM_WRITE_COMMAND, "CPU_DOORBELL_SET", spec::kDoorbellJobs);
}

/// The host takes over in this cycle, so that it can see the watchdog fire in time.
void ControlPath::job_started() {
  is_started_ = true;
  start_cycle_ = clock_.now();
  sc_core::sc_pause();
}

bool ControlPath::run_until_started() {
  run_until([this] { return is_rung_ || is_started_; });
  if (is_started_) return true;
  fail(is_rung_ ? "the firmware ended the job without the NPU" : "the firmware did not start the job");
  return false;
}

bool ControlPath::finish() {
  run_until([this] { return is_rung_; });
  if (!failure_.empty()) return false;
  const auto outcome = static_cast<spec::JobOutcome>(read_job(spec::JobWord::Outcome));
  if (!is_rung_ || outcome == spec::JobOutcome::Pending) {
    fail("the firmware did not end the job");
    return false;
  }
  completion_ = {
      outcome, read_job(spec::JobWord::FaultCode), read_job(spec::JobWord::FaultAddress),
      static_cast<int64_t>(uint64_t{read_job(spec::JobWord::CyclesHigh)} << 32 | read_job(spec::JobWord::CyclesLow)),
      read_shared(spec::kRingWords[0].offset_bytes)};
  use_.submit_cycles = start_cycle_ - submit_.cycle;
  use_.interrupt_cycles = rung_.cycle - (start_cycle_ + npu_clock_.now());
  use_.firmware_instructions = rung_.instructions - submit_.instructions;
  use_.firmware_sleep_cycles = rung_.sleep_cycles - submit_.sleep_cycles;
  use_.firmware_bus_cycles = rung_.bus_cycles - submit_.bus_cycles;
  return true;
}

/// Until the condition is met, or nothing happens any more; not for longer than firmware may take, or than the watchdog
/// allows.
template <typename Condition>
void ControlPath::run_until(Condition&& is_met) {
  const int64_t given_up_cycle = clock_.now() + kMostCycles;
  while (!is_met() && attend_debugger() && failure_.empty() && clock_.is_running()) {
    const int64_t most_left = given_up_cycle - clock_.now();
    const std::optional<int64_t> watchdog_left = watchdog_left_cycles();
    if (!sc_core::sc_pending_activity() && !watchdog_left) break;
    const int64_t left = std::min(most_left, watchdog_left.value_or(most_left));
    const sc_core::sc_time to_next_event = sc_core::sc_time_to_pending_activity();
    if (to_next_event > kit::to_time(left)) {
      if (left > 0) sc_core::sc_start(kit::to_time(left), sc_core::SC_RUN_TO_TIME);
      if (watchdog_left == left) fire_watchdog();
      break;
    }
    // To the next event at least: a shorter step would not let time pass.
    const sc_core::sc_time step = std::max(to_next_event, kit::to_time(std::min(kStepCycles, left)));
    limit(step);
    sc_core::sc_start(step, sc_core::SC_EXIT_ON_STARVATION);
  }
  clock_.rethrow_failure();
}

sc_core::sc_time ControlPath::limit(const sc_core::sc_time& from_now) {
  sc_core::sc_time step = from_now;
  if (debugger_) step = std::min(step, std::max(sc_core::sc_time_to_pending_activity(), kit::to_time(kDebuggerStepCycles)));
  system_.cpu.limit(sc_core::sc_time_stamp() + step);
  return step;
}

void ControlPath::debug(gdb::Server* server) {
  debugger_.reset();
  if (server != nullptr) {
    debugger_.emplace(system_.cpu, *server, [this] {
      failure_ = fmt::format("the debugger ended the run in cycle {}, {}", clock_.now(), cpu_text());
      sc_core::sc_pause();
    });
  }
  system_.cpu.attach(debugger_ ? &*debugger_ : nullptr);
}

bool ControlPath::attend_debugger() {
  if (!debugger_) return true;
  if (debugger_->poll()) system_.cpu.nudge();  // once: an event at each look would let no time pass
  return !debugger_->is_killed();
}

std::optional<int64_t> ControlPath::watchdog_left_cycles() const {
  const std::optional<int64_t> due = system_.watchdog.due_cycle();
  return due ? std::optional(std::max<int64_t>(0, *due - clock_.now())) : std::nullopt;
}

void ControlPath::fire_watchdog() {
  using State = spec::WatchdogState;
  system_.watchdog.fire();
  const State why = system_.watchdog.state();
  const int64_t limit_cycles = system_.watchdog.limit_cycles(why), num_commands = system_.watchdog.num_commands();
  const std::string cause =
      why == State::Stuck
          ? fmt::format("stuck, for {} cycles no command has ended and the firmware has not fed it", limit_cycles)
          : fmt::format("slow, the firmware has not fed it for {} cycles, in which {} ended", limit_cycles,
                        base::counted(num_commands, "command"));
  failure_ = fmt::format("the watchdog of the system fired in cycle {}: {}; {}", clock_.now(), cause, cpu_text());
}

/// The NPU's clock begins with its job.
NpuProgress ControlPath::progress() const {
  const int64_t num_commands = is_started_ ? npu_.command_log.num_retired() : 0;
  return {num_commands, num_commands > 0 ? start_cycle_ + npu_.command_log.last_end_cycle() : 0};
}

std::string ControlPath::cpu_text() const {
  const riscv::Cpu& cpu = system_.cpu.state();
  return fmt::format("the control CPU {} at 0x{:08x}", cpu.is_waiting() ? "sleeps" : "runs", cpu.pc());
}

/// What was found first stays.
void ControlPath::fail(const std::string& what) {
  if (!failure_.empty()) return;
  const auto read = [this](std::string_view name) { return access_mailbox(tlm::TLM_READ_COMMAND, name, 0); };
  failure_ = fmt::format("{}: after {} cycles {}", what, clock_.now(), cpu_text());
  if (read("FIRMWARE_STATE") == static_cast<uint32_t>(spec::FirmwareState::Failed)) {
    failure_ +=
        fmt::format("; it reports a failure, cause 0x{:x} at 0x{:08x}", read("FAILURE_CAUSE"), read("FAILURE_ADDRESS"));
  }
}

uint32_t ControlPath::access_mailbox(tlm::tlm_command command, std::string_view name, uint32_t value) {
  return access_register(system_.mailbox_initiator, spec::kMailboxRegisters, name, command, value);
}

void ControlPath::write_shared(uint32_t offset_bytes, uint32_t value) {
  npu_.external.write(int64_t{spec::kSharedOffsetBytes} + offset_bytes, std::as_bytes(std::span(&value, 1)));
}

uint32_t ControlPath::read_shared(uint32_t offset_bytes) const {
  uint32_t value = 0;
  std::memcpy(&value, npu_.external.storage().bytes().data() + spec::kSharedOffsetBytes + offset_bytes, sizeof value);
  return value;
}

uint32_t ControlPath::read_job(spec::JobWord word) const {
  return read_shared(spec::kJobSlotsOffsetBytes + spec::offset_of(word));
}

}  // namespace vernier::soc
