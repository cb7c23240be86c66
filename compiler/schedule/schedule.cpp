// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"

#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/memory_plan.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace vernier::schedule {
namespace {

class Scheduler {
 public:
  Scheduler(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
            const Options& options)
      : config_(config), options_(options), times_(config_), task_(make_task(program, graph, config_, options, times_)) {}

  /// None when nothing fits; enough() says what would.
  std::optional<Schedule> run() {
    set_rules();
    return task_.stages_constants() ? run_with_memory() : run_in_sram();
  }

  /// The least size that works, near what the plan of the last run() says, which did not fit: blocks may have to leave gaps
  /// between them.
  [[nodiscard]] EnoughSram enough() {
    const int64_t align_bytes = stage_align_bytes(config_.datapath), least_bytes = least_bytes_;
    int64_t too_small = base::round_up(config_.sram_bytes + 1, align_bytes) - align_bytes;
    int64_t enough = std::max(base::round_up(least_bytes, align_bytes), too_small + align_bytes);
    too_small = std::max(too_small, base::round_up(least_bytes, align_bytes) - align_bytes);
    while (!fits_in(enough)) {
      too_small = enough;
      enough += base::round_up(std::max<int64_t>(1, enough / 32), align_bytes);
    }
    while (enough - too_small > align_bytes) {
      const int64_t middle = too_small + (enough - too_small) / (2 * align_bytes) * align_bytes;
      (fits_in(middle) ? enough : too_small) = middle;
    }
    return {enough, num_attempts_};
  }

 private:
  void set_rules() {
    rules_ = {};
    if (options_.optimize == 0) {
      rules_.limits.max_stripes = 1;
    } else {
      rules_.limits.working_set_bytes = config_.sram_bytes / 4;
      rules_.choose_by_cost = true;
    }
  }

  [[nodiscard]] bool fits_in(int64_t sram_bytes) {
    config_.sram_bytes = sram_bytes;
    for (auto& [divisor, planned_for] : planned_for_) planned_for.config.sram_bytes = sram_bytes;
    tried_.clear();
    is_fit_enough_ = true;
    return run().has_value();
  }

  std::optional<Schedule> run_in_sram() {
    const MemoryPlan plan = plan_without_memory(task_.steps, task_.program);
    PlannedFor planned_for{config_, {}};
    for (const bool has_stripes : {true, false}) {
      if (!has_stripes) rules_.limits.working_set_bytes = 0;  // fewest commands, which take room themselves
      Attempt attempt(task_, plan, planned_for, rules_);
      const bool fits = attempt.fit({});
      least_bytes_ = attempt.total_bytes();
      if (!fits) continue;
      if (!has_choice()) return attempt.schedule();
      std::optional<Schedule> best;
      plans_.of = "order of the stream";
      keep_best_order(attempt, "as laid out", best);
      best->plans = plans_;
      return best;
    }
    return std::nullopt;
  }

  /// One way to plan: as if the bandwidth were a fraction of what it is. Programs of more commands than `most_commands` do
  /// without it.
  struct Way {
    Ends ends;
    int64_t bandwidth_divisor;
    size_t most_commands;
  };

  std::optional<Schedule> run_with_memory() {
    std::optional<Schedule> best;
    for (const Way& way : kWays) {
      if (try_plan(way, config_.sram_bytes, best)) return best;
    }
    // Blocks that leave gaps between them may not fit where their sum does: what was planned for a little less fits.
    for (int64_t parts = kSramParts - 1; !best && parts > 0; --parts) {
      if (try_plan(kPlainWay, config_.sram_bytes * parts / kSramParts, best)) return best;
    }
    if (!best) try_least_plans(best);
    if (!best || !has_choice()) return best;
    for (const int64_t bytes : smaller_sizes(best->commands.size() <= kFewCommands)) try_plan(kPlainWay, bytes, best);
    best->plans = plans_;
    return best;
  }

  /// At level 0, and where the question is only whether it fits, the first plan that fits is as good as any.
  [[nodiscard]] bool has_choice() const { return options_.optimize > 0 && !is_fit_enough_; }

  /// Whether the SRAM is so small that steps differ much in what they can do with it.
  [[nodiscard]] bool is_little() const { return config_.sram_bytes < 16 * least_bytes_; }

  /// Sizes below the SRAM's, largest first: of 8 to 15 times a power of two, so that what is tried for one SRAM is tried for
  /// a larger one too. From a fifth to a half of it two an
  /// octave; where there is little SRAM, those above too: all for few commands, every other one for many.
  [[nodiscard]] std::vector<int64_t> smaller_sizes(bool has_few_commands) const {
    std::vector<int64_t> sizes;
    for (int64_t power = spec::kMaxSramBytes / 8; power >= 64; power /= 2) {
      for (int64_t eighths = 15; eighths >= 8; --eighths) {
        const int64_t bytes = eighths * power;
        if (bytes >= config_.sram_bytes || bytes < least_bytes_ || 5 * bytes < config_.sram_bytes) continue;
        const bool is_far = 2 * bytes <= config_.sram_bytes;
        const int64_t divisor = is_far ? 4 : has_few_commands ? 1 : 2;
        if (eighths % divisor == 0 && (is_far || is_little())) sizes.push_back(bytes);
      }
    }
    return sizes;
  }

