// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/layer_work.hpp"

#include "hw/package/command_codec.hpp"
#include "hw/timing/mac_shape.hpp"
#include "sim/soc/run_commands.hpp"

#include <algorithm>

namespace vernier::explain {
namespace {

/// Busy cycles of a command's main phase.
int64_t busy_cycles(const units::CommandRecord& record, const std::vector<units::Share>& shares) {
  int64_t busy = 0;
  for (size_t i = record.main.shares.first; i < size_t{record.main.shares.first} + record.main.shares.count; ++i) {
    if (shares[i].bucket == kit::Bucket::busy()) busy += shares[i].cycles;
  }
  return busy;
}

void add_mac(ArrayWork& work, const spec::MacCommand& command, int64_t busy, const spec::Datapath& datapath) {
  const timing::MacShape shape(command, datapath);
  const int64_t pixels = command.out_rows * command.out_columns;
  const int64_t step_elements = shape.steps * shape.lanes;
  const int64_t channels = shape.channel_tiles * shape.tile_channels;
  const int64_t macs = pixels * command.out_channels * (command.reduction_end - command.reduction_begin);
  const int64_t of_rows = shape.rows * shape.pixels * channels * step_elements;
  const int64_t of_passes = of_rows * shape.passes * shape.weight_tiles;
  // Each with one thing more filled up; the differences are what that wastes.
  const std::array<int64_t, kNumWastes + 1> filled{
      macs,      pixels * command.out_channels * step_elements,        pixels * channels * step_elements, of_rows,
      of_passes, std::max(of_passes, busy * datapath.macs_per_cycle())};
  work.macs += macs;
  work.array_macs += filled.back();
  for (size_t i = 0; i < kNumWastes; ++i) {
    ArrayWork::Wasted& wasted = work.wasted[i];
    const int64_t more = filled[i + 1] - filled[i];
    wasted.macs += more;
    if (more <= wasted.most) continue;
    wasted.most = more;
    wasted.command = command;
  }
}

template <typename Command>
void add(Several<Command>& several, const Command& command, const units::CommandRecord& record, int64_t busy) {
  ++several.num_commands;
  several.traffic += record.traffic;
  const int64_t cycles = record.end_cycle - record.start_cycle;
  if (cycles <= several.longest_cycles) return;
  several.longest_cycles = cycles;
  several.longest_busy_cycles = busy;
  several.longest = command;
}

void add_command(LayerWork& work, const spec::Command& command, const units::CommandRecord& record, int64_t busy,
                 const spec::Datapath& datapath) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    add_mac(work.array, *mac, busy, datapath);
    add(work.mac, *mac, record, busy);
  } else if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) {
    add(work.vector, *vector, record, busy);
  } else if (const auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    const bool is_load = record.work == units::Work::Load, is_store = record.work == units::Work::Store;
    add(is_load ? work.loads : is_store ? work.stores : work.copies, *dma, record, busy);
  }
}

}  // namespace

std::vector<LayerWork> work_of_layers(const package::Package& package, const soc::JobResult& job) {
  std::vector<LayerWork> work(package.layers.size());
  soc::RunCommands commands(package, job);
  for (const units::CommandRecord& record : job.commands) {
    const package::Decoded decoded = commands.next().decoded;
    if (decoded.fault != spec::FaultCode::None) break;  // nothing behind it has run
    if (record.end_cycle < 0 || record.layer_idx < 0) continue;
    add_command(work[static_cast<size_t>(record.layer_idx)], decoded.command, record, busy_cycles(record, job.shares),
                package.config.datapath);
  }
  return work;
}

}  // namespace vernier::explain
