// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/vector_run.hpp"

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

VectorRun::VectorRun(Work made, const spec::Datapath& datapath, const kernels::TableMemory& tables)
    : work(std::move(made)),
      loads(sequence::VectorBeats::of_loads(work.vector(), datapath)),
      stores(sequence::VectorBeats::of_stores(work.vector(), datapath)),
      cycles(datapath_cycles(work.vector(), datapath)),
      first_cycle(1 + (has_loads(work.vector()) ? spec::kSramReadLatencyCycles : 0)),
      after_(work.bytes) {
  kernels::WriteSet writes;
  kernels::run_vector(work.vector(), datapath, work.bytes, tables, writes);
  std::vector<bool> is_written(work.bytes.size());
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

void VectorRun::put_load(Port port, int64_t lanes) const {
  const auto bytes = static_cast<size_t>(beat_bytes(load->step));
  for (const auto& [elements, first] : {std::pair(load->first, int64_t{0}), std::pair(load->second, lanes)}) {
    for (int64_t lane = 0; lane < elements.count; ++lane) {
      const int64_t address = elements.address + lane * elements.lane_stride_bytes + 4 * load->part;
      port.set_bytes(4 * (first + lane), std::span(work.bytes).subspan(static_cast<size_t>(address), bytes));
    }
  }
}

int VectorRun::beat_bytes(size_t step) const { return std::min(4, base::stored_bytes(stream_of(step).type)); }

uint64_t VectorRun::take_element(const sequence::VectorBeat& beat, int64_t lane) {
  const auto address = static_cast<size_t>(address_of(beat, lane));
  uint64_t bits = 0;
  for (int i = beat_bytes(beat.step) - 1; i >= 0; --i)
    bits = (bits << 8) | std::to_integer<uint64_t>(take_expected(address + static_cast<size_t>(i)));
  return bits;
}

/// The byte that the next store gives which writes there.
std::byte VectorRun::take_expected(size_t address) {
  const auto found = overwritten_.find(address);
  if (found == overwritten_.end() || found->second.empty()) return after_[address];
  const std::byte value = found->second.front();
  found->second.pop_front();
  return value;
}

}  // namespace vernier::cosim