  /// Plans for the least bytes, and for a little more each. What fits in some SRAM then fits in more of it.
  void try_least_plans(std::optional<Schedule>& best) {
    constexpr int64_t kMost = 64;
    const int64_t step = stage_align_bytes(config_.datapath), least = base::round_up(least_bytes_, step);
    for (int64_t bytes = least; !best && bytes <= std::min(config_.sram_bytes, least + kMost * step); bytes += step) {
      try_plan(kPlainWay, bytes, best);
    }
  }

  /// `best` becomes the schedule of this way, planned for so many bytes of SRAM, if it is better. True when there is nothing
  /// to choose.
  bool try_plan(const Way& way, int64_t wanted_bytes, std::optional<Schedule>& best) {
    const int64_t step = stage_align_bytes(config_.datapath), planned_bytes = wanted_bytes / step * step;
    if (best && best->commands.size() > way.most_commands) return false;
    PlannedFor& planned_for = planned_for_bandwidth(way.bandwidth_divisor);
    if (options_.optimize > 0) rules_.limits.working_set_bytes = planned_bytes / 4;
    const MemoryPlan plan =
        plan_memory(task_.steps, planned_for.tilings, task_.program, planned_for.config, planned_bytes, way.ends);
    least_bytes_ = plan.least_bytes;
    const bool is_known = std::any_of(tried_.begin(), tried_.end(), [&](const Tried& tried) {
      return tried.bandwidth_divisor == way.bandwidth_divisor && plan.is_equal(tried.plan);
    });
    const bool has_smaller_room = has_choice() && is_little() && planned_bytes < config_.sram_bytes;
    if (!plan.fits || (is_known && !has_smaller_room) || is_hopeless(plan, best)) return false;
    if (is_fit_enough_ && is_refused(plan, way.bandwidth_divisor)) return false;
    tried_.push_back({plan, way.bandwidth_divisor});
    Attempt attempt(task_, plan, planned_for, rules_);
    ++num_attempts_;
    bool has_fitted = false;
    for (const Room& room : rooms(way, planned_bytes, is_known)) {
      if (!attempt.fit(room)) continue;
      has_fitted = true;
      if (!has_choice()) {
        best = is_fit_enough_ ? Schedule() : attempt.schedule();
        return true;
      }
      const std::string name =
          fmt::format("for {} B of SRAM, order for {} B, loads ahead {}, {} parts, bandwidth / {}", planned_bytes,
                      room.bytes, room.loads_ahead, way.ends == Ends::Exposed ? "smaller" : "larger", way.bandwidth_divisor);
      if (keep_best_order(attempt, name, best)) best_parts_ = num_parts(plan);
    }
    if (!has_fitted) refused_.push_back({{plan, way.bandwidth_divisor}, attempt.total_bytes()});
    return false;
  }

  /// Whether a plan that is carried out alike needed more than there is now, in this SRAM or in a smaller one.
  [[nodiscard]] bool is_refused(const MemoryPlan& plan, int64_t bandwidth_divisor) const {
    return std::any_of(refused_.begin(), refused_.end(), [&](const Refused& refused) {
      return refused.needed_bytes > config_.sram_bytes && refused.tried.bandwidth_divisor == bandwidth_divisor &&
             plan.is_equal(refused.tried.plan);
    });
  }

  PlannedFor& planned_for_bandwidth(int64_t divisor) {
    const auto [found, is_new] = planned_for_.try_emplace(divisor);
    PlannedFor& machine = found->second;
    if (is_new) {
      machine.config = config_;
      machine.config.external.bytes_per_cycle = std::max<int64_t>(1, config_.external.bytes_per_cycle / divisor);
      machine.tilings = make_tilings(task_.steps, machine.config, times_);
    }
    return machine;
  }

  /// With no more room than a smaller SRAM has, the order is the one that it would have there: sometimes the better one. And
  /// loads that go far ahead fill the queue in front of the port, behind which the next stripe's wait.
  [[nodiscard]] std::vector<Room> rooms(const Way& way, int64_t planned_bytes, bool is_known) const {
    std::vector<Room> rooms;
    if (!is_known) rooms.push_back({config_.sram_bytes});
    if (!has_choice()) return rooms;
    if (planned_bytes < config_.sram_bytes && is_little()) rooms.push_back({planned_bytes});
    if (planned_bytes == config_.sram_bytes && way.ends == Ends::Exposed && way.bandwidth_divisor == 1) {
      rooms.push_back({config_.sram_bytes, 2});
      rooms.push_back({config_.sram_bytes, 1});
    }
    return rooms;
  }

