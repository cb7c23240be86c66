// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bound.hpp"

#include "hw/package/command_codec.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <array>

namespace vernier::cli {
namespace {

enum class Bound : uint8_t { Compute, Sram, External, Vector, Control };
constexpr std::array<const char*, 5> kBoundNames{"compute", "sram", "external", "vector", "control"};
using Spent = std::array<int64_t, kBoundNames.size()>;

int64_t& at(Spent& spent, Bound bound) { return spent[static_cast<size_t>(bound)]; }

void add_phase(Spent& spent, const timing::Phase& phase, Bound busy) {
  at(spent, busy) += phase.busy_cycles;
  for (int s = 0; s < timing::kNumStalls; ++s) {
    Bound bound = Bound::Control;
    switch (static_cast<timing::Stall>(s)) {
      case timing::Stall::WeightLoad:
      case timing::Stall::BankConflict:
      case timing::Stall::PortContention: bound = Bound::Sram; break;
      case timing::Stall::ExternalMemory: bound = Bound::External; break;
      case timing::Stall::RescaleContention: bound = Bound::Vector; break;
      default: break;
    }
    at(spent, bound) += phase.stall_cycles[static_cast<size_t>(s)];
  }
}

void add_command(Spent& spent, const spec::Command& command, const soc::CommandTimes& times,
                 const config::MachineConfig& config) {
  if (times.end_cycle < 0) return;
  timing::Profile profile;
  Bound busy = Bound::Compute;
  Bound slowed = Bound::Sram;
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    profile = timing::profile(*mac, config);
  } else if (const auto* vec = std::get_if<spec::VectorCommand>(&command.body)) {
    profile = timing::profile(*vec, config);
    busy = Bound::Vector;
  } else if (const auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    profile = timing::profile(*dma, config);
    const bool is_external =
        dma->src.base.space == base::MemorySpace::External || dma->dst.base.space == base::MemorySpace::External;
    busy = slowed = is_external ? Bound::External : Bound::Sram;
  } else {
    return;
  }
  add_phase(spent, profile.main, busy);
  at(spent, Bound::Control) += profile.drain.cycles;
  at(spent, slowed) +=
      std::max<int64_t>(0, times.end_cycle - times.start_cycle - profile.main.cycles - profile.drain.cycles);
}

}  // namespace

std::vector<std::string> bound_of_layers(const package::Package& package, const soc::JobResult& job) {
  std::vector<Spent> spent(package.layers.size());
  size_t offset = 0;
  for (size_t i = 0; i < package.command_layers.size(); ++i) {
    const package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
    offset += static_cast<size_t>(decoded.length_bytes);
    const auto layer = static_cast<size_t>(package.command_layers[i]);
    if (decoded.fault == spec::FaultCode::None && layer < spent.size())
      add_command(spent[layer], decoded.command, job.commands.at(i), package.config);
  }
  std::vector<std::string> bounds;
  for (size_t i = 0; i < spent.size(); ++i) {
    at(spent[i], Bound::Control) +=
        std::max<int64_t>(0, job.layers.at(i).attributed_cycles - job.layers.at(i).in_flight_cycles);
    bounds.emplace_back(
        kBoundNames[static_cast<size_t>(std::max_element(spent[i].begin(), spent[i].end()) - spent[i].begin())]);
  }
  return bounds;
}

}  // namespace vernier::cli
