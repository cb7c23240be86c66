// SPDX-License-Identifier: Apache-2.0
// The performance counters: what can be counted, the registers, and when a count begins and ends. The events are the figures
// of the report: busy, idle and stall cycles of each unit, bytes by memory and direction, commands, and what the control CPU
// does.
//
// Window. Counters count while CONTROL bit 0 is 1. An event of the NPU happens between the cycle in which CONTROL of the NPU
// starts a stream and the cycle in which the stream is done, at fault, or stopped by the watchdog; outside of that nothing
// happens in the NPU. An event of the control CPU happens from its release on. The cycles of a phase, of a wait and of an
// idle time are counted in the cycle in which it ends: those that are open when the stream ends are counted in that cycle.
#pragma once

#include "hw/spec/registers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

inline constexpr size_t kNumPmuCounters = 8;  // [decision 0029]

/// Whose event it is: bits 15:8 of an event's number [decision 0029].
enum class EventSource : uint32_t {
  None,
  MacArray,
  VectorUnit,
  RescaleUnit,
  TableUnit,
  Dma,
  CommandProcessor,
  Memory,
  Commands,
  ControlCpu
};

/// Why a unit waits, in the order of the events `stall_cycles` [decision 0029].
inline constexpr std::array<std::string_view, 12> kStallNames{
    "waiting_for_token",  "command_issue",   "pipeline_fill", "weight_load", "bank_conflict", "port_contention",
    "rescale_contention", "external_memory", "dma",           "control_cpu", "queue_full",    "waiting_for_operands"};

/// Events of a unit: bits 7:0 of their numbers; stall i of kStallNames is kFirstStallEvent + i [decision 0029].
inline constexpr uint32_t kBusyEvent = 0, kIdleEvent = 1, kFirstStallEvent = 2;
/// Events of the memories.
enum class MemoryEvent : uint32_t { SramRead, SramWrite, ExternalRead, ExternalWrite, SramParityErrors };
/// Events of the control CPU.
enum class CpuEvent : uint32_t { Instructions, SleepCycles, BusCycles };

struct PmuEvent {
  EventSource source;
  uint32_t index;
  std::string_view unit;   // as the report names it
  std::string_view stall;  // of a stall: its name in the report
  std::string_view name;   // of all others: what is counted, with its unit
};
/// What EVENT_i holds; 0 counts nothing [decision 0029].
constexpr uint32_t number_of(EventSource source, uint32_t index) { return static_cast<uint32_t>(source) << 8 | index; }
constexpr uint32_t number_of(const PmuEvent& event) { return number_of(event.source, event.index); }

/// A unit whose cycles are counted, with its name in the report.
struct CountedUnit {
  EventSource source;
  std::string_view name;
  bool has_lanes_only;  // that several units use at once: they have one kind of stall
};
/// In the order of the report [decision 0029].
inline constexpr std::array<CountedUnit, 6> kCountedUnits{{{EventSource::MacArray, "mac_array", false},
                                                           {EventSource::VectorUnit, "vector_unit", false},
                                                           {EventSource::RescaleUnit, "rescale_unit", true},
                                                           {EventSource::TableUnit, "table_unit", true},
                                                           {EventSource::Dma, "dma", false},
                                                           {EventSource::CommandProcessor, "command_processor", false}}};

/// All events [decision 0029].
inline constexpr auto kPmuEvents = [] {
  constexpr std::array<std::string_view, 5> kMemory{"sram_read_bytes", "sram_write_bytes", "external_read_bytes",
                                                    "external_write_bytes", "sram_parity_errors"};
  constexpr std::array<std::string_view, 3> kCpu{"instructions", "sleep_cycles", "bus_cycles"};
  std::array<PmuEvent, 4 * (2 + kStallNames.size()) + 2 * 3 + kMemory.size() + 1 + kCpu.size()> events{};
  size_t i = 0;
  for (const CountedUnit& unit : kCountedUnits) {
    events[i++] = {unit.source, kBusyEvent, unit.name, "", "busy_cycles"};
    events[i++] = {unit.source, kIdleEvent, unit.name, "", "idle_cycles"};
    for (uint32_t stall = 0; stall < kStallNames.size(); ++stall) {
      if (unit.has_lanes_only && kStallNames[stall] != "waiting_for_operands") continue;
      events[i++] = {unit.source, kFirstStallEvent + stall, unit.name, kStallNames[stall], ""};
    }
  }
  for (uint32_t k = 0; k < kMemory.size(); ++k) events[i++] = {EventSource::Memory, k, "memory", "", kMemory[k]};
  events[i++] = {EventSource::Commands, 0, "commands", "", "retired"};
  for (uint32_t k = 0; k < kCpu.size(); ++k) events[i++] = {EventSource::ControlCpu, k, "control_cpu", "", kCpu[k]};
  return events;
}();
static_assert(kPmuEvents.back().source == EventSource::ControlCpu);

/// Bits of CONTROL [decision 0029].
inline constexpr uint32_t kPmuCounts = 1, kPmuClears = 2;

/// [decision 0029]
inline constexpr std::array<Register, 5 + 2 * kNumPmuCounters> kPmuRegisters{{
    {"CONTROL", 0x00, Access::ReadWrite, 0,
     "bit 0: count; 1 written to bit 1: CYCLES and all COUNT_i become 0; it reads as 0"},
    {"OVERFLOW", 0x04, Access::WriteOneToClear, 0, "bit i: COUNT_i has passed 2^32 - 1"},
    {"OVERFLOW_ENABLE", 0x08, Access::ReadWrite, 0,
     "as OVERFLOW; the interrupt is high while OVERFLOW & OVERFLOW_ENABLE is not 0"},
    {"CYCLES_LOW", 0x10, Access::ReadOnly, 0, "cycles in which a stream ran, low 32 bits"},
    {"CYCLES_HIGH", 0x14, Access::ReadOnly, 0, "high 32 bits"},
    {"EVENT_0", 0x20, Access::ReadWrite, 0, "number of the event that COUNT_0 counts; 0 and numbers of no event: nothing"},
    {"EVENT_1", 0x24, Access::ReadWrite, 0, "as EVENT_0"},
    {"EVENT_2", 0x28, Access::ReadWrite, 0, "as EVENT_0"},
    {"EVENT_3", 0x2C, Access::ReadWrite, 0, "as EVENT_0"},
    {"EVENT_4", 0x30, Access::ReadWrite, 0, "as EVENT_0"},
    {"EVENT_5", 0x34, Access::ReadWrite, 0, "as EVENT_0"},
    {"EVENT_6", 0x38, Access::ReadWrite, 0, "as EVENT_0"},
    {"EVENT_7", 0x3C, Access::ReadWrite, 0, "as EVENT_0"},
    {"COUNT_0", 0x40, Access::ReadWrite, 0, "modulo 2^32; one less than 2^32 overflows at the next event"},
    {"COUNT_1", 0x44, Access::ReadWrite, 0, "as COUNT_0"},
    {"COUNT_2", 0x48, Access::ReadWrite, 0, "as COUNT_0"},
    {"COUNT_3", 0x4C, Access::ReadWrite, 0, "as COUNT_0"},
    {"COUNT_4", 0x50, Access::ReadWrite, 0, "as COUNT_0"},
    {"COUNT_5", 0x54, Access::ReadWrite, 0, "as COUNT_0"},
    {"COUNT_6", 0x58, Access::ReadWrite, 0, "as COUNT_0"},
    {"COUNT_7", 0x5C, Access::ReadWrite, 0, "as COUNT_0"},
}};

}  // namespace vernier::spec
