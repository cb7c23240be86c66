// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/trials.hpp"

#include "compiler/schedule/makespan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// One of few commands also when its first orders are so near those of the other plans: other ways save more of short
/// programs.
constexpr int64_t kNearPlain = 8;

bool is_near(int64_t cycles, int64_t best_cycles, int64_t share = kNearBest) {
  return cycles - best_cycles <= best_cycles / share;
}

/// Indices into spec::kQueueLimits: 4 commands, tried once; 8 and 16, of which queues of the presets' depth have no more.
constexpr uint8_t kShortestLimit = 1;
constexpr std::array<uint8_t, 2> kLimitsOfDeepQueues{2, 3};

void set_queue_limit(std::vector<spec::Command>& commands, uint8_t limit) {
  for (spec::Command& command : commands) command.header.queue_limit = limit;
}

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

void Trials::begin_search(int64_t sram_bytes) {
  config_.sram_bytes = sram_bytes;
  search_ = {};
}

void Trials::see_cycles(int64_t cycles) { search_.best_cycles = std::min(search_.best_cycles, cycles); }

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
  Attempt attempt(task_, *candidate.plan, machines()[candidate.machine], rules(candidate.planned_bytes));
  count_made(candidate);
  return !attempt.is_too_long() && fits(attempt, {most_bytes(candidate)});
}

bool Trials::has_room_outside(const Candidate& candidate) {
  try {
    require_room_outside(task_.program, config_, candidate.plan->is_outside);
    return true;
  } catch (const TooMuchOutside& error) {  // another plan may keep more in the SRAM
    if (!too_much_outside_ || error.needed_bytes() < too_much_outside_->needed_bytes()) too_much_outside_ = error;
    return false;
  }
}

int64_t Trials::most_bytes(const Candidate& candidate) const {
  return std::max(candidate.planned_bytes, config_.sram_bytes / step_bytes() * step_bytes());
}

/// Made when it is asked for: of many a plan all is known from a larger SRAM.
class Trials::LazyAttempt {
 public:
  LazyAttempt(Trials& trials, const Candidate& candidate) : trials_(trials), candidate_(candidate) {}
  Attempt& get() {
    if (!attempt_) {
      attempt_.emplace(trials_.task_, *candidate_.plan, trials_.machines()[candidate_.machine],
                       trials_.rules(candidate_.planned_bytes));
    }
    return *attempt_;
  }

 private:
  Trials& trials_;
  const Candidate& candidate_;
  std::optional<Attempt> attempt_;
};

std::optional<int64_t> Trials::carry_out_inside(const Candidate& candidate, const std::vector<int64_t>& rooms) {
  LazyAttempt attempt(*this, candidate);
  count_made(candidate);
  const std::string name = fmt::format("{} B, {} parts, memory {}", candidate.planned_bytes,
                                       candidate.ends == Ends::Exposed ? "smaller" : "larger", candidate.machine);
  const auto known_bound = bounds_.find(name);
  if (known_bound == bounds_.end() && attempt.get().is_too_long()) return std::nullopt;
  const int64_t bound_cycles =
      known_bound != bounds_.end() ? known_bound->second : bounds_[name] = attempt.get().lower_bound_cycles();
  search_.least_bound_cycles = std::min(search_.least_bound_cycles, bound_cycles);
  if (bound_cycles >= search_.best_cycles || (best_ && bound_cycles >= best_->cycles)) return bound_cycles;
  const bool has_many = candidate.plan->num_commands > kManyCommands;
  const bool is_small = candidate.plan->num_commands <= kFewPlanCommands;
  std::optional<int64_t> least_cycles;
  std::optional<Room> best_room;
  int64_t plain_cycles = kNever;  // before commands were sorted by their starts
  bool depends_on_region = false;
  int64_t ordered_bytes = kNever;  // that the last order needed
  Played played;
  const auto try_room = [&](const Room& room) {
    const Tried tried = order_in(room, candidate, attempt, played);
    if (!tried.order) return;
    ordered_bytes = tried.order->needed_bytes;
    const bool is_less = !least_cycles || tried.order->cycles < *least_cycles;
    if (is_less) least_cycles = tried.order->cycles;
    plain_cycles = std::min(plain_cycles, tried.order->plain_cycles);
    if (!is_less || !(tried.is_new || is_small)) return;
    best_room = room;
    depends_on_region = tried.order->depends_on_region;
  };
  for (const int64_t bytes : rooms) {
    if (bytes < ordered_bytes) try_room({bytes});  // with more than it needs the order is the same
  }
  if (rooms.empty()) {
    const int64_t most = most_bytes(candidate);
    try_room({most});
    if (best_ && !has_choice()) return least_cycles;
    if (most > candidate.planned_bytes && (!has_many || !least_cycles)) try_room({candidate.planned_bytes});
  }
  search_.least_plain_cycles = std::min(search_.least_plain_cycles, plain_cycles);
  if (!best_room || has_many) return least_cycles;
  // The best schedule may have been ordered in more ways already: a plan of few commands is compared before that, too.
  const bool is_near_plain = is_small && is_near(plain_cycles, search_.least_plain_cycles, kNearPlain);
  if (!is_near_plain && !is_near(*least_cycles, search_.best_cycles)) return least_cycles;
  if (depends_on_region) try_room({best_room->bytes, best_room->loads_ahead, false});
  const Room good = *best_room;
  for (const int64_t loads_ahead : {2, 1}) try_room({good.bytes, loads_ahead, good.region_grows});
  return least_cycles;
}

