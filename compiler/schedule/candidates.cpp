// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/candidates.hpp"

#include "compiler/schedule/rungs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

namespace vernier::schedule {
namespace {

/// Latencies of external memories that plans are made for, whatever the machine has.
constexpr std::array<int64_t, 4> kLatenciesCycles{100, 320, 1000, 10000};

/// A plan of more commands is long.
constexpr int64_t kLongPlanCommands = 100'000;

/// A plan of no more commands is short.
constexpr int64_t kShortPlanCommands = 500;

/// What each command of a long plan costs besides: so little SRAM leaves commands no room to go ahead of each other, and
/// their latencies add up. Measured on ResNet-50 in 16 to 20 KiB, where a plan of 183,000 commands took 2 M cycles more than
/// one of 130,000 whose steps add up to 2.5 M more.
constexpr int64_t kChainCycles = 60;

/// Plans of more steps are made again when they are asked for again: hundreds of them would take much memory.
constexpr int64_t kMostKeptSteps = 1000;

/// The powers of two below a bandwidth, the largest first: `num` of them, fewer where there are no more.
std::vector<base::Ratio> powers_below(base::Ratio bandwidth, size_t num) {
  std::vector<base::Ratio> powers;
  base::Ratio power = int64_t{1} << 20;
  while (powers.size() < num) {
    power = power > 1 ? base::Ratio(power.numerator() / 2) : base::Ratio(1, 2 * power.denominator());
    if (power < config::kLeastBandwidth) break;
    if (power < bandwidth) powers.push_back(power);
  }
  return powers;
}

/// Sizes to plan for, the largest first: the SRAM itself, all rungs down to its half, the coarse ones down to an eighth, and
/// powers of two below.
std::vector<int64_t> sizes_up_to(int64_t sram_bytes, int64_t step) {
  std::vector<int64_t> sizes{sram_bytes / step * step};
  for (int64_t rung = rung_at_most(sram_bytes - 1, step); rung > 0; rung = rung_at_most(rung - 1, step)) {
    const bool is_wanted = 2 * rung >= sram_bytes   ? true
                           : 8 * rung >= sram_bytes ? is_coarse(rung, step)
                                                    : std::has_single_bit(static_cast<uint64_t>(rung));
    if (is_wanted) sizes.push_back(rung);
  }
  return sizes;
}

int64_t estimate(const MemoryPlan& plan, TilingsOfSteps& tilings) {
  int64_t cycles = 0;
  for (size_t s = 0; s < plan.tilings.size(); ++s) {
    // How far the neighbours hide a step's first load and last store is seen later.
    cycles += tilings[s].exposed_and_hidden_cycles(*plan.tilings[s]);
  }
  return cycles / 2;
}

/// Plans of many commands for one size and machine whose estimates differ by less than a thousandth come to about the same:
/// the first of them stays, and host time goes to others.
std::vector<Candidate> without_similar(std::vector<Candidate> candidates) {
  constexpr int64_t kManyCommands = 10'000;
  std::vector<Candidate> kept;
  for (Candidate& candidate : candidates) {
    const auto is_similar = [&](const Candidate& other) {
      return other.planned_bytes == candidate.planned_bytes && other.machine == candidate.machine &&
             1000 * (candidate.estimate_cycles - other.estimate_cycles) < other.estimate_cycles;
    };
    const bool has_many = candidate.plan->num_commands > kManyCommands;
    if (has_many && std::any_of(kept.begin(), kept.end(), is_similar)) continue;
    kept.push_back(std::move(candidate));
  }
  return kept;
}

}  // namespace

Machines make_machines(const Task& task) {
  Machines machines;
  machines.emplace_back().config = task.config;
  const spec::ExternalMemory& external = task.config.external;
  for (const base::Ratio bandwidth : powers_below(external.bytes_per_cycle, 2)) {
    machines.emplace_back().config = task.config;
    machines.back().config.external.bytes_per_cycle = bandwidth;
  }
  const auto* const later = std::upper_bound(kLatenciesCycles.begin(), kLatenciesCycles.end(), external.latency_cycles);
  for (const auto* next = later; next != kLatenciesCycles.end() && next - later < 3; ++next) {
    machines.emplace_back().config = task.config;
    machines.back().config.external.latency_cycles = *next;
  }
  return machines;
}

Candidate make_candidate(const Task& task, Machines& machines, int64_t planned_bytes, size_t machine, Ends ends) {
  PlannedFor& planned_for = machines[machine];
  if (planned_for.tilings.is_empty()) planned_for.tilings = make_tilings(task.steps, planned_for.config, task.times);
  const auto make = [&] {
    return std::make_shared<const MemoryPlan>(
        plan_memory(task.steps, planned_for.tilings, task.program, planned_for.config, planned_bytes, ends));
  };
  if (std::ssize(task.steps) > kMostKeptSteps) return {planned_bytes, machine, ends, make()};
  std::shared_ptr<const MemoryPlan>& plan = planned_for.plans[{planned_bytes, ends}];
  if (!plan) plan = make();
  return {planned_bytes, machine, ends, plan};
}

namespace {

/// Plans, each once.
class Collection {
 public:
  Collection(const Task& task, Machines& machines) : task_(task), machines_(machines) {}

