// SPDX-License-Identifier: Apache-2.0
// The system around the control CPU: what its region of the memory map holds, the system registers, what its accesses take,
// and the ring of jobs in shared memory through which a host hands jobs to the firmware. The CPU itself is
// hw/spec/control_cpu.hpp, the NPU's registers are hw/spec/registers.hpp.
//
// A job, in order. The host writes a job into the slot `TAIL % kNumJobSlots`, counts TAIL up, and sets a bit of
// CPU_DOORBELL. The firmware takes the waiting job of the highest priority, the oldest of equal ones, runs it, writes its
// completion into the job's slot, and sets a bit of HOST_DOORBELL. HEAD counts the slots, from the oldest on, whose jobs
// have ended: the host may use them again. HEAD and TAIL count on and wrap at 2^32. The ring is empty where they are equal.
#pragma once

#include "hw/spec/registers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

/// A part of the region "cpu" of kMemoryMap.
struct CpuWindow {
  std::string_view name;
  uint32_t offset_bytes;  // in the region
  uint32_t size_bytes;
  std::string_view description;
};

enum class CpuWindowId : uint8_t { Firmware, Ram, Mailbox, Interrupts, Console, Timer, Watchdog, Pmu, Shared };

/// [decision 0027]
inline constexpr std::array<CpuWindow, 9> kCpuWindows{{
    {"firmware", 0x0'0000, 0x0'8000, "program and constants; the CPU starts at its first byte and cannot write it"},
    {"ram", 0x1'0000, 0x1'0000, "data and stack"},
    {"mailbox", 0x2'0000, 0x0'1000, "doorbells between host and firmware"},
    {"interrupts", 0x2'1000, 0x0'1000, "interrupt controller"},
    {"console", 0x2'2000, 0x0'1000, "text of the firmware"},
    {"timer", 0x2'3000, 0x0'1000, "cycles, and an interrupt at a cycle"},
    {"watchdog", 0x2'4000, 0x0'1000, "watchdog of the system"},
    {"pmu", 0x2'5000, 0x0'1000, "performance counters"},
    {"shared", 0x2'6000, 0x0'1000, "memory that host and firmware share, for the ring of jobs"},
}};
static_assert([] {
  for (size_t i = 1; i < kCpuWindows.size(); ++i) {
    if (kCpuWindows[i].offset_bytes < kCpuWindows[i - 1].offset_bytes + kCpuWindows[i - 1].size_bytes) return false;
  }
  return kCpuWindows.back().offset_bytes + kCpuWindows.back().size_bytes <= memory_region(RegionId::Cpu).size_bytes;
}());

constexpr const CpuWindow& cpu_window(CpuWindowId id) { return kCpuWindows[static_cast<size_t>(id)]; }
/// Address of the first byte, in the CPU's address space.
constexpr uint32_t cpu_window_base(const CpuWindow& window) {
  return memory_region(RegionId::Cpu).base + window.offset_bytes;
}
constexpr uint32_t cpu_window_base(CpuWindowId id) { return cpu_window_base(cpu_window(id)); }

/// Bits of the doorbells [decision 0027].
inline constexpr uint32_t kDoorbellJobs = 1;   // to the CPU: there are jobs in the ring; to the host: jobs have ended
inline constexpr uint32_t kDoorbellState = 2;  // to the host: FIRMWARE_STATE has changed [decision 0027]

/// Values of FIRMWARE_STATE, in its bits 0 to 7 [decision 0027].
enum class FirmwareState : uint32_t { Reset = 0, Ready = 1, Failed = 2 };

