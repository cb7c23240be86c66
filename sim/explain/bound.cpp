// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/bound.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace vernier::explain {
namespace {

using units::Cause;
using units::Work;

enum class Bound : uint8_t { Compute, Sram, External, Vector, Control };
constexpr std::array<std::string_view, 5> kBoundNames{"compute", "sram", "external", "vector", "control"};
using Sums = std::array<int64_t, kBoundNames.size()>;

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
constexpr std::array<std::pair<std::string_view, Bound>, kFirstStall> kSpent{{{"array", Bound::Compute},
                                                                              {"vector_unit", Bound::Vector},
                                                                              {"dma_in_sram", Bound::Sram},
                                                                              {"dma_external", Bound::External},
                                                                              {"epilogue", Bound::Compute},
                                                                              {"sharing", Bound::Sram},
                                                                              {"sharing_external", Bound::External},
                                                                              {"nothing_in_flight", Bound::Control}}};

class SpentSums {
 public:
  int64_t& operator[](Spent spent) { return cycles_[static_cast<size_t>(spent)]; }
  int64_t& operator[](kit::Bucket stall) { return cycles_[kFirstStall + stall.stall_idx()]; }
  [[nodiscard]] const std::array<int64_t, kNumSpent>& cycles() const { return cycles_; }

 private:
  std::array<int64_t, kNumSpent> cycles_{};
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

Bound bound_of_cause(Cause cause) {
  switch (cause) {
    case Cause::Array:
    case Cause::Epilogue: return Bound::Compute;
    case Cause::VectorUnit: return Bound::Vector;
    case Cause::DmaInSram:
    case Cause::WaitsForCopy: return Bound::Sram;
    case Cause::DmaExternal:
    case Cause::WaitsForLoad: return Bound::External;
    case Cause::NothingAtWork: return Bound::Control;
    default: return bound_of_stall(static_cast<timing::Stall>(static_cast<size_t>(cause) - units::kFirstStallCause));
  }
}

Spent busy_of(Work work) {
  switch (work) {
    case Work::Array: return Spent::Array;
    case Work::Vector: return Spent::VectorUnit;
    case Work::Copy: return Spent::DmaInside;
    default: return Spent::DmaOutside;
  }
}

void add_command(SpentSums& sums, const units::CommandRecord& command, std::span<const units::Share> shares) {
  if (command.end_cycle < 0 || command.work == Work::None) return;
  int64_t own = command.main.own_cycles;  // what comes behind them was added by others
  for (const units::Share& share : shares.subspan(command.main.shares.first, command.main.shares.count)) {
    const int64_t cycles = std::min(own, share.cycles);
    own -= cycles;
    (share.bucket == kit::Bucket::busy() ? sums[busy_of(command.work)] : sums[share.bucket]) += cycles;
  }
  sums[Spent::Epilogue] += command.drain.own_cycles;
  const bool is_outside = command.work == Work::Load || command.work == Work::Store;
  sums[is_outside ? Spent::SharingOutside : Spent::Sharing] +=
      command.end_cycle - command.start_cycle - command.main.own_cycles - command.drain.own_cycles;
}

std::string largest(const Sums& bounds) {
  return std::string(kBoundNames[static_cast<size_t>(std::max_element(bounds.begin(), bounds.end()) - bounds.begin())]);
}

LayerBound make_bound(const units::LayerCount& layer, const SpentSums& spent) {
  LayerBound result;
  Sums of_causes{}, of_spent{};
  for (size_t i = 0; i < units::kNumCauses; ++i) {
    if (layer.attributed_by[i] > 0) result.attributed_by.emplace_back(units::kCauseNames[i], layer.attributed_by[i]);
    of_causes[static_cast<size_t>(bound_of_cause(static_cast<Cause>(i)))] += layer.attributed_by[i];
  }
  for (size_t i = 0; i < kNumSpent; ++i) {
    const bool is_stall = i >= kFirstStall;
    const std::string_view name = is_stall ? timing::kStallNames[i - kFirstStall] : kSpent[i].first;
    const Bound bound = is_stall ? bound_of_stall(static_cast<timing::Stall>(i - kFirstStall)) : kSpent[i].second;
    if (spent.cycles()[i] > 0) result.spent.emplace_back(name, spent.cycles()[i]);
    of_spent[static_cast<size_t>(bound)] += spent.cycles()[i];
  }
  result.bound_by = largest(layer.attributed_cycles > 0 ? of_causes : of_spent);
  return result;
}

}  // namespace

std::string_view bound_of(Cause cause) { return kBoundNames[static_cast<size_t>(bound_of_cause(cause))]; }

std::vector<LayerBound> bounds_of_layers(const soc::JobResult& job) {
  std::vector<SpentSums> spent(job.layers.size());
  for (const units::CommandRecord& command : job.commands) {
    if (command.layer_idx >= 0) add_command(spent[static_cast<size_t>(command.layer_idx)], command, job.shares);
  }
  std::vector<LayerBound> result;
  for (size_t i = 0; i < job.layers.size(); ++i) {
    const units::LayerCount& layer = job.layers[i];
    spent[i][Spent::NothingInFlight] = std::max<int64_t>(0, layer.attributed_cycles - layer.in_flight_cycles);
    result.push_back(make_bound(layer, spent[i]));
  }
  return result;
}

}  // namespace vernier::explain
