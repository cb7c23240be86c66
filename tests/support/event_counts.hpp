// SPDX-License-Identifier: Apache-2.0
// What a job says of an event of the performance counters by its other figures, the ones of the report; and all events of a
// job, eight at a time.
#pragma once

#include "sim/soc/npu.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace vernier::tests {

/// InternalError is no answer here: an event without a row fails.
inline int64_t reported(const spec::PmuEvent& event, const soc::JobResult& job) {
  using spec::EventSource;
  const soc::ControlUse control = job.control.value_or(soc::ControlUse{});
  switch (event.source) {
    case EventSource::Memory: {
      const timing::Traffic& bytes = job.traffic;
      return std::array{bytes.sram_read_bytes, bytes.sram_write_bytes, bytes.external_read_bytes, bytes.external_write_bytes,
                        job.sram_parity_errors}
          .at(event.index);
    }
    case EventSource::Commands: return job.num_commands;
    case EventSource::ControlCpu:
      return std::array{control.firmware_instructions, control.firmware_sleep_cycles, control.firmware_bus_cycles}.at(
          event.index);
    case EventSource::None: FAIL("an event of nobody");
    default: break;
  }
  REQUIRE(job.units.find(event.unit) != nullptr);
  return job.units.value(event.stall.empty() ? fmt::format("{}/{}", event.unit, event.name)
                                             : fmt::format("{}/stall_cycles/{}", event.unit, event.stall));
}

/// Every event of the table, by one job for each eight. `run` runs the job with these options. Returns how many are not 0.
inline int64_t check_all_events(const std::function<soc::JobResult(const soc::JobOptions&)>& run,
                                soc::JobOptions options = {}) {
  int64_t num_seen = 0;
  const auto& events = spec::kPmuEvents;
  for (size_t first = 0; first < events.size(); first += spec::kNumPmuCounters) {
    const size_t end = std::min(first + spec::kNumPmuCounters, events.size());
    options.events.clear();
    for (size_t i = first; i < end; ++i) options.events.push_back(spec::number_of(events[i]));
    const soc::JobResult job = run(options);
    REQUIRE(job.event_counts.size() == end - first);
    CHECK(job.pmu_cycles == job.cycles);
    for (size_t i = first; i < end; ++i) {
      INFO(events[i].unit << " " << events[i].name << events[i].stall);
      CHECK(job.event_counts[i - first] == reported(events[i], job));
      num_seen += job.event_counts[i - first] != 0 ? 1 : 0;
    }
  }
  return num_seen;
}

}  // namespace vernier::tests
