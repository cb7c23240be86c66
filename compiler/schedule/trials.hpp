// SPDX-License-Identifier: Apache-2.0
// Memory plans carried out, one after the other: each is ordered and allocated in several ways, and the schedule of fewest
// cycles is kept. What that costs of host time is counted in commands, so that whoever tries plans knows when to stop.
#pragma once

#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/candidates.hpp"
#include "compiler/schedule/too_much_outside.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::schedule {

/// More commands than any schedule, cycles or work has.
inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class Trials {
 public:
  /// A plan of more commands is carried out in few ways.
  static constexpr int64_t kManyCommands = 8000;

  /// The graph, the program and the options are to outlive it.
  Trials(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
         const Options& options);
  Trials(const Trials&) = delete;  // the task refers to the machine
  Trials& operator=(const Trials&) = delete;

  [[nodiscard]] const config::MachineConfig& config() const { return config_; }
  /// From here on plans are carried out in so much SRAM; returns what it was before.
  int64_t set_sram_bytes(int64_t bytes);
  /// The same, and what was found before decides about no plan from here on, so that the search finds what it would find on
  /// a machine with so much SRAM. The best schedule of all searches stays.
  void begin_search(int64_t sram_bytes);
  /// The least cycles that the search has come to; none before it has a schedule.
  [[nodiscard]] std::optional<int64_t> best_of_search() const {
    return search_.best_cycles == kNever ? std::nullopt : std::optional(search_.best_cycles);
  }
  [[nodiscard]] bool has_choice() const { return options_.optimize > 0; }
  [[nodiscard]] int64_t step_bytes() const { return stage_align_bytes(config_.datapath); }
  /// How a plan for so much SRAM may be cut into stripes.
  [[nodiscard]] StripeRules rules(int64_t sram_bytes) const;

  Task& task() { return task_; }
  Machines& machines();
  /// What has been tried, and what was chosen of it.
  cost::Alternatives& plans() { return plans_; }
  std::optional<Schedule>& best() { return best_; }
  /// The best schedule and what it was chosen from. What is tried after take_best() competes without it; put_best() forgets
  /// that.
  struct Best {
    std::optional<Schedule> schedule;
    cost::Alternatives plans;
  };
  Best take_best() {
    search_.best_cycles = kNever;
    return {std::exchange(best_, std::nullopt), plans_};
  }
  void put_best(Best best) {
    best_ = std::move(best.schedule);
    if (best_) search_.best_cycles = best_->cycles;
    plans_ = std::move(best.plans);
  }

  /// Orders the plan in rooms of so many bytes, the largest first, without any in all of the SRAM and in what the plan is
  /// made for: with no more room than that the order is that of a smaller SRAM, sometimes the better one. And loads that go
  /// far ahead fill the queue in front of the port, where the loads of the next stripe wait after them. Returns the cycles
  /// of the best order, or what no order can be below, where that is not below the best schedule; none where nothing fits.
  std::optional<int64_t> carry_out(const Candidate& candidate, const std::vector<int64_t>& rooms = {});
  /// Whether the SRAM has room for the plan.
  bool fits(const Candidate& candidate);
  /// Cycles of an attempt as it is ordered, and of the best of its orders; 0 where nobody compares any. `unsorted_end` is
  /// where its commands, sorted by their starts, would have ended: too late to try that; kNever where it was tried or
  /// nobody asked.
  struct OrderCycles {
    int64_t plain = 0, least = 0, unsorted_end = kNever;
  };
  /// Keeps the attempt, which fits, if it is better than the best, as ordered or with its commands sorted by their starts:
  /// few commands always, many where they are the best as ordered.
  OrderCycles keep_best_order(Attempt& attempt, const std::string& name);
  /// Plays the best schedule with fewer commands that may wait in a queue, and keeps that where it saves a hundredth. It
  /// can save cycles because the stream is fetched from the memory that the first loads use.
  void try_shorter_queues();
  /// Counts an attempt that others make.
  void count(const Attempt& attempt);

  /// Commands that were made, arranged and played.
  [[nodiscard]] int64_t work_commands() const { return work_commands_; }
  /// The same without those that were played.
  [[nodiscard]] int64_t arranged_commands() const { return arranged_commands_; }
  [[nodiscard]] int64_t num_attempts() const { return num_attempts_; }
  /// No plan that the search has carried out, however it is ordered, could take fewer cycles.
  [[nodiscard]] int64_t least_bound_cycles() const { return search_.least_bound_cycles; }
  /// Where plans needed too much external memory: what the one that needs least says.
  [[nodiscard]] const std::optional<TooMuchOutside>& too_much_outside() const { return too_much_outside_; }

 private:
  class LazyAttempt;
  /// An order that fitted, and what became of it.
  struct Ordered {
    int64_t room_bytes = 0, needed_bytes = 0, cycles = 0;
    int64_t plain_cycles = 0;             // before its commands were sorted by their starts
    int64_t most_bytes = 0;               // that it needed, however its commands were sorted
    int64_t work_commands = 0;            // that it took to keep the best of it
    int64_t unsorted_end_cycle = kNever;  // OrderCycles::unsorted_end
    bool fits_at_once = false, depends_on_region = false;
    /// Sorted by their starts its commands may be better than the best, and nobody has tried that.
    [[nodiscard]] bool is_worth_sorting(int64_t best_cycles) const { return unsorted_end_cycle < best_cycles; }
    /// In such a room the commands could be sorted in the same ways.
    [[nodiscard]] bool is_as_good_in(int64_t bytes) const {
      return bytes == room_bytes || (bytes < room_bytes && bytes >= most_bytes);
    }
    /// In such a room all would be the same.
    [[nodiscard]] bool is_known_in(int64_t bytes) const {
      return bytes == room_bytes || (fits_at_once && is_as_good_in(bytes));
    }
  };
  using Played = std::vector<std::pair<Attempt::Arrangement, Ordered>>;  // of one plan
  struct Tried {
    std::optional<Ordered> order;  // none: it does not fit
    bool is_new = false;           // nothing was known of it
  };

  std::optional<int64_t> carry_out_inside(const Candidate& candidate, const std::vector<int64_t>& rooms);
  Tried order_in(const Room& room, const Candidate& candidate, LazyAttempt& lazy, Played& played);
  bool fits(Attempt& attempt, const Room& room);
  [[nodiscard]] int64_t most_bytes(const Candidate& candidate) const;
  /// Whether external memory has room for the maps of the plan; where not, that is kept.
  bool has_room_outside(const Candidate& candidate);
  void count_made(const Candidate& candidate);
  int64_t keep_if_better(const Attempt& attempt, const std::string& name);
  int64_t least_cycles_of_deep_queues(LinkedCommands& linked);
  [[nodiscard]] bool has_shorter_queues() const;
  [[nodiscard]] bool is_played_with_short_queues(const LinkedCommands& linked) const;
  void see_cycles(int64_t cycles);

  config::MachineConfig config_;  // of which the others keep references
  config::MachineConfig played_;  // the machine that there is
  const Options& options_;
  KnownTimes times_;
  Task task_;
  Machines machines_;
  cost::Alternatives plans_{"memory plan"};
  std::map<std::string, std::vector<Ordered>> ordered_;  // by plan and rules of the order: none is made twice
  std::map<std::string, int64_t> bounds_;                // by plan: no order takes fewer cycles
  std::optional<Schedule> best_;
  std::optional<TooMuchOutside> too_much_outside_;
  int64_t work_commands_ = 0, arranged_commands_ = 0, num_attempts_ = 0;
  /// What the search has come to.
  struct Search {
    int64_t best_cycles = kNever, least_bound_cycles = kNever;
    int64_t least_plain_cycles = kNever;  // of plans as they were ordered first
  } search_;
};

}  // namespace vernier::schedule
