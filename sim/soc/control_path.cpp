// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/control_path.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/soc/firmware_image.hpp"
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
constexpr uint32_t kAllBits = 0xFFFF'FFFF;

/// Offset of EVENT_i in a slot, in bytes.
constexpr uint32_t event_offset(uint32_t i) { return spec::offset_of(spec::JobWord::Event0) + 4 * i; }
}  // namespace

ControlPath::ControlPath(const config::MachineConfig& config, NpuTop& npu, const kit::JobClock& npu_clock)
    : npu_(npu), npu_clock_(npu_clock), system_("control", clock_, config, npu) {
  system_.mailbox.on_host_doorbell([this] { host_rung(); });
  system_.watchdog.on_progress([this] { return progress(); });
  system_.watchdog.on_change([] { sc_core::sc_pause(); });  // the host goes on for as long as it now may
}

/// The host takes over in this cycle.
void ControlPath::host_rung() {
  is_rung_ = true;
  rung_ = cpu_counts();
  for (auto& [number, job] : jobs_) take_completion(job);
  if (!jobs_.empty()) look_at_firmware();
  sc_core::sc_pause();
  if (!stops_counters_) return;
  access_register(npu_.pmu_initiator, spec::kPmuRegisters, "CONTROL", tlm::TLM_WRITE_COMMAND, 0);
}

/// The firmware has rung and waits for nothing: what it shows has to fit together.
void ControlPath::look_at_firmware() {
  const uint32_t state = access_mailbox(tlm::TLM_READ_COMMAND, "FIRMWARE_STATE", 0);
  if (spec::state_of(state) == spec::FirmwareState::Failed) fail("the firmware has failed");
  if (tail_ - head() < num_outstanding())
    fail(fmt::format("HEAD is {} after {} jobs, some of which have not ended", head(), tail_));
}

bool ControlPath::has_room() {
  const uint32_t num_used = tail_ - head();
  if (num_used > spec::kNumJobSlots || (num_used == spec::kNumJobSlots && num_outstanding() == 0))
    fail(fmt::format("HEAD is {} after {} jobs", head(), tail_));
  return num_used < spec::kNumJobSlots;
}

void ControlPath::take_completion(Handed& job) {
  if (job.completion) return;
  const auto read = [&](spec::JobWord word) { return read_shared(job.slot_offset_bytes + spec::offset_of(word)); };
  const auto outcome = static_cast<spec::JobOutcome>(read(spec::JobWord::Outcome));
  if (outcome == spec::JobOutcome::Pending) return;
  job.completion =
      Completion{outcome,
                 read(spec::JobWord::FaultCode),
                 read(spec::JobWord::FaultAddress),
                 read(spec::JobWord::FaultAccess),
                 static_cast<int64_t>(uint64_t{read(spec::JobWord::CyclesHigh)} << 32 | read(spec::JobWord::CyclesLow)),
                 read(spec::JobWord::Step),
                 read(spec::JobWord::NumCommands),
                 rung_.cycle,
                 {},
                 {}};
  for (uint32_t i = 0; i < job.num_events; ++i)
    job.completion->event_counts.push_back(read_shared(job.slot_offset_bytes + event_offset(i)));
  ControlUse& use = job.completion->use;
  use.boot_cycles = boot_cycles_;
  if (job.start_cycle) use.submit_cycles = *job.start_cycle - job.doorbell.cycle;
  use.between_cycles = job.between_cycles;
  if (job.stop_cycle) use.interrupt_cycles = rung_.cycle - *job.stop_cycle;
  use.firmware_instructions = rung_.instructions - job.doorbell.instructions;
  use.firmware_sleep_cycles = rung_.sleep_cycles - job.doorbell.sleep_cycles;
  use.firmware_bus_cycles = rung_.bus_cycles - job.doorbell.bus_cycles;
}

ControlPath::CpuCounts ControlPath::cpu_counts() const {
  return {clock_.now(), system_.cpu.cpu_count(spec::CpuEvent::Instructions),
          system_.cpu.cpu_count(spec::CpuEvent::SleepCycles), system_.cpu.cpu_count(spec::CpuEvent::BusCycles)};
}

void ControlPath::inject(const units::Injection& injection) {
  injection_ = injection;
  if (!clock_.is_running()) return;
  injection_->cycle += clock_.now();
  system_.faults.begin(*std::exchange(injection_, std::nullopt));
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
  jobs_.clear();
  failure_.clear();
  is_rung_ = stops_counters_ = false;
  injection_.reset();
  tail_ = 0;
  boot_cycles_ = commands_before_ = last_end_before_ = 0;
  npu_start_.reset();
}

