// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/trials.hpp"

#include "compiler/schedule/makespan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::schedule {
namespace {

/// A schedule of at most so many commands is sorted whether it is the best or not.
constexpr int64_t kFewCommands = 2000;

/// To sort a schedule takes as long as to arrange or to play so many.
constexpr int64_t kSortWork = 3;

/// With less latency than that, choices made step by step are no better, only others: a program for such a memory is made
/// for this latency, and chosen by its cycles with the lower one.
constexpr int64_t kLeastLatencyCycles = 32;

/// A plan is ordered in more ways when its first orders are so near the best schedule: by a thirtieth. Measured on the
/// benchmark networks: the other ways save up to 3 %.
constexpr int64_t kNearBest = 30;

config::MachineConfig with_latency(config::MachineConfig config) {
  config.external.latency_cycles = std::max(config.external.latency_cycles, kLeastLatencyCycles);
  return config;
}

}  // namespace

Trials::Trials(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
               const Options& options)
    : config_(with_latency(config)),
      played_(config),
      options_(options),
      times_(config_),
      task_(make_task(program, graph, config_, options, times_)) {}

int64_t Trials::set_sram_bytes(int64_t bytes) { return std::exchange(config_.sram_bytes, bytes); }

StripeRules Trials::rules(int64_t sram_bytes) const {
  StripeRules rules;
  if (has_choice()) {
    rules.limits.working_set_bytes = sram_bytes / 4;
    rules.choose_by_cost = true;
  } else {
    rules.limits.max_stripes = 1;
  }
  return rules;
}

Machines& Trials::machines() {
  if (machines_.empty()) machines_ = make_machines(task_);
  return machines_;
}

std::optional<int64_t> Trials::carry_out(const Candidate& candidate, const std::vector<int64_t>& rooms) {
  return has_room_outside(candidate) ? carry_out_inside(candidate, rooms) : std::nullopt;
}

bool Trials::fits(const Candidate& candidate) {
  if (!has_room_outside(candidate)) return false;
  Attempt attempt(task_, candidate.plan, machines()[candidate.machine], rules(candidate.planned_bytes));
  count_made(candidate);
  return !attempt.is_too_long() && fits(attempt, {most_bytes(candidate)});
}

bool Trials::has_room_outside(const Candidate& candidate) {
  try {
    require_room_outside(task_.program, config_, candidate.plan.is_outside);
    return true;
  } catch (const TooMuchOutside& error) {  // another plan may keep more in the SRAM
    if (!too_much_outside_ || error.needed_bytes() < too_much_outside_->needed_bytes()) too_much_outside_ = error;
    return false;
  }
}

int64_t Trials::most_bytes(const Candidate& candidate) const {
  return std::max(candidate.planned_bytes, config_.sram_bytes / step_bytes() * step_bytes());
}

