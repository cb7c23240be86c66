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
  std::optional<int64_t> carry_out_inside(const Candidate& candidate, const std::vector<int64_t>& rooms);
  bool fits(Attempt& attempt, const Room& room);
  [[nodiscard]] int64_t most_bytes(const Candidate& candidate) const;
  /// Whether external memory has room for the maps of the plan; where not, that is kept.
  bool has_room_outside(const Candidate& candidate);
  void count_made(const Candidate& candidate);
  int64_t keep_if_better(const Attempt& attempt, const std::string& name);

  config::MachineConfig config_;  // of which the others keep references
  config::MachineConfig played_;  // the machine that there is
  const Options& options_;
  KnownTimes times_;
  Task task_;
  Machines machines_;
  cost::Alternatives plans_{"memory plan"};
  struct Ordered {
    int64_t total_bytes, cycles;
  };
  std::map<std::string, Ordered> ordered_;  // orders that fitted, by their names: none is made twice
  std::optional<Schedule> best_;
  std::optional<TooMuchOutside> too_much_outside_;
  int64_t work_commands_ = 0, arranged_commands_ = 0, num_attempts_ = 0;
  int64_t least_bound_cycles_ = kNever;
};

}  // namespace vernier::schedule