void ControlPath::load(const FirmwareSegment& segment) {
  VERNIER_CHECK(is_firmware_place(segment.address, segment.bytes.size()), "{} bytes of firmware at 0x{:08x}",
                segment.bytes.size(), segment.address);
  const uint32_t ram_base = spec::cpu_window_base(spec::CpuWindowId::Ram);
  if (segment.address >= ram_base) return system_.ram.write(int64_t{segment.address} - ram_base, segment.bytes);
  system_.firmware.write(int64_t{segment.address} - spec::cpu_window_base(spec::CpuWindowId::Firmware), segment.bytes);
}

bool ControlPath::boot(const FirmwareProgram* firmware, LineSink on_line) {
  const FirmwareProgram& program = firmware == nullptr ? own_firmware() : *firmware;
  for (const FirmwareSegment& segment : program.segments) load(segment);
  system_.console.on_line(std::move(on_line));
  // Lines that the reset lowers have fallen before a fault looks at them.
  while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock_.begin();
  system_.cpu.begin();
  if (injection_) inject(*injection_);
  run_until([this] { return is_rung_; });
  boot_cycles_ = rung_.cycle;
  const uint32_t state = access_mailbox(tlm::TLM_READ_COMMAND, "FIRMWARE_STATE", 0);
  if (spec::state_of(state) != spec::FirmwareState::Ready) fail("the firmware did not boot");
  ring_version_ = state >> 8;
  return failure_.empty();
}

void ControlPath::hand_over(const HandedJob& job) {
  VERNIER_CHECK(has_room(), "no slot is free for job {}", job.number);
  Handed handed;
  handed.slot_offset_bytes = spec::kJobSlotsOffsetBytes + tail_ % spec::kNumJobSlots * spec::kJobSlotBytes;
  const auto write_at = [&](uint32_t word_offset_bytes, uint32_t value) {
    write_shared(handed.slot_offset_bytes + word_offset_bytes, value);
  };
  const auto write = [&](spec::JobWord word, uint32_t value) { write_at(spec::offset_of(word), value); };
  for_each_job_register(job, [&](std::string_view name, uint32_t value) {
    const auto word = std::find_if(spec::kJobWords.begin(), spec::kJobWords.end(),
                                   [&](const spec::SharedWord& candidate) { return candidate.name == name; });
    VERNIER_CHECK(word != spec::kJobWords.end(), "a slot has no word {}", name);
    write_at(word->offset_bytes, value);
  });
  write(spec::JobWord::TimeOutCycles, static_cast<uint32_t>(std::min<int64_t>(job.time_out_cycles, UINT32_MAX)));
  write(spec::JobWord::Priority, job.priority);
  write(spec::JobWord::Cancel, 0);
  write(spec::JobWord::NumSteps, job.num_steps);
  write(spec::JobWord::MostCommands, job.most_commands);
  write(spec::JobWord::Step, 0);
  write(spec::JobWord::NumCommands, 0);
  handed.num_events = static_cast<uint32_t>(job.events.size());
  write(spec::JobWord::NumEvents, handed.num_events);
  for (uint32_t i = 0; i < handed.num_events; ++i) write_at(event_offset(i), job.events[i]);
  write(spec::JobWord::Outcome, static_cast<uint32_t>(spec::JobOutcome::Pending));
  write_shared(spec::kRingWords[1].offset_bytes, ++tail_);
  access_mailbox(tlm::TLM_WRITE_COMMAND, "HOST_DOORBELL", kAllBits);
  is_rung_ = false;
  handed.doorbell = cpu_counts();
  std::erase_if(jobs_, [](const auto& entry) { return entry.second.completion.has_value(); });
  jobs_[job.number] = handed;
  access_mailbox(tlm::TLM_WRITE_COMMAND, "CPU_DOORBELL_SET", spec::kDoorbellJobs);
}

void ControlPath::cancel(uint32_t number) {
  write_shared(jobs_.at(number).slot_offset_bytes + spec::offset_of(spec::JobWord::Cancel), 1);
  access_mailbox(tlm::TLM_WRITE_COMMAND, "CPU_DOORBELL_SET", spec::kDoorbellJobs);
}