/// Orders the plan in one room, unless that is known or what another order of the plan has come to.
Trials::Tried Trials::order_in(const Room& room, const Candidate& candidate, LazyAttempt& lazy, Played& played) {
  const std::string rules =
      fmt::format("loads ahead {}{}, {} parts, memory {}", room.loads_ahead, room.region_grows ? "" : " but around gaps",
                  candidate.ends == Ends::Exposed ? "smaller" : "larger", candidate.machine);
  std::vector<Ordered>& known = ordered_[fmt::format("{} B, {}", candidate.planned_bytes, rules)];
  const auto is_known = [&](const Ordered& order) { return order.is_known_in(room.bytes); };
  if (const auto found = std::find_if(known.begin(), known.end(), is_known); found != known.end()) {
    if (!found->is_worth_sorting(search_.best_cycles)) {
      see_cycles(found->cycles);
      return {*found, false};
    }
    known.erase(found);
  }
  Attempt& attempt = lazy.get();
  if (!fits(attempt, room)) return {};
  Ordered order{.room_bytes = room.bytes, .needed_bytes = attempt.total_bytes(), .fits_at_once = attempt.fits_at_once()};
  Attempt::Arrangement arrangement = attempt.arrangement();
  const auto is_same = [&](const auto& other) {
    return other.second.is_as_good_in(room.bytes) && !other.second.is_worth_sorting(search_.best_cycles) &&
           other.first == arrangement;
  };
  if (const auto same = std::find_if(played.begin(), played.end(), is_same); same != played.end()) {
    // Counted as if it had been played: what is tried does not depend on what host time this saves.
    work_commands_ += same->second.work_commands;
    const Ordered here = order;
    order = same->second;
    order.room_bytes = here.room_bytes;
    order.needed_bytes = here.needed_bytes;
    order.fits_at_once = here.fits_at_once;
    see_cycles(order.cycles);
    known.push_back(order);
    return {order, false};
  }
  const int64_t before = best_ ? best_->cycles : kNever, work_before = work_commands_;
  const OrderCycles cycles = keep_best_order(
      attempt, fmt::format("for {} B of SRAM, order for {} B, {}", candidate.planned_bytes, room.bytes, rules));
  order.plain_cycles = cycles.plain;
  order.cycles = cycles.least;
  order.unsorted_end_cycle = cycles.unsorted_end;
  order.depends_on_region = attempt.depends_on_region();
  order.work_commands = work_commands_ - work_before;
  order.most_bytes = attempt.most_bytes();
  known.push_back(order);
  played.emplace_back(std::move(arrangement), order);
  if (order.cycles < before) {
    best_->planned_bytes = candidate.planned_bytes;
    best_->needed_bytes = candidate.plan->least_bytes;
  }
  return {order, true};
}