/// [decision 0027]
inline constexpr std::array<Register, 8> kMailboxRegisters{{
    {"CPU_DOORBELL", 0x00, Access::WriteOneToClear, 0, "bit 0: there are jobs in the ring; interrupts the CPU"},
    {"CPU_DOORBELL_SET", 0x04, Access::WriteOnly, 0, "1 sets a bit of CPU_DOORBELL; for the host"},
    {"HOST_DOORBELL", 0x08, Access::WriteOneToClear, 0, "bit 0: jobs have ended; bit 1: FIRMWARE_STATE has changed"},
    {"HOST_DOORBELL_SET", 0x0C, Access::WriteOnly, 0, "1 sets a bit of HOST_DOORBELL; for the firmware"},
    {"RING_ADDRESS", 0x10, Access::ReadWrite, cpu_window_base(CpuWindowId::Shared), "of the ring of jobs; for the host"},
    {"FIRMWARE_STATE", 0x14, Access::ReadWrite, 0,
     "bits 0 to 7, 0: in reset; 1: takes jobs; 2: has failed; bits 8 to 31: the version of the ring that the firmware was "
     "built "
     "for, 0 where it does not say"},
    {"FAILURE_CAUSE", 0x18, Access::ReadWrite, 0, "mcause of the trap that the firmware did not expect"},
    {"FAILURE_ADDRESS", 0x1C, Access::ReadWrite, 0, "mepc of that trap"},
}};

/// Sources of interrupts by their bit in PENDING and ENABLE. CLAIM gives the number of the bit; 0 is no source.
enum class InterruptSource : uint32_t { None = 0, Npu = 1, CpuDoorbell = 2, Pmu = 3 };  // [decision 0027]
inline constexpr size_t kNumInterruptSources = 4;  // with None [from kInterruptRegisters]
constexpr uint32_t interrupt_bit(InterruptSource source) { return uint32_t{1} << static_cast<uint32_t>(source); }

/// Levels: a source is pending as long as its unit says so, and is cleared there [decision 0027].
inline constexpr std::array<Register, 3> kInterruptRegisters{{
    {"PENDING", 0x00, Access::ReadOnly, 0, "bit 1: NPU; bit 2: CPU_DOORBELL; bit 3: OVERFLOW of the performance counters"},
    {"ENABLE", 0x04, Access::ReadWrite, 0,
     "as PENDING; the CPU's external interrupt is high while PENDING & ENABLE is not 0"},
    {"CLAIM", 0x08, Access::ReadOnly, 0, "number of the lowest bit of PENDING & ENABLE; 0: none"},
}};

/// [decision 0027]
inline constexpr std::array<Register, 1> kConsoleRegisters{{
    {"BYTE", 0x00, Access::WriteOnly, 0, "bits 7:0: the next character; a line feed ends the line"},
}};

