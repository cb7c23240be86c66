// SPDX-License-Identifier: Apache-2.0
#include "hw/gen/system_texts.hpp"

#include "hw/base/error.hpp"
#include "hw/gen/markdown.hpp"
#include "hw/spec/control_cpu.hpp"
#include "hw/spec/control_flow.hpp"
#include "hw/spec/control_system.hpp"
#include "hw/spec/event_names.hpp"
#include "hw/spec/performance_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

namespace vernier::gen {
namespace {

std::string_view access_name(spec::Access access) {
  switch (access) {
    case spec::Access::ReadOnly: return "read";
    case spec::Access::ReadWrite: return "read, write";
    case spec::Access::WriteOneToClear: return "read, write 1 to clear";
    case spec::Access::WriteOnly: return "write; reads 0";
  }
  return "";
}

void print_registers(std::string& text, std::string_view title, std::span<const spec::Register> registers) {
  text += fmt::format("\n{}\n\n", title);
  heading(text, {"Offset (byte)", "Name", "Access", "Reset", "Description"});
  for (const spec::Register& reg : registers) {
    row(text, {fmt::format("0x{:02x}", reg.offset_bytes), std::string(reg.name), std::string(access_name(reg.access)),
               fmt::format("0x{:x}", reg.reset), std::string(reg.description)});
  }
}

void print_windows(std::string& text) {
  text +=
      "\n## Control CPU\n\nWhat lies in the region `cpu`. Instructions are fetched from `firmware` and `ram` only. An "
      "access "
      "elsewhere than\nhere and in the regions above is an access fault, and so is one of a register that is not a whole "
      "word.\n\n";
  heading(text, {"Window", "Base", "Bytes", "Description"});
  for (const spec::CpuWindow& window : spec::kCpuWindows) {
    row(text, {std::string(window.name), fmt::format("0x{:08x}", spec::cpu_window_base(window)),
               fmt::format("0x{:08x}", window.size_bytes), std::string(window.description)});
  }
}

void print_accesses(std::string& text) {
  text +=
      "\n### Cycles of an access\n\nBeyond those of the instruction. These are estimates, not measured. For external memory "
      "the latency of the\nconfiguration and the beats of the access come on top.\n\n";
  heading(text, {"Place", "Load", "Store"});
  constexpr std::array<std::string_view, 5> kPlaces{"firmware, ram", "system registers", "NPU registers", "SRAM",
                                                    "external memory"};
  for (const spec::CpuAccessCycles& access : spec::kCpuAccessCycles) {
    row(text, {std::string(kPlaces.at(static_cast<size_t>(access.place))), fmt::format("{}", access.load_cycles),
               fmt::format("{}", access.store_cycles)});
  }
}

void print_words(std::string& text, std::span<const spec::SharedWord> words) {
  heading(text, {"Offset (byte)", "Name", "Written by", "Description"});
  for (const spec::SharedWord& word : words) {
    row(text, {fmt::format("0x{:02x}", word.offset_bytes), std::string(word.name), std::string(word.writer),
               std::string(word.description)});
  }
}

std::string report_field(const spec::PmuEvent& event) {
  using spec::EventSource;
  switch (event.source) {
    case EventSource::Memory: return fmt::format("totals.{}", event.name);
    case EventSource::Commands: return "totals.commands";
    case EventSource::ControlCpu: return fmt::format("control.firmware_{}", event.name);
    default: break;
  }
  return event.stall.empty() ? fmt::format("units.{}.{}", event.unit, event.name)
                             : fmt::format("units.{}.stall_cycles.{}", event.unit, event.stall);
}

void print_events(std::string& text) {
  text +=
      "\nEvents, the numbers that EVENT_i takes, and the field of the report that has the same count. "
      "A stream runs from the cycle in\nwhich CONTROL of the NPU starts it to the cycle in which it is done, at fault or "
      "stopped by the watchdog; outside of that\nno event of the NPU happens. The cycles of a phase, of a wait and of an "
      "idle time count in the cycle in which it ends, at the\nlatest in the one in which the stream ends. "
      "Events of the control CPU happen whenever it runs.\n\n";
  heading(text, {"Number", "Unit", "Event", "Field of the report"});
  for (const spec::PmuEvent& event : spec::kPmuEvents) {
    row(text, {fmt::format("0x{:03x}", spec::number_of(event)), std::string(event.unit), spec::name_in_unit(event),
               fmt::format("`{}`", report_field(event))});
  }
}

void print_steps(std::string& text) {
  text += fmt::format(
      "\n### Steps of a job\n\nA job with control flow is a table of steps of {} bytes, two words each. Step 0 comes first. "
      "The job is done when the step\nafter the last one would be next. A place is a byte in the job's region; with bit 31 "
      "it "
      "is one of external memory, without it of SRAM.\n\n",
      spec::kFlowStepBytes);
  heading(text, {"Bits 1:0", "Step", "First word", "Second word", "What it does"});
  for (size_t i = 0; i < spec::kFlowSteps.size(); ++i) {
    const spec::FlowStepText& step = spec::kFlowSteps[i];
    row(text, {fmt::format("{}", i), std::string(step.name), std::string(step.first_word), std::string(step.second_word),
               std::string(step.description)});
  }
}

void print_ring(std::string& text) {
  text += fmt::format(
      "\n### Ring of jobs\n\nLies at RING_ADDRESS of the mailbox, in shared memory: two counters, and from byte 0x{:x} on "
      "{} "
      "slots of {} bytes.\nJob number n, counted from 0, stands in slot n modulo {}.\n\n",
      spec::kJobSlotsOffsetBytes, spec::kNumJobSlots, spec::kJobSlotBytes, spec::kNumJobSlots);
  print_words(text, spec::kRingWords);
  text += "\nA slot:\n\n";
  print_words(text, spec::kJobWords);
  print_steps(text);
}

void define(std::string& text, std::string_view name, uint32_t value) {
  text += fmt::format("#define VERNIER_{} 0x{:x}\n", name, value);
}

void define_registers(std::string& text, std::string_view block, std::span<const spec::Register> registers) {
  for (const spec::Register& reg : registers) define(text, fmt::format("{}_{}", block, reg.name), reg.offset_bytes);
}

std::string upper_case(std::string_view name) {
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

void define_addresses(std::string& text) {
  text += "\n/* Addresses of the control CPU. */\n";
  for (const spec::Region& region : spec::kMemoryMap) {
    const std::string name = region.name == "registers" ? "NPU" : upper_case(region.name);
    if (region.name == "cpu") continue;
    define(text, name + "_BASE", region.base);
  }
  for (const spec::CpuWindow& window : spec::kCpuWindows) {
    define(text, upper_case(window.name) + "_BASE", spec::cpu_window_base(window));
    define(text, upper_case(window.name) + "_BYTES", window.size_bytes);
  }
}

void define_values(std::string& text) {
  text += "\n/* Bits and values. */\n";
  define(text, "NUM_PMU_COUNTERS", spec::kNumPmuCounters);
  define(text, "PMU_COUNTS", spec::kPmuCounts);
  define(text, "PMU_CLEARS", spec::kPmuClears);
  define(text, "DOORBELL_JOBS", spec::kDoorbellJobs);
  define(text, "DOORBELL_STATE", spec::kDoorbellState);
  define(text, "STATE_READY", spec::ready_state());
  define(text, "STATE_FAILED", static_cast<uint32_t>(spec::FirmwareState::Failed));
  define(text, "INTERRUPT_NPU", static_cast<uint32_t>(spec::InterruptSource::Npu));
  define(text, "INTERRUPT_CPU_DOORBELL", static_cast<uint32_t>(spec::InterruptSource::CpuDoorbell));
  define(text, "INTERRUPT_PMU", static_cast<uint32_t>(spec::InterruptSource::Pmu));
  define(text, "OUTCOME_DONE", static_cast<uint32_t>(spec::JobOutcome::Done));
  define(text, "OUTCOME_FAULT", static_cast<uint32_t>(spec::JobOutcome::Fault));
  define(text, "OUTCOME_WATCHDOG", static_cast<uint32_t>(spec::JobOutcome::Watchdog));
  define(text, "OUTCOME_REFUSED", static_cast<uint32_t>(spec::JobOutcome::Refused));
  define(text, "OUTCOME_CANCELLED", static_cast<uint32_t>(spec::JobOutcome::Cancelled));
  define(text, "OUTCOME_TIMED_OUT", static_cast<uint32_t>(spec::JobOutcome::TimedOut));
  define(text, "OUTCOME_LIMIT_REACHED", static_cast<uint32_t>(spec::JobOutcome::LimitReached));
  for (size_t i = 0; i < spec::kFlowSteps.size(); ++i)
    define(text, fmt::format("STEP_{}", spec::kFlowSteps[i].name), static_cast<uint32_t>(i));
  define(text, "STEP_KIND_MASK", spec::kFlowKindMask);
  define(text, "STEP_TARGET_SHIFT", spec::kFlowTargetShift);
  define(text, "STEP_BYTES", spec::kFlowStepBytes);
  define(text, "STEP_EXTERNAL", spec::kFlowExternal);
  define(text, "NPU_ID_VALUE", spec::kRegisters[0].reset);
  define(text, "MSTATUS_MIE", spec::kMstatusMie);
  define(text, "MIE_EXTERNAL", 1U << static_cast<uint32_t>(spec::CpuInterrupt::External));
  define(text, "MIE_TIMER", 1U << static_cast<uint32_t>(spec::CpuInterrupt::Timer));
  define(text, "MCAUSE_TIMER", spec::kCpuInterruptCause | static_cast<uint32_t>(spec::CpuInterrupt::Timer));
  define(text, "MCAUSE_EXTERNAL", spec::kCpuInterruptCause | static_cast<uint32_t>(spec::CpuInterrupt::External));
}

}  // namespace

void print_system(std::string& text) {
  text += "\n## Memory map\n\n";
  heading(text, {"Region", "Base", "Bytes"});
  for (const spec::Region& region : spec::kMemoryMap) {
    row(text, {std::string(region.name), fmt::format("0x{:08x}", region.base), fmt::format("0x{:08x}", region.size_bytes)});
  }
  print_registers(text, "## Registers", spec::kRegisters);
  print_windows(text);
  print_registers(text, "### Mailbox", spec::kMailboxRegisters);
  print_registers(text, "### Interrupt controller", spec::kInterruptRegisters);
  print_registers(text, "### Console", spec::kConsoleRegisters);
  print_registers(text, "### Timer", spec::kTimerRegisters);
  print_registers(text, "### System watchdog", spec::kWatchdogRegisters);
  print_registers(text, "### Performance counters", spec::kPmuRegisters);
  print_events(text);
  print_accesses(text);
  print_ring(text);
}

std::string firmware_header() {
  std::string text =
      "/* SPDX-License-Identifier: Apache-2.0 */\n/* Generated by specgen from hw/spec: change that, then run specgen. What "
      "the "
      "names mean is in\n   docs/reference/machine.md. Offsets are bytes from the base of their block. */\n#pragma once\n";
  define_addresses(text);
  text += "\n/* Registers. */\n";
  define_registers(text, "NPU", spec::kRegisters);
  define_registers(text, "MAILBOX", spec::kMailboxRegisters);
  define_registers(text, "INTERRUPTS", spec::kInterruptRegisters);
  define_registers(text, "CONSOLE", spec::kConsoleRegisters);
  define_registers(text, "TIMER", spec::kTimerRegisters);
  define_registers(text, "WATCHDOG", spec::kWatchdogRegisters);
  define_registers(text, "PMU", spec::kPmuRegisters);
  text += "\n/* Events of the performance counters. */\n";
  for (const spec::PmuEvent& event : spec::kPmuEvents) {
    define(text, fmt::format("EVENT_{}_{}", upper_case(event.unit), upper_case(spec::name_in_unit(event))),
           spec::number_of(event));
  }
  text += "\n/* The ring of jobs. */\n";
  for (const spec::SharedWord& word : spec::kRingWords) define(text, fmt::format("RING_{}", word.name), word.offset_bytes);
  define(text, "JOB_SLOTS", spec::kJobSlotsOffsetBytes);
  define(text, "JOB_SLOT_BYTES", spec::kJobSlotBytes);
  define(text, "NUM_JOB_SLOTS", spec::kNumJobSlots);
  for (const spec::SharedWord& word : spec::kJobWords) define(text, fmt::format("JOB_{}", word.name), word.offset_bytes);
  define_values(text);
  return text;
}

}  // namespace vernier::gen