Trials::OrderCycles Trials::keep_best_order(Attempt& attempt, const std::string& name) {
  const int64_t before = search_.best_cycles;
  OrderCycles cycles;
  cycles.plain = cycles.least = keep_if_better(attempt, name);
  const bool is_better = cycles.least < before;
  if (!has_choice() || attempt.num_commands() > (is_better ? kManyCommands : kFewCommands)) return cycles;
  const StartOrder order = attempt.sorted_by_starts();
  work_commands_ += kSortWork * attempt.num_commands();
  if (order.end_cycle >= search_.best_cycles) {
    cycles.unsorted_end = order.end_cycle;
    return cycles;
  }
  const std::string sorted_name = name + ", sorted by starts";
  if (attempt.take_order(order, Lifetimes::ByTime)) {
    cycles.least = std::min(cycles.least, keep_if_better(attempt, sorted_name));
  }
  if (attempt.take_order(order, Lifetimes::ByPlace)) {
    cycles.least = std::min(cycles.least, keep_if_better(attempt, sorted_name + ", blocks close"));
  }
  return cycles;
}

int64_t Trials::keep_if_better(const Attempt& attempt, const std::string& name) {
  LinkedCommands linked = attempt.linked();
  work_commands_ += static_cast<int64_t>(linked.commands.size());
  int64_t cycles = 0;
  if (has_choice()) {
    cycles = least_cycles_of_deep_queues(linked);
    plans_.add(fmt::format("{}: {} commands", name, linked.commands.size()), cycles);
  }
  see_cycles(cycles);
  if (best_ && cycles >= best_->cycles) return cycles;
  if (has_choice()) plans_.chosen = plans_.ways.size() - 1;
  best_ = attempt.schedule(linked);
  best_->cycles = cycles;
  return cycles;
}

/// Cycles of the commands, with the limit of waiting ones that takes least. Queues as deep as those of the presets have
/// none: what such a queue would give is not lost in a deeper one.
int64_t Trials::least_cycles_of_deep_queues(LinkedCommands& linked) {
  int64_t least = makespan_cycles(linked, played_, times_);
  uint8_t best_limit = 0;
  for (const uint8_t limit : kLimitsOfDeepQueues) {
    if (spec::kQueueLimits.at(limit) >= played_.queue_depth) continue;
    set_queue_limit(linked.commands, limit);
    const int64_t cycles = makespan_cycles(linked, played_, times_);
    if (cycles >= least) continue;
    least = cycles;
    best_limit = limit;
  }
  if (is_played_with_short_queues(linked)) {
    set_queue_limit(linked.commands, kShortestLimit);
    const int64_t cycles = makespan_cycles(linked, played_, times_);
    if (100 * cycles <= 99 * least) return cycles;
  }
  set_queue_limit(linked.commands, best_limit);
  return least;
}

/// Whether the machine's queues may hold more commands than with the shortest limit, and a limit can save cycles.
bool Trials::has_shorter_queues() const {
  return task_.stages_constants() && spec::kQueueLimits.at(kShortestLimit) < played_.queue_depth;
}

/// A schedule of few commands is played with short queues while plans still compete: another plan may win only with them.
bool Trials::is_played_with_short_queues(const LinkedCommands& linked) const {
  return has_shorter_queues() && std::ssize(linked.commands) <= kFewPlanCommands;
}

void Trials::try_shorter_queues() {
  if (!has_choice() || !best_ || !has_shorter_queues()) return;
  if (std::ssize(best_->commands) <= kFewPlanCommands) return;  // it has been played so
  LinkedCommands linked;
  linked.commands.reserve(best_->commands.size());
  for (const passes::Step& step : best_->commands) linked.commands.push_back(step.command);
  set_queue_limit(linked.commands, kShortestLimit);
  const int64_t cycles = makespan_cycles(linked, played_, times_);
  if (100 * cycles > 99 * best_->cycles) return;
  for (passes::Step& step : best_->commands) step.command.header.queue_limit = kShortestLimit;
  best_->cycles = cycles;
  plans_.add(fmt::format("the best, at most {} commands wait in a queue: {} commands", spec::kQueueLimits.at(kShortestLimit),
                         best_->commands.size()),
             cycles);
  plans_.chosen = plans_.ways.size() - 1;
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
  work_commands_ += candidate.plan->num_commands / 2;
  arranged_commands_ += candidate.plan->num_commands;
}

void Trials::count(const Attempt& attempt) {
  ++num_attempts_;
  arranged_commands_ += attempt.num_commands() + attempt.num_arranged();
}

}  // namespace vernier::schedule
