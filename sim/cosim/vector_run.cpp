// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/vector_run.hpp"

#include "hw/config/machine_config.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/vector_operands.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace vernier::cosim {
namespace {

using sequence::VectorBeat;

/// Cycles by hw/timing, of ports that give all that is asked for.
int64_t datapath_cycles(const spec::VectorCommand& command, const spec::Datapath& datapath) {
  config::MachineConfig config = config::preset_config("v256", "cosim");
  config.datapath = datapath;
  return timing::profile(command, config).main.datapath_cycles;
}

bool has_loads(const spec::VectorCommand& command) {
  return std::ranges::any_of(command.steps, [](const spec::VectorStep& step) { return spec::is_load(step.op); });
}

}  // namespace

VectorRun::VectorRun(VectorJob made, const spec::Datapath& datapath, const kernels::TableMemory& tables)
    : job(std::move(made)),
      loads(sequence::VectorBeats::of_loads(job.command, datapath)),
      stores(sequence::VectorBeats::of_stores(job.command, datapath)),
      cycles(datapath_cycles(job.command, datapath)),
      first_cycle(1 + (has_loads(job.command) ? spec::kSramReadLatencyCycles : 0)),
      after_(job.sram) {
  kernels::WriteSet writes;
  kernels::run_vector(job.command, datapath, job.sram, tables, writes);
  std::vector<bool> is_written(job.sram.size());
  for (const kernels::WriteSet::Run& run : writes.runs()) {
    const std::span<const std::byte> bytes = writes.bytes_of(run);
    for (size_t i = 0; i < run.bytes; ++i) {
      const size_t address = run.address.offset + i;
      if (is_written[address]) overwritten_[address].push_back(after_[address]);
      is_written[address] = true;
      after_[address] = bytes[i];
    }
  }
  if (VectorBeat beat; loads.next(beat)) load = beat;
  if (VectorBeat beat; stores.next(beat)) store = beat;
}

std::byte VectorRun::take_expected(size_t address) {
  const auto found = overwritten_.find(address);
  if (found == overwritten_.end() || found->second.empty()) return after_[address];
  const std::byte value = found->second.front();
  found->second.pop_front();
  return value;
}

}  // namespace vernier::cosim
