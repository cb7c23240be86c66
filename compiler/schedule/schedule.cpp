// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"

#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/candidates.hpp"
#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/memory_plan.hpp"
#include "compiler/schedule/race.hpp"
#include "compiler/schedule/rungs.hpp"
#include "compiler/schedule/too_much_outside.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace vernier::schedule {
namespace {

/// Commands that one compilation makes, arranges and plays in all its attempts: what host time is spent on. The first
/// candidates may use more.
constexpr int64_t kWorkCommands = 400'000, kMostWorkCommands = 900'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kNoSize = int64_t{1} << 60;  // of SRAM: more than any machine has

/// With less latency than that, choices made step by step are no better, only others: a program for such a memory is made
/// for this latency, and chosen by its cycles with the lower one.
constexpr int64_t kLeastLatencyCycles = 32;

config::MachineConfig with_latency(config::MachineConfig config) {
  config.external.latency_cycles = std::max(config.external.latency_cycles, kLeastLatencyCycles);
  return config;
}

class Scheduler {
 public:
  Scheduler(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
            const Options& options)
      : config_(with_latency(config)),
        played_(config),
        options_(options),
        times_(config_),
        task_(make_task(program, graph, config_, options, times_)) {}

  /// None when nothing fits; need() says what would.
  std::optional<Schedule> run() {
    std::optional<Schedule> best = task_.stages_constants() ? run_with_memory() : run_in_sram();
    if (!best) return best;
    best->plans = plans_;
    best->image = std::move(task_.image);
    best->image.bytes.resize(static_cast<size_t>(best->image_bytes));
    return best;
  }

  /// After run() or without it.
  std::optional<SramNeed> need(int64_t most_work) {
    search_work_ = 0;
    most_search_work_ = most_work;
    if (least_bytes_ == 0 && task_.stages_constants()) {
      if (machines_.empty()) machines_ = make_machines(task_);
      find_least(false);
    } else if (least_bytes_ == 0) {
      find_least_in_sram(num_attempts_ > 0 ? config_.sram_bytes : 0);
    }
    if (is_searched_enough()) return std::nullopt;
    return SramNeed{least_bytes_ == kNoSize ? 0 : least_bytes_, num_attempts_};
  }

  /// Whether the least parts of each step find room in the SRAM, but are too many. After run().
  bool has_too_many_commands() {
    if (!task_.stages_constants()) return is_too_long_;
    const Candidate candidate = plan_for(config_.sram_bytes / step_bytes() * step_bytes());
    return candidate.plan.fits && candidate.plan.num_commands > kMostCommands;
  }

 private:
  [[nodiscard]] bool has_choice() const { return options_.optimize > 0; }
  [[nodiscard]] int64_t step_bytes() const { return stage_align_bytes(config_.datapath); }
  [[nodiscard]] bool is_searched_enough() const { return search_work_ > most_search_work_; }

  /// The plan that a search for the least size asks for.
  Candidate plan_for(int64_t bytes) {
    Candidate candidate = make_candidate(task_, machines_, bytes, 0, Ends::Exposed);
    search_work_ += static_cast<int64_t>(task_.steps.size());
    return candidate;
  }
  bool is_promising(int64_t bytes) {
    const Candidate candidate = plan_for(bytes);
    return candidate.plan.fits && candidate.plan.num_commands <= kMostCommands;
  }

  [[nodiscard]] StripeRules rules(int64_t sram_bytes) const {
    StripeRules rules;
    if (has_choice()) {
      rules.limits.working_set_bytes = sram_bytes / 4;
      rules.choose_by_cost = true;
    } else {
      rules.limits.max_stripes = 1;
    }
    return rules;
  }

  std::optional<Schedule> run_in_sram() {
    std::optional<Schedule> best;
    try_in_sram([&](Attempt& attempt) {
      plans_.of = "order of the stream";
      keep_best_order(attempt, "as laid out", best);
    });
    return best;
  }

  /// Whether the SRAM has room; `take` gets what fits.
  bool try_in_sram(const std::function<void(Attempt&)>& take) {
    const MemoryPlan plan = plan_without_memory(task_.steps, task_.program);
    PlannedFor planned_for{config_, {}};
    for (const int64_t working_set_bytes : {config_.sram_bytes, int64_t{0}}) {  // 0: fewest commands, which take room
      Attempt attempt(task_, plan, planned_for, rules(working_set_bytes));
      ++num_attempts_;
      is_too_long_ = attempt.is_too_long();
      if (is_too_long_) continue;
      const bool fits = attempt.fit({config_.sram_bytes});
      search_work_ += attempt.num_commands() + attempt.num_arranged();
      needed_bytes_ = attempt.total_bytes();
      if (!fits) continue;
      take(attempt);
      return true;
    }
    return false;
  }