/// The host takes over in this cycle, so that it can see the watchdog fire in time.
void ControlPath::job_started(uint32_t number) {
  npu_start_ = clock_.now();
  if (const auto found = jobs_.find(number); found != jobs_.end()) {
    Handed& job = found->second;
    job.between_cycles += cycles_since_stop(number);
    if (!job.start_cycle) job.start_cycle = clock_.now();
  }
  sc_core::sc_pause();
}

void ControlPath::job_stopped(uint32_t number) {
  const NpuProgress now = progress();
  commands_before_ = now.num_commands;
  last_end_before_ = now.last_end_cycle;
  const int64_t stop_cycle = *npu_start_ + npu_clock_.now();
  npu_start_.reset();
  if (const auto job = jobs_.find(number); job != jobs_.end()) job->second.stop_cycle = stop_cycle;
}

int64_t ControlPath::cycles_since_stop(uint32_t number) const {
  const auto job = jobs_.find(number);
  return job != jobs_.end() && job->second.stop_cycle ? clock_.now() - *job->second.stop_cycle : 0;
}

void ControlPath::pass_until(int64_t cycle) {
  run_until([] { return false; }, cycle);
  if (!failure_.empty() || clock_.now() >= cycle) return;
  sc_core::sc_start(kit::to_time(cycle - clock_.now()), sc_core::SC_RUN_TO_TIME);
  clock_.rethrow_failure();
}

const ControlPath::Completion* ControlPath::completion_of(uint32_t number) const {
  const auto job = jobs_.find(number);
  return job != jobs_.end() && job->second.completion ? &*job->second.completion : nullptr;
}

int64_t ControlPath::num_outstanding() const {
  return std::count_if(jobs_.begin(), jobs_.end(), [](const auto& entry) { return !entry.second.completion; });
}

/// One step of the simulation, in which at most `left_cycles` pass. `is_over`: nothing more happens until then.
void ControlPath::run_step(int64_t left_cycles, bool& is_over) {
  const std::optional<int64_t> watchdog_left = watchdog_left_cycles();
  if (!sc_core::sc_pending_activity() && !watchdog_left) {
    is_over = true;
    return;
  }
  const int64_t left = std::min(left_cycles, watchdog_left.value_or(left_cycles));
  const sc_core::sc_time to_next_event = sc_core::sc_time_to_pending_activity();
  if (to_next_event > kit::to_time(left)) {
    if (left > 0) sc_core::sc_start(kit::to_time(left), sc_core::SC_RUN_TO_TIME);
    if (watchdog_left == left) fire_watchdog();
    is_over = true;
    return;
  }
  // To the next event at least: a shorter step would not let time pass.
  const sc_core::sc_time step = std::max(to_next_event, kit::to_time(std::min(kStepCycles, left)));
  limit(step);
  sc_core::sc_start(step, sc_core::SC_EXIT_ON_STARVATION);
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

/// Of all streams. The NPU's clock begins with each.
NpuProgress ControlPath::progress() const {
  const int64_t num_commands = npu_start_ ? npu_.command_log.num_retired() : 0;
  return {commands_before_ + num_commands,
          num_commands > 0 ? *npu_start_ + npu_.command_log.last_end_cycle() : last_end_before_};
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
  if (spec::state_of(read("FIRMWARE_STATE")) == spec::FirmwareState::Failed) {
    failure_ +=
        fmt::format("; it reports a failure, cause 0x{:x} at 0x{:08x}", read("FAILURE_CAUSE"), read("FAILURE_ADDRESS"));
  }
}

void ControlPath::disbelieve(const std::string& why) {
  if (why.empty()) return;
  failure_ = why;
  if (ring_version_ != spec::kRingVersion)
    failure_ +=
        fmt::format("; the firmware was built for {} of the ring of jobs, this is version {}",
                    ring_version_ == 0 ? "no known version" : fmt::format("version {}", ring_version_), spec::kRingVersion);
}

uint32_t ControlPath::access_mailbox(tlm::tlm_command command, std::string_view name, uint32_t value) {
  return access_register(system_.mailbox_initiator, spec::kMailboxRegisters, name, command, value);
}

void ControlPath::write_shared(uint32_t offset_bytes, uint32_t value) {
  system_.shared.write(offset_bytes, std::as_bytes(std::span(&value, 1)));
}

uint32_t ControlPath::read_shared(uint32_t offset_bytes) const {
  uint32_t value = 0;
  std::memcpy(&value, system_.shared.whole().bytes().data() + offset_bytes, sizeof value);
  return value;
}

}  // namespace vernier::soc
