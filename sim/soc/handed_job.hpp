// SPDX-License-Identifier: Apache-2.0
// A job as a host hands it over: to the firmware in a slot of the ring, or to the NPU in its registers.
#pragma once

#include "hw/base/address.hpp"
#include "hw/package/package.hpp"
#include "sim/mem/region.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::soc {

/// `number` is that of JOB; those of jobs that have not ended differ.
struct HandedJob {
  uint32_t number = 0;
  base::Address stream;
  int64_t stream_bytes = 0;
  mem::RegionExtent sram, external;
  int64_t watchdog_cycles = 0, time_out_cycles = 0;  // 0: none
  uint32_t priority = 0;
  uint32_t num_steps = 0, most_commands = 0;  // with control flow: `stream` is then the table of its steps
  std::vector<uint32_t> events{};             // numbers of those that the firmware counts, kNumPmuCounters at most
};

/// What the package says of it: the stream, or the table of its steps.
HandedJob handed_job(const package::Package& package);

/// Calls visit(name, value) for each register of the NPU that describes a job. A slot has words of the same names. What is
/// more than a word holds becomes its greatest value.
template <typename Visit>
void for_each_job_register(const HandedJob& job, Visit&& visit) {
  const std::array<std::pair<std::string_view, int64_t>, 11> registers{
      {{"STREAM_ADDRESS", static_cast<int64_t>(job.stream.offset)},
       {"STREAM_SPACE", job.stream.space == base::MemorySpace::Sram ? 0 : 1},
       {"STREAM_BYTES", job.stream_bytes},
       {"WATCHDOG_CYCLES", job.watchdog_cycles},
       {"SRAM_BASE", job.sram.base},
       {"SRAM_BYTES", job.sram.size_bytes},
       {"SRAM_READ_ONLY_BYTES", job.sram.read_only_bytes},
       {"EXTERNAL_BASE", job.external.base},
       {"EXTERNAL_BYTES", job.external.size_bytes},
       {"EXTERNAL_READ_ONLY_BYTES", job.external.read_only_bytes},
       {"JOB", job.number}}};
  for (const auto& [name, value] : registers) visit(name, static_cast<uint32_t>(std::min<int64_t>(value, UINT32_MAX)));
}

}  // namespace vernier::soc