  /// Finds the least SRAM that holds the program in memory mode sram. `refused_bytes` is a size that has been refused, 0
  /// where none has. Afterwards `config_` has another size.
  void find_least_in_sram(int64_t refused_bytes) {
    const auto fits_in = [&](int64_t bytes) {
      config_.sram_bytes = bytes;
      return try_in_sram([](Attempt&) {});
    };
    const int64_t step = step_bytes();
    fits_in(0);  // tells what is needed, in the same way whatever has been refused
    if (is_too_long_) {
      least_bytes_ = kNoSize;
      return;
    }
    int64_t too_small = refused_bytes / step * step;
    int64_t enough = std::max(base::round_up(needed_bytes_, step), too_small + step);
    if (fits_in(enough)) {
      while (enough - step > too_small && !is_searched_enough() && fits_in(enough - step)) enough -= step;
    } else {
      do {
        too_small = enough;
        enough += base::round_up(std::max<int64_t>(1, enough / 32), step);
      } while (!is_searched_enough() && !fits_in(enough));
      while (enough - too_small > step && !is_searched_enough()) {
        const int64_t middle = too_small + (enough - too_small) / (2 * step) * step;
        (fits_in(middle) ? enough : too_small) = middle;
      }
    }
    least_bytes_ = enough;
  }

  /// The best of the candidates. Where none fits, or only such as another size may not find: what the least rung that works
  /// has, if there is so much SRAM.
  std::optional<Schedule> run_with_memory() {
    std::optional<Schedule> best;
    machines_ = make_machines(task_);
    Race race(make_candidates(task_, machines_), config_.sram_bytes, step_bytes());
    bool is_sure = race.is_sure_to_fit();
    while (const Candidate* candidate = race.next(best ? std::optional(best->cycles) : std::nullopt)) {
      if (best && work_commands_ > (race.has_tried_first() ? kWorkCommands : kMostWorkCommands)) break;
      const std::optional<int64_t> cycles = carry_out(*candidate, best);
      race.tell(cycles);
      is_sure = is_sure || (cycles && race.is_shared(*candidate));
      if (best && (!has_choice() || (race.has_tried_first() && is_near_bound(best->cycles)))) break;
    }
    if (!best && too_much_outside_) throw TooMuchOutside(*too_much_outside_);
    if (is_sure) {
      if (best && leaves_no_room_for_weights(race.least_bytes())) best->least_bytes = least_bytes_;
      return best;
    }
    std::optional<Schedule> least = find_least(!best);
    if (least_bytes_ > config_.sram_bytes) return std::nullopt;
    if (!best) best = std::move(least);
    if (leaves_no_room_for_weights(least_bytes_)) best->least_bytes = least_bytes_;
    return best;
  }

  /// Whether no plan that has been carried out, however it is ordered, could be a thousandth better.
  [[nodiscard]] bool is_near_bound(int64_t cycles) const {
    return cycles - least_bound_cycles_ <= least_bound_cycles_ / 1000;
  }

  /// In memory mode weights-external, where all maps stay: whether the SRAM is less than four times the least that works.
  /// `near_bytes` is near that, or below it.
  [[nodiscard]] bool leaves_no_room_for_weights(int64_t near_bytes) {
    if (config_.memory_mode != spec::MemoryMode::WeightsExternal || config_.sram_bytes >= 8 * near_bytes) return false;
    if (least_bytes_ == 0) find_least(false);
    if (least_bytes_ == kNoSize) return false;
    return config_.sram_bytes < 4 * least_bytes_;
  }

  /// `best` becomes the best schedule of that plan, if it is better; returns the cycles of that one, none where nothing
  /// fits. With no more room than it was planned for the order is that of a smaller SRAM, sometimes the better one. And
  /// loads that go far ahead fill the queue in front of the port, where the loads of the next stripe wait after them.
  std::optional<int64_t> carry_out(const Candidate& candidate, std::optional<Schedule>& best) {
    try {
      require_room_outside(task_.program, config_, candidate.plan.is_outside);
      return carry_out_inside(candidate, best);
    } catch (const TooMuchOutside& error) {  // another plan may keep more in the SRAM
      if (!too_much_outside_ || error.needed_bytes() < too_much_outside_->needed_bytes()) too_much_outside_ = error;
      return std::nullopt;
    }
  }