  /// `best` becomes what has been attempted, if it is better, as ordered or with its commands sorted by their starts. Few
  /// commands are sorted always, so that what is tried for one SRAM is tried for a larger one too; many where they are the
  /// best as ordered.
  bool keep_best_order(Attempt& attempt, const std::string& name, std::optional<Schedule>& best) {
    Schedule ordered = attempt.schedule();
    const size_t num_commands = ordered.commands.size();
    bool is_better = keep_if_better(std::move(ordered), name, best);
    if (num_commands > (is_better ? kManyCommands : kFewCommands)) return is_better;
    const StartOrder order = attempt.sorted_by_starts();
    if (order.end_cycle >= best->cycles) return is_better;
    const std::string sorted_name = name + ", sorted by starts";
    if (attempt.take_order(order, Lifetimes::ByTime)) {
      is_better = keep_if_better(attempt.schedule(), sorted_name, best) || is_better;
    }
    if (attempt.take_order(order, Lifetimes::ByPlace)) {
      is_better = keep_if_better(attempt.schedule(), sorted_name + ", blocks close", best) || is_better;
    }
    return is_better;
  }

  bool keep_if_better(Schedule schedule, const std::string& name, std::optional<Schedule>& best) {
    schedule.cycles = makespan_cycles(schedule, config_, times_);
    plans_.add(fmt::format("{}: {} commands", name, schedule.commands.size()), schedule.cycles);
    if (best && schedule.cycles >= best->cycles) return false;
    plans_.chosen = plans_.ways.size() - 1;
    best = std::move(schedule);
    return true;
  }

  /// A plan's cost counts its steps one after the other: what overlaps is not near so much. Nor do many times as many
  /// commands gain anything.
  [[nodiscard]] bool is_hopeless(const MemoryPlan& plan, const std::optional<Schedule>& best) const {
    constexpr int64_t kFew = 500;
    return best && (plan.cost_cycles > 3 * best->cycles || num_parts(plan) > 2 * best_parts_ + kFew);
  }

  static int64_t num_parts(const MemoryPlan& plan) {
    int64_t parts = 0;
    for (const Tiling& tiling : plan.tilings) parts += tiling.num_parts;
    return parts;
  }

  /// A plan that does with less bandwidth may be the better one, and then is with more of it too.
  static constexpr int64_t kSramParts = 16;
  static constexpr size_t kFewCommands = 2000, kManyCommands = 8000;
  static constexpr Way kPlainWay{Ends::Exposed, 1, kManyCommands};
  static constexpr std::array<Way, 4> kWays{
      {kPlainWay, {Ends::Hidden, 1, kManyCommands}, {Ends::Exposed, 2, kFewCommands}, {Ends::Hidden, 2, kFewCommands}}};
  struct Tried {
    MemoryPlan plan;
    int64_t bandwidth_divisor;
  };

  struct Refused {
    Tried tried;
    int64_t needed_bytes;  // of SRAM, with nothing that goes ahead
  };

  config::MachineConfig config_;  // of which the others keep references
  const Options& options_;
  KnownTimes times_;
  Task task_;
  StripeRules rules_;
  bool is_fit_enough_ = false;  // nobody asks for the schedule itself
  int64_t least_bytes_ = 0;
  cost::Alternatives plans_{"memory plan"};    // what has been tried
  int64_t best_parts_ = 0;                     // of the best schedule's plan
  std::map<int64_t, PlannedFor> planned_for_;  // by bandwidth divisor
  std::vector<Tried> tried_;
  std::vector<Refused> refused_;  // whatever the SRAM was
  int64_t num_attempts_ = 0;
};

}  // namespace

std::optional<Schedule> try_schedule(const passes::Program& program, const ir::Graph& graph,
                                     const config::MachineConfig& config, const Options& options) {
  return Scheduler(program, graph, config, options).run();
}

EnoughSram enough_sram(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                       const Options& options) {
  Scheduler scheduler(program, graph, config, options);
  VERNIER_CHECK(!scheduler.run(), "the program fits {} B of SRAM", config.sram_bytes);
  return scheduler.enough();
}

Schedule make_schedule(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                       const Options& options, const std::string& file) {
  Scheduler scheduler(program, graph, config, options);
  std::optional<Schedule> schedule = scheduler.run();
  if (schedule) return std::move(*schedule);
  const int64_t enough_bytes = scheduler.enough().bytes;
  constexpr std::array<std::string_view, 3> kWhat{"feature maps, weights and commands", "feature maps and weights",
                                                  "parts of feature maps and weights"};
  const auto mode = static_cast<size_t>(config.memory_mode);
  throw base::UserError(file, "needs {} of SRAM with {} in memory mode '{}', the configuration '{}' has {}",
                        base::bytes_text(enough_bytes), kWhat[mode], spec::kMemoryModeNames[mode], config.name,
                        base::bytes_text(config.sram_bytes));
}

}  // namespace vernier::schedule
