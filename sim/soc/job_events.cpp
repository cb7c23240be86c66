// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/job_events.hpp"

#include "hw/spec/event_names.hpp"

#include <fmt/format.h>

namespace vernier::soc {

std::string name_of(const spec::PmuEvent& event) { return fmt::format("{}.{}", event.unit, spec::name_in_unit(event)); }

int64_t count_of(spec::MemoryEvent event, const timing::Traffic& traffic) {
  switch (event) {
    case spec::MemoryEvent::SramRead: return traffic.sram_read_bytes;
    case spec::MemoryEvent::SramWrite: return traffic.sram_write_bytes;
    case spec::MemoryEvent::ExternalRead: return traffic.external_read_bytes;
    case spec::MemoryEvent::ExternalWrite: return traffic.external_write_bytes;
    case spec::MemoryEvent::SramParityErrors: return 0;  // no traffic
  }
  return 0;
}

int64_t count_of(const spec::PmuEvent& event, const JobResult& result) {
  using spec::EventSource;
  switch (event.source) {
    case EventSource::None: return 0;
    case EventSource::Memory:
      if (static_cast<spec::MemoryEvent>(event.index) == spec::MemoryEvent::SramParityErrors)
        return result.sram_parity_errors;
      return count_of(static_cast<spec::MemoryEvent>(event.index), result.traffic);
    case EventSource::Commands: return result.num_commands;
    case EventSource::ControlCpu:
      if (!result.control) return 0;
      switch (static_cast<spec::CpuEvent>(event.index)) {
        case spec::CpuEvent::Instructions: return result.control->firmware_instructions;
        case spec::CpuEvent::SleepCycles: return result.control->firmware_sleep_cycles;
        case spec::CpuEvent::BusCycles: return result.control->firmware_bus_cycles;
      }
      return 0;
    default: break;
  }
  const std::string counter = event.stall.empty() ? std::string(event.name) : fmt::format("stall_cycles/{}", event.stall);
  return result.units.value(fmt::format("{}/{}", event.unit, counter));
}

}  // namespace vernier::soc
