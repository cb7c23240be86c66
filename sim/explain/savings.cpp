// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/savings.hpp"

#include "hw/base/text.hpp"
#include "sim/explain/bound_detail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace vernier::explain {
namespace {

using base::counted;
using timing::Stall;
using units::Cause;

/// Of its commands, added up.
struct SpentCycles {
  std::array<int64_t, timing::kNumStalls> stalls{};  // in flights on the array, on the vector unit and of copies in SRAM
  int64_t issue_waits = 0, num_issue_waits = 0;
  int64_t outside = 0, copies = 0, vector_busy = 0;
};

SpentCycles spent_of(int32_t layer_idx, const soc::JobResult& job) {
  SpentCycles spent;
  for (const units::CommandRecord& command : job.commands) {
    if (command.layer_idx != layer_idx || command.work == units::Work::None || command.end_cycle < 0) continue;
    const auto shares = [&](const units::Shares& range) { return std::span(job.shares).subspan(range.first, range.count); };
    for (const units::Share& wait : shares(command.waits)) {
      if (wait.bucket != kit::Bucket::stall(static_cast<size_t>(Stall::CommandIssue))) continue;
      spent.issue_waits += wait.cycles;
      ++spent.num_issue_waits;
    }
    const int64_t flight = command.end_cycle - command.start_cycle;
    if (command.work == units::Work::Load || command.work == units::Work::Store) {
      spent.outside += flight;
      continue;
    }
    if (command.work == units::Work::Copy) {
      spent.copies += flight;
      continue;
    }
    for (const units::Shares& phase : {command.main.shares, command.drain.shares}) {
      for (const units::Share& share : shares(phase)) {
        if (share.bucket != kit::Bucket::busy()) {
          spent.stalls.at(share.bucket.stall_idx()) += share.cycles;
        } else if (command.work == units::Work::Vector) {
          spent.vector_busy += share.cycles;
        }
      }
    }
  }
  return spent;
}

std::string_view idle_words(Waste waste) {
  switch (waste) {
    case Waste::Reduction: return "of the multipliers of a lane idle";
    case Waste::Channels: return "of the lanes idle";
    case Waste::Pixels: return "of the groups of lanes idle";
    case Waste::Passes: return "of the cycles are for the other bytes";
    case Waste::Operands: break;
  }
  return "of the cycles wait for operands";
}

/// What the array multiplies in vain: each kind is a part of what is left when the ones before it are gone.
void add_wastes(std::vector<Saving>& savings, const ArrayWork& work, const spec::Datapath& datapath) {
  const int64_t busy_cycles = base::ceil_div(work.array_macs, datapath.macs_per_cycle());
  int64_t filled = work.macs;
  for (size_t i = 0; i < kNumWastes; ++i) {
    const auto waste = static_cast<Waste>(i);
    const int64_t wasted = work.wasted[i].macs;
    filled += wasted;
    if (wasted == 0) continue;
    const double share = static_cast<double>(wasted) / static_cast<double>(filled);
    savings.push_back({fmt::format("{}: {:.0f} % {}", waste_words(waste, work, datapath), 100.0 * share, idle_words(waste)),
                       std::llround(share * static_cast<double>(busy_cycles))});
  }
}

/// Of the layer's cycles: those that wait for the external memory, for its own loads and stores or for those of others.
int64_t outside_cycles(const units::LayerCount& layer) {
  return layer.attributed_by[static_cast<size_t>(Cause::DmaExternal)] +
         layer.attributed_by[static_cast<size_t>(Cause::WaitsForLoad)];
}

bool helps_bandwidth(const units::LayerCount& layer, const LayerWork& work, const spec::ExternalMemory& external) {
  const bool has_own = work.loads.num_commands + work.stores.num_commands > 0;
  return !has_own || waits_for_other_loads(layer, work, external) || !is_bound_by_latency(work, external);
}

}  // namespace

std::vector<Saving> savings_of(int32_t layer_idx, const soc::JobResult& job, const LayerWork& work,
                               const config::MachineConfig& config) {
  const units::LayerCount& layer = job.layers.at(layer_idx);
  if (layer.attributed_cycles == 0)
    return {{"all of it is hidden behind other layers: what makes it faster shortens no run", {}}};
  const SpentCycles spent = spent_of(layer_idx, job);
  const auto words = [&](Cause cause) { return cause_words(cause, layer, work, config); };
  std::vector<Saving> savings;
  if (work.array.array_macs > 0) add_wastes(savings, work.array, config.datapath);
  for (const Stall stall : {Stall::WeightLoad, Stall::BankConflict, Stall::PortContention, Stall::RescaleContention,
                            Stall::PipelineFill, Stall::ExternalMemory}) {
    const auto cause = static_cast<Cause>(units::kFirstStallCause + static_cast<size_t>(stall));
    if (const int64_t cycles = spent.stalls[static_cast<size_t>(stall)]; cycles > 0)
      savings.push_back({fmt::format("{}: {}", timing::kStallNames[static_cast<size_t>(stall)], words(cause)), cycles});
  }
  if (const int64_t outside = std::max(spent.outside, outside_cycles(layer)); outside > 0) {
    savings.push_back({fmt::format("{}: {}nothing of it where weights and maps stay in SRAM", words(Cause::DmaExternal),
                                   helps_bandwidth(layer, work, config.external) ? "less of it with more bandwidth, " : ""),
                       outside});
  }
  if (spent.copies > 0) savings.push_back({words(Cause::DmaInSram), spent.copies});
  if (spent.issue_waits > 0) {
    savings.push_back({fmt::format("{} had their unit wait for their issue: their queue was empty",
                                   counted(spent.num_issue_waits, "command")),
                       spent.issue_waits});
  }
  std::erase_if(savings, [&](const Saving& saving) { return 100 * *saving.most_cycles < layer.attributed_cycles; });
  for (Saving& saving : savings) saving.most_cycles = std::min(*saving.most_cycles, job.cycles);
  std::stable_sort(savings.begin(), savings.end(),
                   [](const Saving& a, const Saving& b) { return *a.most_cycles > *b.most_cycles; });
  if (work.vector.longest && 100 * spent.vector_busy >= layer.attributed_cycles)
    savings.push_back({words(Cause::VectorUnit), {}});
  return savings;
}

}  // namespace vernier::explain