/// The CPU's timer interrupt is high while TIME is COMPARE or later, both as numbers without a sign. Firmware that changes
/// COMPARE writes all ones to COMPARE_HIGH first, so that no early time stands there meanwhile [decision 0028].
inline constexpr std::array<Register, 4> kTimerRegisters{{
    {"TIME_LOW", 0x00, Access::ReadOnly, 0, "cycles since the release of the CPU, low 32 bits"},
    {"TIME_HIGH", 0x04, Access::ReadOnly, 0, "high 32 bits"},
    {"COMPARE_LOW", 0x08, Access::ReadWrite, 0xFFFF'FFFF, "the timer interrupt is high from this TIME on, low 32 bits"},
    {"COMPARE_HIGH", 0x0C, Access::ReadWrite, 0xFFFF'FFFF, "high 32 bits"},
}};

/// Values of FIRED [decision 0028].
enum class WatchdogState : uint32_t { Quiet = 0, Stuck = 1, Slow = 2 };

/// Progress is a command of the NPU that ends, or FEED. The watchdog fires at the end of the cycle in which a limit is
/// reached; progress in that cycle is in time. Then the host ends the run [decision 0028].
inline constexpr std::array<Register, 5> kWatchdogRegisters{{
    {"STUCK_CYCLES", 0x00, Access::ReadWrite, 0, "cycles without progress until it fires; 0: off"},
    {"SLOW_CYCLES", 0x04, Access::ReadWrite, 0, "cycles since FEED until it fires, with progress or without; 0: off"},
    {"FEED", 0x08, Access::WriteOnly, 0, "any value: all counts begin anew"},
    {"PROGRESS", 0x0C, Access::ReadOnly, 0, "commands of the NPU that have ended since FEED"},
    {"FIRED", 0x10, Access::ReadOnly, 0, "0: no; 1: stuck; 2: slow"},
}};

/// What the control CPU reaches.
enum class CpuPlace : uint8_t { LocalMemory, SystemRegister, NpuRegister, Sram, External };

struct CpuAccessCycles {
  CpuPlace place;
  int64_t load_cycles;
  int64_t store_cycles;
};

/// Cycles of an access beyond those of kCpuCycles; estimated, not measured, D-032 [decision 0027]. External memory's latency
/// and the beats of the access come on top of its row. An access takes a word of the SRAM's ports, or its beats of the
/// external memory, before the units of the NPU [decision 0005].
inline constexpr std::array<CpuAccessCycles, 5> kCpuAccessCycles{{
    {CpuPlace::LocalMemory, 0, 0},
    {CpuPlace::SystemRegister, 1, 1},
    {CpuPlace::NpuRegister, 2, 2},
    {CpuPlace::Sram, 4, 4},
    {CpuPlace::External, 2, 2},
}};
static_assert([] {
  for (size_t i = 0; i < kCpuAccessCycles.size(); ++i) {
    if (static_cast<size_t>(kCpuAccessCycles[i].place) != i) return false;
  }
  return true;
}());
constexpr const CpuAccessCycles& cpu_access(CpuPlace place) { return kCpuAccessCycles[static_cast<size_t>(place)]; }

/// A 32-bit word of the ring of jobs.
struct SharedWord {
  std::string_view name;
  uint32_t offset_bytes;
  std::string_view writer;
  std::string_view description;
};

/// Counts up when the ring or a slot changes. Firmware says with FIRMWARE_STATE which one it was built for [decision 0035].
inline constexpr uint32_t kRingVersion = 2;
/// FIRMWARE_STATE of firmware that takes jobs [decision 0035].
constexpr uint32_t ready_state() { return static_cast<uint32_t>(FirmwareState::Ready) | kRingVersion << 8; }
/// Without the version of the ring [decision 0035].
constexpr FirmwareState state_of(uint32_t firmware_state) { return static_cast<FirmwareState>(firmware_state & 0xFF); }

/// The ring begins with its counters; the slots follow [decision 0027].
inline constexpr std::array<SharedWord, 2> kRingWords{{
    {"HEAD", 0x00, "firmware", "slots whose jobs have ended, from the oldest on"},
    {"TAIL", 0x04, "host", "jobs that were handed over"},
}};
inline constexpr uint32_t kJobSlotsOffsetBytes = 0x40;  // of slot 0, in the ring [decision 0027]
inline constexpr uint32_t kJobSlotBytes = 0x90;         // [decision 0035]
inline constexpr uint32_t kNumJobSlots = 16;            // a power of 2 [decision 0027]
static_assert(kJobSlotsOffsetBytes + kNumJobSlots * kJobSlotBytes <= cpu_window(CpuWindowId::Shared).size_bytes);

enum class JobWord : uint8_t {
  StreamAddress,
  StreamSpace,
  StreamBytes,
  WatchdogCycles,
  SramBase,
  SramBytes,
  SramReadOnlyBytes,
  ExternalBase,
  ExternalBytes,
  ExternalReadOnlyBytes,
  Job,
  TimeOutCycles,
  Priority,
  Cancel,
  NumSteps,
  MostCommands,
  Outcome,
  FaultCode,
  FaultAddress,
  FaultAccess,
  CyclesLow,
  CyclesHigh,
  Step,
  NumCommands,
  NumEvents,
  Event0,
};

/// A slot, rows in the order of JobWord. The firmware writes OUTCOME last. FAULT_CODE to FAULT_ACCESS hold something only
/// where OUTCOME is `Fault` [decision 0027].
inline constexpr std::array<SharedWord, 33> kJobWords{{
    {"STREAM_ADDRESS", 0x00, "host", "as the NPU's register"},
    {"STREAM_SPACE", 0x04, "host", "as the NPU's register"},
    {"STREAM_BYTES", 0x08, "host", "as the NPU's register"},
    {"WATCHDOG_CYCLES", 0x0C, "host", "as the NPU's register"},
    {"SRAM_BASE", 0x10, "host", "as the NPU's register"},
    {"SRAM_BYTES", 0x14, "host", "as the NPU's register"},
    {"SRAM_READ_ONLY_BYTES", 0x18, "host", "as the NPU's register"},
    {"EXTERNAL_BASE", 0x1C, "host", "as the NPU's register"},
    {"EXTERNAL_BYTES", 0x20, "host", "as the NPU's register"},
    {"EXTERNAL_READ_ONLY_BYTES", 0x24, "host", "as the NPU's register"},
    {"JOB", 0x28, "host", "as the NPU's register"},
    {"TIME_OUT_CYCLES", 0x2C, "host",
     "cycles after which the firmware ends the job that runs, a few hundred later at most; 0: none"},
    {"PRIORITY", 0x30, "host", "of waiting jobs the one with the highest runs next"},
    {"CANCEL", 0x34, "host",
     "0, or 1: the firmware is to end the job; one that waits with the NPU ends when it would start"},
    {"NUM_STEPS", 0x38, "host", "steps of a job with control flow, whose table is where a stream would be; 0: a stream"},
    {"MOST_COMMANDS", 0x3C, "host", "with steps: no stream starts once so many commands of the job have ended; 0: no limit"},
    {"OUTCOME", 0x40, "both",
     "the host writes 0; 1: done; 2: fault; 3: watchdog; 4: refused by the driver; 5: cancelled; 6: timed out; 7: "
     "MOST_COMMANDS reached"},
    {"FAULT_CODE", 0x44, "firmware", "as the NPU's register"},
    {"FAULT_ADDRESS", 0x48, "firmware", "as the NPU's register"},
    {"FAULT_ACCESS", 0x4C, "firmware", "as the NPU's register"},
    {"CYCLES_LOW", 0x50, "firmware", "cycles from the NPU's start to its end, low 32 bits; with steps: of all its streams"},
    {"CYCLES_HIGH", 0x54, "firmware", "high 32 bits"},
    {"STEP", 0x58, "firmware", "with steps: the number of the one that the job ended at"},
    {"NUM_COMMANDS", 0x5C, "firmware", "with steps: commands of all its streams that have ended"},
    {"NUM_EVENTS", 0x60, "host", "events that are counted in the job, 0 to 8; a job with events is alone with the NPU"},
    {"EVENT_0", 0x64, "both", "the host writes the number of an event, the firmware its count at the end, modulo 2^32"},
    {"EVENT_1", 0x68, "both", "as EVENT_0"},
    {"EVENT_2", 0x6C, "both", "as EVENT_0"},
    {"EVENT_3", 0x70, "both", "as EVENT_0"},
    {"EVENT_4", 0x74, "both", "as EVENT_0"},
    {"EVENT_5", 0x78, "both", "as EVENT_0"},
    {"EVENT_6", 0x7C, "both", "as EVENT_0"},
    {"EVENT_7", 0x80, "both", "as EVENT_0"},
}};
constexpr uint32_t offset_of(JobWord word) { return kJobWords[static_cast<size_t>(word)].offset_bytes; }
static_assert(kJobWords.back().offset_bytes + 4 <= kJobSlotBytes);

/// Values of OUTCOME [decision 0027].
enum class JobOutcome : uint32_t {
  Pending = 0,
  Done = 1,
  Fault = 2,
  Watchdog = 3,
  Refused = 4,
  Cancelled = 5,
  TimedOut = 6,
  LimitReached = 7
};

}  // namespace vernier::spec
