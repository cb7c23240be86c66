// SPDX-License-Identifier: Apache-2.0
// A memory plan carried out: its steps as commands in order, their blocks in SRAM, and the schedule that this makes.
#pragma once

#include "compiler/schedule/known_items.hpp"
#include "compiler/schedule/layout.hpp"
#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/memory_plan.hpp"
#include "compiler/schedule/order.hpp"
#include "compiler/schedule/place.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/schedule/staging.hpp"
#include "compiler/schedule/starts.hpp"
#include "compiler/schedule/stripes.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vernier::schedule {

/// What all attempts at one schedule share.
struct Task {
  const passes::Program& program;
  const ir::Graph& graph;
  const config::MachineConfig& config;
  const Options& options;
  Image image;
  KnownTimes& times;
  std::vector<passes::Step> steps;
  std::vector<int64_t> alone_cycles;                     // of each step
  std::vector<std::vector<cost::Alternatives>> choices;  // by step, made before there was a schedule
  std::unique_ptr<KnownItems> known_items = std::make_unique<KnownItems>();

  [[nodiscard]] bool stages_constants() const { return config.memory_mode != spec::MemoryMode::Sram; }
  [[nodiscard]] bool has_homes() const { return config.memory_mode == spec::MemoryMode::External; }
};

Task make_task(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
               const Options& options, KnownTimes& times);

/// The machine that plans are made for, perhaps with less bandwidth than it has; with the tilings of the steps where plans
/// have any, and the plans that were made, by bytes of SRAM and ends: searches of neighbouring sizes ask for the same ones.
struct PlannedFor {
  config::MachineConfig config;
  TilingsOfSteps tilings{};
  std::map<std::pair<int64_t, Ends>, std::shared_ptr<const MemoryPlan>> plans{};
};

/// What an order may use: bytes of SRAM, and how many times its own cycles a load may go ahead. Where a block finds no room,
/// less goes ahead there, and around it in a region that grows with each round; or only there.
struct Room {
  int64_t bytes = 0;
  int64_t loads_ahead = 4;
  bool region_grows = true;
};

/// When blocks live: from command to command of the stream; or also while one of the commands that use them is running by
/// its time, so that what starts meanwhile need not wait for their bytes.
enum class Lifetimes : uint8_t { ByPlace, ByTime };

class Attempt {
 public:
  /// All but the rules are kept by reference.
  Attempt(const Task& task, const MemoryPlan& plan, PlannedFor& planned_for, const StripeRules& rules);

  Attempt(const Attempt&) = delete;  // copies and sequence point into the items
  Attempt& operator=(const Attempt&) = delete;

  /// Whether it has more commands than a plan may have; then nothing else may be asked.
  [[nodiscard]] bool is_too_long() const { return num_made_ > task_.options.most_commands; }
  /// Commands that were ordered and allocated, each time: what an attempt costs of host time.
  [[nodiscard]] int64_t num_arranged() const { return num_arranged_; }
  /// Whether it made a difference to the last order which region had less going ahead.
  [[nodiscard]] bool depends_on_region() const { return num_rounds_ > 1; }
  [[nodiscard]] int64_t num_commands() const { return static_cast<int64_t>(sequence_.commands.size()); }
  /// No order takes fewer cycles: the commands of one queue run one after the other; the first of a unit waits for its
  /// loads, and the stores of the last one wait for it.
  [[nodiscard]] int64_t lower_bound_cycles() const;
  /// Orders, with at most so much alive at a time, and allocates; false when it does not fit. What lives together may not
  /// find room because of gaps between blocks: at those times less goes ahead.
  [[nodiscard]] bool fit(const Room& room);
  /// The commands of the last order, which fits, by when they would start if queues had no end and no block shared its bytes
  /// with another; each queue keeps its own order.
  [[nodiscard]] StartOrder sorted_by_starts();
  /// Allocates for that order. False, and nothing has changed, when it does not fit or is what there is already.
  [[nodiscard]] bool take_order(const StartOrder& order, Lifetimes lifetimes);
  /// The last order, and where its blocks lie: who compares two needs to play only one of them.
  struct Arrangement {
    std::vector<const LinearCommand*> commands;
    std::vector<int64_t> offsets;
    bool operator==(const Arrangement&) const = default;
  };
  [[nodiscard]] Arrangement arrangement() const;
  /// The most bytes that the last order and those taken after it needed; no number is enough where one found no room.
  [[nodiscard]] int64_t most_bytes() const { return most_bytes_; }
  /// Whether the last order fitted at once, with nothing taken away.
  [[nodiscard]] bool fits_at_once() const { return fits_at_once_; }
  /// Of SRAM that the last order needs.
  [[nodiscard]] int64_t total_bytes() const { return total_bytes_; }
  /// The commands of the last order, which fits.
  [[nodiscard]] LinkedCommands linked() const;
  /// The schedule of these, without the image, which is the same for all.
  [[nodiscard]] Schedule schedule(const LinkedCommands& linked) const;
  [[nodiscard]] Schedule schedule() const { return schedule(linked()); }

 private:
  void append_step(size_t s);
  void add_items_of_step(size_t s, Items& made) const;
  [[nodiscard]] StripeRules rules_of_step(size_t s) const;
  [[nodiscard]] std::vector<passes::Step> stripes_of_part(size_t s, const passes::Step& part,
                                                          std::vector<cost::Alternatives>* told) const;
  void add_whole_copies();
  void arrange(const OrderLimits& limits);
  int64_t lay_out(const Sequence& sequence, std::span<const int64_t> busy_until, Layout& layout) const;
  [[nodiscard]] Placing placing() const;
  bool shrink_room(std::vector<int64_t>& room, size_t reach) const;
  void describe(Schedule& schedule) const;

  const Task& task_;
  const MemoryPlan& plan_;
  PlannedFor& planned_for_;
  StripeRules rules_;
  Items made_;
  Copies copies_;
  Sequence sequence_;  // of the items' commands
  Layout layout_;
  int64_t image_bytes_ = 0, total_bytes_ = 0, most_bytes_ = 0;
  int64_t num_made_ = 0;  // commands of all items
  int64_t num_arranged_ = 0;
  bool fits_at_once_ = false;
  int num_rounds_ = 0;      // in which the last order took room away
  int64_t room_bytes_ = 0;  // of SRAM that the last order may use
};

}  // namespace vernier::schedule