  void add(int64_t bytes, size_t machine, Ends ends) {
    Candidate made = make_candidate(task_, machines_, bytes, machine, ends);
    if (!made.plan->fits || made.plan->num_commands > task_.options.most_commands) return;
    // Of equal plans those for the most and for the least bytes: stripes depend on them, and the least is the same whatever
    // the SRAM is.
    const auto is_same = [&](const Candidate& other) { return made.plan->is_equal(*other.plan); };
    const auto is_twin = [&](const Candidate& other) {
      return other.planned_bytes == bytes && other.machine == machine && is_same(other);
    };
    if (std::any_of(candidates_.begin(), candidates_.end(), is_twin)) return;
    const auto last = std::find_if(candidates_.rbegin(), candidates_.rend(), is_same);
    const bool is_second =
        last != candidates_.rend() && std::find_if(std::next(last), candidates_.rend(), is_same) != candidates_.rend();
    if (!is_second) {
      candidates_.push_back(std::move(made));
    } else {
      last->planned_bytes = std::min(last->planned_bytes, bytes);
    }
  }
  [[nodiscard]] int64_t num_commands_of_first() const {
    return candidates_.empty() ? 0 : candidates_.front().plan->num_commands;
  }

  /// Plans with a lower estimate come first.
  std::vector<Candidate> sorted(int64_t cycles_of_command) && {
    for (Candidate& candidate : candidates_) {
      candidate.estimate_cycles = estimate(*candidate.plan, machines_.front().tilings);
      candidate.estimate_cycles += cycles_of_command * candidate.plan->num_commands;
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.estimate_cycles < b.estimate_cycles; });
    return without_similar(std::move(candidates_));
  }

 private:
  const Task& task_;
  Machines& machines_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Candidates make_candidates(const Task& task, Machines& machines) {
  const int64_t step = stage_align_bytes(task.config.datapath);
  Collection collection(task, machines);
  const std::vector<int64_t> sizes = sizes_up_to(task.config.sram_bytes, step);
  for (const int64_t bytes : sizes) collection.add(bytes, 0, Ends::Exposed);
  const int64_t num_commands = collection.num_commands_of_first();  // of the largest plan
  const bool is_long = num_commands > kLongPlanCommands, is_short = num_commands <= kShortPlanCommands;
  for (size_t machine = 0; machine < machines.size() && !is_long; ++machine) {
    for (const Ends ends : {Ends::Exposed, Ends::Hidden}) {
      if (machine == 0 && ends == Ends::Exposed) continue;
      for (const int64_t bytes : sizes) {
        if (is_short || bytes == sizes.front() || is_coarse(bytes, step)) collection.add(bytes, machine, ends);
      }
    }
  }
  return {std::move(collection).sorted(is_long ? kChainCycles : 0), is_long, is_short, num_commands <= kFewPlanCommands};
}

std::vector<Candidate> make_far_candidates(const Task& task, Machines& machines) {
  const int64_t step = stage_align_bytes(task.config.datapath);
  Collection collection(task, machines);
  for (size_t machine = 0; machine < machines.size(); ++machine) {
    for (int64_t rung = rung_at_most((task.config.sram_bytes - 1) / 8, step); rung > 0;
         rung = rung_at_most(rung - 1, step)) {
      if (is_coarse(rung, step)) collection.add(rung, machine, Ends::Exposed);
    }
  }
  std::vector<Candidate> candidates = std::move(collection).sorted(0);
  std::erase_if(candidates, [least = candidates.empty() ? 0 : candidates.front().estimate_cycles](
                                const Candidate& candidate) { return 8 * candidate.estimate_cycles > 9 * least; });
  return candidates;
}

}  // namespace vernier::schedule