  std::optional<int64_t> carry_out_inside(const Candidate& candidate, std::optional<Schedule>& best) {
    Attempt attempt(task_, candidate.plan, machines_[candidate.machine], rules(candidate.planned_bytes));
    ++num_attempts_;
    work_commands_ += candidate.plan.num_commands / 2;
    search_work_ += candidate.plan.num_commands;
    if (attempt.is_too_long()) return std::nullopt;
    const int64_t bound_cycles = attempt.lower_bound_cycles();
    least_bound_cycles_ = std::min(least_bound_cycles_, bound_cycles);
    if (best && bound_cycles >= best->cycles) return bound_cycles;
    std::optional<int64_t> least_cycles;
    std::optional<Room> best_room;
    bool depends_on_region = false;
    const auto fits = [&](const Room& room) {
      const int64_t arranged_before = attempt.num_arranged();
      const bool result = attempt.fit(room);
      work_commands_ += attempt.num_arranged() - arranged_before;
      search_work_ += attempt.num_arranged() - arranged_before;
      return result;
    };
    const int64_t most_bytes = std::max(candidate.planned_bytes, config_.sram_bytes / step_bytes() * step_bytes());
    if (only_fits_) return fits({most_bytes}) ? std::optional<int64_t>(0) : std::nullopt;
    const auto try_room = [&](const Room& room) {
      if (!fits(room)) return;
      const std::string name =
          fmt::format("for {} B of SRAM, order for {} B, loads ahead {}{}, {} parts, memory {}", candidate.planned_bytes,
                      room.bytes, room.loads_ahead, room.region_grows ? "" : " but around gaps",
                      candidate.ends == Ends::Exposed ? "smaller" : "larger", candidate.machine);
      const int64_t before = best ? best->cycles : kNever;
      const int64_t cycles = keep_best_order(attempt, name, best);
      least_cycles = std::min(cycles, least_cycles.value_or(cycles));
      if (cycles >= before) return;
      best_room = room;
      depends_on_region = attempt.depends_on_region();
      best->planned_bytes = candidate.planned_bytes;
      best->needed_bytes = candidate.plan.least_bytes;
    };
    try_room({most_bytes});
    if (best && !has_choice()) return least_cycles;
    const bool has_many = candidate.plan.num_commands > kManyCommands;
    if (most_bytes > candidate.planned_bytes && (!has_many || !least_cycles)) try_room({candidate.planned_bytes});
    if (!best_room || has_many) return least_cycles;
    if (depends_on_region) try_room({best_room->bytes, best_room->loads_ahead, false});
    const Room good = *best_room;
    for (const int64_t loads_ahead : {2, 1}) try_room({good.bytes, loads_ahead, good.region_grows});
    return least_cycles;
  }

  /// Finds the least rung that works: by the size of plans first, for to carry out long ones takes long. Returns its
  /// schedule, where that is wanted and the SRAM has so much.
  std::optional<Schedule> find_least(bool wants_schedule) {
    const int64_t step = step_bytes(), least = base::round_up(std::max<int64_t>(1, plan_for(step).plan.least_bytes), step);
    const int64_t most = std::max(rung_above(least, step), spec::kMaxSramBytes);
    int64_t enough = rung_at_most(least, step) == least ? least : rung_above(least, step), too_small = enough - step;
    least_bytes_ = kNoSize;
    if (!is_promising(enough) && !is_promising(most)) return std::nullopt;
    while (enough < most && !is_promising(enough)) {
      too_small = enough;
      enough = std::min(most, rung_above(enough + enough / 4, step));
    }
    while (rung_above(too_small, step) < enough) {
      const int64_t middle = rung_above(too_small + (enough - too_small) / 2 - 1, step);
      if (middle >= enough) break;
      (is_promising(middle) ? enough : too_small) = middle;
    }
    for (int64_t near = enough, i = 0; i < 16 && near > least; ++i) {  // plans do not grow evenly
      near = rung_at_most(near - 1, step);
      if (near >= least && is_promising(near)) enough = near;
    }
    for (int64_t bytes = enough; bytes <= most && !is_searched_enough(); bytes = rung_above(bytes, step)) {
      const bool keeps_schedule = wants_schedule && bytes <= config_.sram_bytes;
      std::optional<Schedule> schedule;
      if (!carry_out_in(bytes, plan_for(bytes), keeps_schedule ? &schedule : nullptr)) {
        if (too_much_outside_ && bytes >= config_.sram_bytes) throw TooMuchOutside(*too_much_outside_);
        continue;
      }
      least_bytes_ = bytes;
      return schedule;
    }
    return std::nullopt;
  }