std::optional<int64_t> Trials::carry_out_inside(const Candidate& candidate, const std::vector<int64_t>& rooms) {
  Attempt attempt(task_, candidate.plan, machines()[candidate.machine], rules(candidate.planned_bytes));
  count_made(candidate);
  if (attempt.is_too_long()) return std::nullopt;
  const int64_t bound_cycles = attempt.lower_bound_cycles();
  least_bound_cycles_ = std::min(least_bound_cycles_, bound_cycles);
  if (best_ && bound_cycles >= best_->cycles) return bound_cycles;
  std::optional<int64_t> least_cycles;
  std::optional<Room> best_room;
  bool depends_on_region = false;
  int64_t ordered_bytes = kNever;  // that the last order needed
  const auto try_room = [&](const Room& room) {
    const std::string name =
        fmt::format("for {} B of SRAM, order for {} B, loads ahead {}{}, {} parts, memory {}", candidate.planned_bytes,
                    room.bytes, room.loads_ahead, room.region_grows ? "" : " but around gaps",
                    candidate.ends == Ends::Exposed ? "smaller" : "larger", candidate.machine);
    if (const auto known = ordered_.find(name); known != ordered_.end()) {
      ordered_bytes = known->second.total_bytes;
      least_cycles = std::min(known->second.cycles, least_cycles.value_or(known->second.cycles));
      return;
    }
    if (!fits(attempt, room)) return;
    ordered_bytes = attempt.total_bytes();
    const int64_t before = best_ ? best_->cycles : kNever;
    const int64_t cycles = keep_best_order(attempt, name);
    ordered_[name] = {ordered_bytes, cycles};
    if (!least_cycles || cycles < *least_cycles) {
      least_cycles = cycles;
      best_room = room;
      depends_on_region = attempt.depends_on_region();
    }
    if (cycles >= before) return;
    best_->planned_bytes = candidate.planned_bytes;
    best_->needed_bytes = candidate.plan.least_bytes;
  };
  const bool has_many = candidate.plan.num_commands > kManyCommands;
  for (const int64_t bytes : rooms) {
    if (bytes < ordered_bytes) try_room({bytes});  // with more than it needs the order is the same
  }
  if (rooms.empty()) {
    const int64_t most = most_bytes(candidate);
    try_room({most});
    if (best_ && !has_choice()) return least_cycles;
    if (most > candidate.planned_bytes && (!has_many || !least_cycles)) try_room({candidate.planned_bytes});
  }
  if (!best_room || has_many || *least_cycles - best_->cycles > best_->cycles / kNearBest) return least_cycles;
  if (depends_on_region) try_room({best_room->bytes, best_room->loads_ahead, false});
  const Room good = *best_room;
  for (const int64_t loads_ahead : {2, 1}) try_room({good.bytes, loads_ahead, good.region_grows});
  return least_cycles;
}

int64_t Trials::keep_best_order(Attempt& attempt, const std::string& name) {
  const int64_t before = best_ ? best_->cycles : kNever;
  int64_t least = keep_if_better(attempt, name);
  const bool is_better = least < before;
  if (!has_choice() || attempt.num_commands() > (is_better ? kManyCommands : kFewCommands)) return least;
  const StartOrder order = attempt.sorted_by_starts();
  work_commands_ += kSortWork * attempt.num_commands();
  if (order.end_cycle >= best_->cycles) return least;
  const std::string sorted_name = name + ", sorted by starts";
  if (attempt.take_order(order, Lifetimes::ByTime)) {
    least = std::min(least, keep_if_better(attempt, sorted_name));
  }
  if (attempt.take_order(order, Lifetimes::ByPlace)) {
    least = std::min(least, keep_if_better(attempt, sorted_name + ", blocks close"));
  }
  return least;
}

int64_t Trials::keep_if_better(const Attempt& attempt, const std::string& name) {
  const LinkedCommands linked = attempt.linked();
  work_commands_ += static_cast<int64_t>(linked.commands.size());
  int64_t cycles = 0;
  if (has_choice()) {
    cycles = makespan_cycles(linked, played_, times_);
    plans_.add(fmt::format("{}: {} commands", name, linked.commands.size()), cycles);
  }
  if (best_ && cycles >= best_->cycles) return cycles;
  if (has_choice()) plans_.chosen = plans_.ways.size() - 1;
  best_ = attempt.schedule(linked);
  best_->cycles = cycles;
  return cycles;
}

bool Trials::fits(Attempt& attempt, const Room& room) {
  const int64_t arranged_before = attempt.num_arranged();
  const bool result = attempt.fit(room);
  work_commands_ += attempt.num_arranged() - arranged_before;
  arranged_commands_ += attempt.num_arranged() - arranged_before;
  return result;
}

void Trials::count_made(const Candidate& candidate) {
  ++num_attempts_;
  work_commands_ += candidate.plan.num_commands / 2;
  arranged_commands_ += candidate.plan.num_commands;
}

void Trials::count(const Attempt& attempt) {
  ++num_attempts_;
  arranged_commands_ += attempt.num_commands() + attempt.num_arranged();
}

}  // namespace vernier::schedule
