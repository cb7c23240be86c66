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

/// Where a cycle of a command can go besides the stalls of its own profile.
enum class Spent : uint8_t {
  Array,
  VectorUnit,
  DmaInside,
  DmaOutside,
  Epilogue,
  Sharing,
  SharingOutside,
  NothingInFlight,
  FirstStall  // timing::Stall, in its order, from here on
};
constexpr size_t kFirstStall = static_cast<size_t>(Spent::FirstStall);
constexpr size_t kNumSpent = kFirstStall + timing::kNumStalls;
constexpr std::array<std::pair<const char*, Bound>, kFirstStall> kSpent{{{"array", Bound::Compute},
                                                                         {"vector_unit", Bound::Vector},
                                                                         {"dma_in_sram", Bound::Sram},
                                                                         {"dma_external", Bound::External},
                                                                         {"epilogue", Bound::Control},
                                                                         {"sharing", Bound::Sram},
                                                                         {"sharing_external", Bound::External},
                                                                         {"nothing_in_flight", Bound::Control}}};

struct Sums {
  std::array<int64_t, kNumSpent> cycles{};
  int64_t& operator[](Spent spent) { return cycles[static_cast<size_t>(spent)]; }
};

Bound bound_of_stall(timing::Stall stall) {
  switch (stall) {
    case timing::Stall::WeightLoad:
    case timing::Stall::BankConflict:
    case timing::Stall::PortContention: return Bound::Sram;
    case timing::Stall::ExternalMemory: return Bound::External;
    case timing::Stall::RescaleContention: return Bound::Vector;
    default: return Bound::Control;
  }
}

Bound bound_of(size_t spent) {
  return spent < kFirstStall ? kSpent[spent].second : bound_of_stall(static_cast<timing::Stall>(spent - kFirstStall));
}

std::string name_of(size_t spent) {
  return spent < kFirstStall ? kSpent[spent].first : std::string(timing::kStallNames[spent - kFirstStall]);
}

void add_command(Sums& sums, const spec::Command& command, const soc::CommandTimes& times,
                 const config::MachineConfig& config) {
  if (times.end_cycle < 0) return;
  timing::Profile profile;
  Spent busy = Spent::Array;
  Spent slowed = Spent::Sharing;
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    profile = timing::profile(*mac, config);
  } else if (const auto* vec = std::get_if<spec::VectorCommand>(&command.body)) {
    profile = timing::profile(*vec, config);
    busy = Spent::VectorUnit;
  } else if (const auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    profile = timing::profile(*dma, config);
    const bool is_external =
        dma->src.base.space == base::MemorySpace::External || dma->dst.base.space == base::MemorySpace::External;
    busy = is_external ? Spent::DmaOutside : Spent::DmaInside;
    slowed = is_external ? Spent::SharingOutside : Spent::Sharing;
  } else {
    return;
  }
  sums[busy] += profile.main.busy_cycles;
  for (size_t s = 0; s < profile.main.stall_cycles.size(); ++s) sums.cycles[kFirstStall + s] += profile.main.stall_cycles[s];
  sums[Spent::Epilogue] += profile.drain.cycles;
  sums[slowed] += std::max<int64_t>(0, times.end_cycle - times.start_cycle - profile.main.cycles - profile.drain.cycles);
}

LayerSpent summary(const Sums& sums) {
  LayerSpent result;
  std::array<int64_t, kBoundNames.size()> bounds{};
  for (size_t i = 0; i < kNumSpent; ++i) {
    if (sums.cycles[i] > 0) result.cycles.emplace_back(name_of(i), sums.cycles[i]);
    bounds[static_cast<size_t>(bound_of(i))] += sums.cycles[i];
  }
  result.bound_by = kBoundNames[static_cast<size_t>(std::max_element(bounds.begin(), bounds.end()) - bounds.begin())];
  return result;
}

}  // namespace

std::vector<LayerSpent> spent_by_layers(const package::Package& package, const soc::JobResult& job) {
  std::vector<Sums> sums(package.layers.size());
  size_t offset = 0;
  for (size_t i = 0; i < package.command_layers.size(); ++i) {
    const package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
    offset += static_cast<size_t>(decoded.length_bytes);
    const auto layer = static_cast<size_t>(package.command_layers[i]);
    if (decoded.fault == spec::FaultCode::None && layer < sums.size())
      add_command(sums[layer], decoded.command, job.commands.at(i), package.config);
  }
  std::vector<LayerSpent> result;
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i][Spent::NothingInFlight] =
        std::max<int64_t>(0, job.layers.at(i).attributed_cycles - job.layers.at(i).in_flight_cycles);
    result.push_back(summary(sums[i]));
  }
  return result;
}

}  // namespace vernier::cli