  /// As if there were no more SRAM than that: whether the plan fits. `schedule` becomes its best one, unless it is null.
  bool carry_out_in(int64_t sram_bytes, const Candidate& candidate, std::optional<Schedule>* schedule) {
    const int64_t there_is = std::exchange(config_.sram_bytes, sram_bytes);
    std::optional<Schedule> none;
    only_fits_ = schedule == nullptr;
    const bool fits = carry_out(candidate, only_fits_ ? none : *schedule).has_value();
    only_fits_ = false;
    config_.sram_bytes = there_is;
    return fits;
  }

  /// `best` becomes what has been attempted, if it is better, as ordered or with its commands sorted by their starts: few
  /// commands always, many where they are the best as ordered. Returns the least cycles.
  int64_t keep_best_order(Attempt& attempt, const std::string& name, std::optional<Schedule>& best) {
    const int64_t before = best ? best->cycles : kNever;
    int64_t least = keep_if_better(attempt.schedule(), name, best);
    const bool is_better = least < before;
    if (!has_choice() || attempt.num_commands() > (is_better ? kManyCommands : kFewCommands)) return least;
    const StartOrder order = attempt.sorted_by_starts();
    if (order.end_cycle >= best->cycles) return least;
    const std::string sorted_name = name + ", sorted by starts";
    if (attempt.take_order(order, Lifetimes::ByTime)) {
      least = std::min(least, keep_if_better(attempt.schedule(), sorted_name, best));
    }
    if (attempt.take_order(order, Lifetimes::ByPlace)) {
      least = std::min(least, keep_if_better(attempt.schedule(), sorted_name + ", blocks close", best));
    }
    return least;
  }

  /// Its cycles; 0 where nobody compares any.
  int64_t keep_if_better(Schedule schedule, const std::string& name, std::optional<Schedule>& best) {
    work_commands_ += static_cast<int64_t>(schedule.commands.size());
    if (has_choice()) {
      schedule.cycles = makespan_cycles(schedule, played_, times_);
      plans_.add(fmt::format("{}: {} commands", name, schedule.commands.size()), schedule.cycles);
    }
    const int64_t cycles = schedule.cycles;
    if (best && cycles >= best->cycles) return cycles;
    if (has_choice()) plans_.chosen = plans_.ways.size() - 1;
    best = std::move(schedule);
    return cycles;
  }

  static constexpr int64_t kFewCommands = 2000, kManyCommands = 8000;

  config::MachineConfig config_;  // of which the others keep references
  config::MachineConfig played_;  // the machine that there is
  const Options& options_;
  KnownTimes times_;
  Task task_;
  cost::Alternatives plans_{"memory plan"};  // what has been tried
  Machines machines_;
  int64_t work_commands_ = 0, num_attempts_ = 0;
  int64_t least_bound_cycles_ = kNever;                  // of all plans that have been carried out
  int64_t search_work_ = 0, most_search_work_ = kNever;  // of need()
  std::optional<TooMuchOutside> too_much_outside_;       // of the plan that needs least
  int64_t needed_bytes_ = 0;                             // of the last attempt in memory mode sram
  bool is_too_long_ = false;                             // that attempt
  int64_t least_bytes_ = 0;                              // what need() found; 0: nothing has been searched
  bool only_fits_ = false;                               // plans are carried out to see whether they fit
};

}  // namespace

std::optional<Schedule> try_schedule(const passes::Program& program, const ir::Graph& graph,
                                     const config::MachineConfig& config, const Options& options) {
  return Scheduler(program, graph, config, options).run();
}

Schedule make_schedule(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                       const Options& options) {
  Scheduler scheduler(program, graph, config, options);
  std::optional<Schedule> schedule = scheduler.run();
  if (schedule) return std::move(*schedule);
  const bool has_too_many_commands = scheduler.has_too_many_commands();
  throw TooLittleSram(scheduler.need(kNever).value(), has_too_many_commands);
}

std::optional<SramNeed> sram_need(const passes::Program& program, const ir::Graph& graph,
                                  const config::MachineConfig& config, const Options& options, int64_t most_work) {
  return Scheduler(program, graph, config, options).need(most_work);
}

}  // namespace vernier::schedule
