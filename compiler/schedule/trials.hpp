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
  Best take_best() { return {std::exchange(best_, std::nullopt), plans_}; }
  void put_best(Best best) {
    best_ = std::move(best.schedule);
    plans_ = std::move(best.plans);
  }

  /// Orders the plan in rooms of so many bytes, the largest first, without any in all of the SRAM and in what the plan is
  /// made for: with no more room than that the order is that of a smaller SRAM, sometimes the better one. And loads that go
  /// far ahead fill the queue in front of the port, where the loads of the next stripe wait after them. Returns the cycles
  /// of the best order, or what no order can be below, where that is not below the best schedule; none where nothing fits.
  std::optional<int64_t> carry_out(const Candidate& candidate, const std::vector<int64_t>& rooms = {});
  /// Whether the SRAM has room for the plan.
  bool fits(const Candidate& candidate);
  /// Keeps the attempt, which fits, if it is better than the best, as ordered or with its commands sorted by their starts:
  /// few commands always, many where they are the best as ordered. Returns the least cycles; 0 where nobody compares any.
  int64_t keep_best_order(Attempt& attempt, const std::string& name);
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
  /// No plan that has been carried out, however it is ordered, could take fewer cycles.
  [[nodiscard]] int64_t least_bound_cycles() const { return least_bound_cycles_; }
  /// Where plans needed too much external memory: what the one that needs least says.
  [[nodiscard]] const std::optional<TooMuchOutside>& too_much_outside() const { return too_much_outside_; }

 private:
  class LazyAttempt;
  /// An order that fitted, and what became of it.
  struct Ordered {
    int64_t room_bytes = 0, needed_bytes = 0, cycles = 0;
    int64_t most_bytes = 0;     // that it needed, however its commands were sorted
    int64_t work_commands = 0;  // that it took to keep the best of it
    bool fits_at_once = false;
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
  int64_t least_bound_cycles_ = kNever;
};

}  // namespace vernier::schedule
