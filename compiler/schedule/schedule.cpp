// SPDX-License-Identifier: Apache-2.0
// Long because: one class tries the plans and keeps what they share.
#include "compiler/schedule/schedule.hpp"

#include "compiler/schedule/allocator.hpp"
#include "compiler/schedule/layout.hpp"
#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/memory_plan.hpp"
#include "compiler/schedule/order.hpp"
#include "compiler/schedule/place.hpp"
#include "compiler/schedule/staging.hpp"
#include "compiler/schedule/stripes.hpp"
#include "compiler/schedule/tiling_choice.hpp"
#include "compiler/schedule/tokens.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/registers.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

namespace vernier::schedule {
namespace {

int64_t encoded_bytes(const std::vector<LinearCommand*>& commands) {
  int64_t units = spec::length_units(spec::EndCommand{});
  for (const LinearCommand* command : commands) {
    units += std::visit([](const auto& body) { return spec::length_units(body); }, command->step.command.body);
  }
  return units * spec::kCommandUnitBytes;
}

/// Every command waits for the one before: nothing overlaps.
void chain_tokens(std::vector<spec::Command>& commands) {
  for (size_t i = 0; i < commands.size(); ++i) {
    commands[i].header.wait = i == 0 ? uint8_t{0} : spec::queue_bit(commands[i - 1].header.queue);
    commands[i].header.signal = i + 1 == commands.size() ? uint8_t{0} : spec::queue_bit(commands[i + 1].header.queue);
  }
}

void link(Schedule& schedule, const config::MachineConfig& config, const Options& options) {
  std::vector<spec::Command> commands;
  std::vector<std::vector<package::Range>> ranges;
  for (const passes::Step& step : schedule.commands) {
    commands.push_back(step.command);
    ranges.push_back(package::ranges_of(step.command, config.datapath));
  }
  if (options.optimize == 0) {
    chain_tokens(commands);
  } else {
    insert_tokens(commands, ranges);
  }
  for (size_t i = 0; i < commands.size(); ++i) schedule.commands[i].command.header = commands[i].header;
}

/// A memory plan carried out: commands in order, and their blocks in SRAM.
struct Attempt {
  std::vector<Item> items;
  std::vector<Stage> stages;
  Sequence sequence;  // of the items' commands
  Layout layout;
  int64_t image_bytes = 0;
  int64_t total_bytes = 0;
};

class Scheduler {
 public:
  Scheduler(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
            const Options& options)
      : program_(program),
        graph_(graph),
        config_(config),
        options_(options),
        image_(make_image(program)),
        steps_(steps_with_fills(program, options.optimize > 0)) {
    for (passes::Step& step : steps_) choices_.push_back(std::exchange(step.choices, {}));  // parts need not carry them
    if (options.optimize == 0) {
      rules_.limits.max_stripes = 1;
    } else {
      rules_.limits.working_set_bytes = config.sram_bytes / 4;
      rules_.choose_by_cost = true;
    }
  }

  /// None when nothing fits; least_bytes() says what would.
  std::optional<Schedule> run() { return stages_constants() ? run_with_memory() : run_in_sram(); }
  [[nodiscard]] int64_t least_bytes() const { return least_bytes_; }
  [[nodiscard]] bool fits() {
    is_fit_enough_ = true;
    return run().has_value();
  }

 private:
  [[nodiscard]] bool stages_constants() const { return config_.memory_mode != spec::MemoryMode::Sram; }
  [[nodiscard]] bool has_homes() const { return config_.memory_mode == spec::MemoryMode::External; }

  std::optional<Schedule> run_in_sram() {
    planned_for_ = config_;
    const MemoryPlan plan = plan_without_memory(steps_, program_);
    for (const bool has_stripes : {true, false}) {
      if (!has_stripes) rules_.limits.working_set_bytes = 0;  // fewest commands, which take room themselves
      Attempt attempt = make_items(plan);
      const Copies copies = find_copies(attempt.items, attempt.stages, program_, planned_for_);
      const bool fits = carry_out(attempt, copies, plan, {0});
      least_bytes_ = attempt.total_bytes;
      if (fits) return finish(attempt, plan);
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
    plans_.choose_cheapest();
    best->plans = plans_;
    return best;
  }

  /// At level 0, and where the question is only whether it fits, the first plan that fits is as good as any.
  [[nodiscard]] bool has_choice() const { return options_.optimize > 0 && !is_fit_enough_; }

  /// Whether the SRAM is so small that steps differ much in what they can do with it.
  [[nodiscard]] bool is_little() const { return config_.sram_bytes < 16 * least_bytes_; }

  /// Sizes below the SRAM's, largest first: of 8 to 15 times a power of two, so that what is tried for one SRAM is tried for
  /// a larger one too. Half and a quarter, and where there is little SRAM, those between: all for few commands.
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
    planned_for_ = config_;
    planned_for_.external.bytes_per_cycle = std::max<int64_t>(1, config_.external.bytes_per_cycle / way.bandwidth_divisor);
    if (options_.optimize > 0) rules_.limits.working_set_bytes = planned_bytes / 4;
    const MemoryPlan plan = plan_memory(steps_, program_, planned_for_, planned_bytes, way.ends);
    least_bytes_ = plan.least_bytes;
    const bool is_known = std::any_of(tried_.begin(), tried_.end(), [&](const Tried& tried) {
      return tried.bandwidth_divisor == way.bandwidth_divisor && plan.is_equal(tried.plan);
    });
    const bool has_smaller_room = has_choice() && is_little() && planned_bytes < config_.sram_bytes;
    if (!plan.fits || (is_known && !has_smaller_room) || is_hopeless(plan, best)) return false;
    tried_.push_back({plan, way.bandwidth_divisor});
    Attempt attempt = make_items(plan);
    const Copies copies = find_copies(attempt.items, attempt.stages, program_, planned_for_);
    for (const Room& room : rooms(way, planned_bytes, is_known)) {
      if (!carry_out(attempt, copies, plan, room)) continue;
      if (!has_choice()) {
        best = is_fit_enough_ ? Schedule() : finish(attempt, plan);
        return true;
      }
      const std::string name =
          fmt::format("for {} B of SRAM, order for {} B, loads ahead {}, {} parts, bandwidth / {}", planned_bytes,
                      room.bytes, room.loads_ahead, way.ends == Ends::Exposed ? "smaller" : "larger", way.bandwidth_divisor);
      if (keep_if_better(finish(attempt, plan), name, best)) best_parts_ = num_parts(plan);
    }
    return false;
  }

  /// What an order may use.
  struct Room {
    int64_t bytes;
    int64_t loads_ahead = 4;
  };

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

  bool keep_if_better(Schedule schedule, const std::string& name, std::optional<Schedule>& best) {
    schedule.cycles = makespan_cycles(schedule, config_);
    plans_.add(fmt::format("{}: {} commands", name, schedule.commands.size()), schedule.cycles);
    if (best && schedule.cycles >= best->cycles) return false;
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

  Attempt make_items(const MemoryPlan& plan) const {
    Attempt attempt;
    for (size_t s = 0; s < steps_.size(); ++s) {
      std::deque<KnownStripes> known;
      const auto stripes = [&](const passes::Step& part) { return known_stripes_of_part(known, plan, s, part); };
      append_items(attempt.items, attempt.stages, steps_[s], plan.tilings[s], plan.at_home[s],
                   {program_, graph_, image_, config_, stripes});
    }
    add_whole_copies(attempt.items, plan);
    measure(attempt.items, program_, planned_for_);
    return attempt;
  }

  /// Orders, with at most so many bytes alive at a time, and allocates; false when it does not fit. What lives together may
  /// not find room because of gaps between blocks: at those times less goes ahead.
  bool carry_out(Attempt& attempt, const Copies& copies, const MemoryPlan& plan, const Room& most) const {
    constexpr int kTries = 40;
    if (stages_constants()) {
      attempt.total_bytes = copies.least_bytes();
      if (attempt.total_bytes > base::round_up(config_.sram_bytes, stage_align_bytes(config_.datapath))) return false;
    }
    OrderLimits limits{std::vector<int64_t>(attempt.items.size() + 1, options_.optimize == 0 ? 0 : most.bytes),
                       most.loads_ahead};
    for (int i = 0; i < kTries; ++i) {
      arrange(attempt, copies, plan, limits);
      if (attempt.total_bytes <= config_.sram_bytes) return true;
      if (!shrink_room(attempt, limits.room_bytes)) break;
    }
    std::fill(limits.room_bytes.begin(), limits.room_bytes.end(), 0);
    arrange(attempt, copies, plan, limits);
    return attempt.total_bytes <= config_.sram_bytes;
  }

  void arrange(Attempt& attempt, const Copies& copies, const MemoryPlan& plan, const OrderLimits& limits) const {
    attempt.sequence = order(attempt.items, copies, planned_for_, limits);
    attempt.image_bytes = image_.stream_offset_bytes + encoded_bytes(attempt.sequence.commands);
    attempt.layout = make_layout(program_, attempt.sequence, attempt.stages, plan.is_outside,
                                 stages_constants() ? 0 : attempt.image_bytes, has_homes());
    attempt.total_bytes = allocate(attempt.layout.blocks, stage_align_bytes(config_.datapath));
  }

  /// Where a block found no place; false when there is no room left to take away.
  bool shrink_room(const Attempt& attempt, std::vector<int64_t>& room) const {
    constexpr int64_t kParts = 12;
    std::vector<bool> is_tight(room.size(), false);
    const auto end = static_cast<int64_t>(attempt.sequence.commands.size());
    for (const Block& block : attempt.layout.blocks) {
      if (block.offset + block.size_bytes <= config_.sram_bytes) continue;
      for (int64_t c = std::max<int64_t>(0, block.first); c <= std::min(block.last, end - 1); ++c) {
        is_tight[attempt.sequence.item[static_cast<size_t>(c)]] = true;
      }
    }
    bool is_changed = false;
    for (size_t i = 0; i < room.size(); ++i) {
      if (!is_tight[i] || room[i] == 0) continue;
      room[i] = std::max<int64_t>(0, room[i] - config_.sram_bytes / kParts);
      is_changed = true;
    }
    return is_changed;
  }

  /// The stripes of a part, by its command.
  struct KnownStripes {
    spec::Command command;
    std::vector<passes::Step> stripes;
  };

  /// Most parts of a step are the same command on another part of the maps: what is chosen for one holds for all.
  [[nodiscard]] std::vector<passes::Step> known_stripes_of_part(std::deque<KnownStripes>& known, const MemoryPlan& plan,
                                                                size_t s, const passes::Step& part) const {
    constexpr size_t kMost = 16;
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const KnownStripes& other) { return other.command == part.command; });
    if (same == known.end()) {
      if (known.size() == kMost) known.pop_back();
      known.push_front({part.command, stripes_of_part(plan, s, part, nullptr)});
      return known.front().stripes;
    }
    if (same->stripes.size() != 1) return stripes_of_part(plan, s, part, nullptr);
    passes::Step only = part;
    only.command = same->stripes.front().command;
    return {only};
  }

  /// Steps whose feature maps stay in SRAM have stripes for overlap; the parts of others are stripes already.
  [[nodiscard]] std::vector<passes::Step> stripes_of_part(const MemoryPlan& plan, size_t s, const passes::Step& part,
                                                          std::vector<cost::Alternatives>* told) const {
    StripeRules rules = rules_;
    for (size_t i = 0; i < steps_[s].operands.size(); ++i) {
      const bool is_constant = program_.buffers[static_cast<size_t>(steps_[s].operands[i].buffer)].is_constant();
      if (!is_constant && plan.tilings[s].level[i] >= 0) rules.limits.max_stripes = 1;
    }
    for (const Cut& cut : plan.tilings[s].cuts) {
      if (cut.axis == kReduction) return {part};
      if (cut.axis != kChannels) rules.limits.max_stripes = 1;
    }
    if (rules.limits.max_stripes == 1) rules.limits.working_set_bytes = 0;
    return stripes_of(part, config_, rules, std::min(rules.limits.max_stripes, least_stripes(steps_, s, rules_)), told);
  }

  /// Buffers that stay in SRAM and have a home: loaded before their first use, stored after their last.
  void add_whole_copies(std::vector<Item>& items, const MemoryPlan& plan) const {
    std::vector<int64_t> last(program_.buffers.size(), -1);
    std::vector<bool> is_loaded(program_.buffers.size(), false);
    const auto in_place = [&](const LinearCommand& command, const passes::Operand& operand) {
      return std::none_of(command.uses.begin(), command.uses.end(), [&](const StageUse& use) {
        return use.field == operand.field && use.stream_idx == operand.stream_idx;
      });
    };
    for (size_t i = 0; i < items.size(); ++i) {
      const passes::Step& step = items[i].command.step;
      for (const passes::Operand& operand : step.operands) {
        const auto id = static_cast<size_t>(operand.buffer);
        const passes::Buffer& buffer = program_.buffers[id];
        if (plan.is_outside[id] || !in_place(items[i].command, operand)) continue;
        last[id] = static_cast<int64_t>(i);
        const bool has_value = (has_homes() && buffer.is_filled_at_start) || (stages_constants() && buffer.is_constant());
        if (has_value && !is_loaded[id]) {
          items[i].loads.push_back(whole_copy(program_, operand.buffer, true, step.ops));
          is_loaded[id] = true;
        }
      }
    }
    for (size_t id = 0; id < last.size() && has_homes(); ++id) {
      if (!program_.buffers[id].is_read_at_end || last[id] < 0) continue;
      Item& item = items[static_cast<size_t>(last[id])];
      item.stores.push_back(whole_copy(program_, static_cast<passes::BufferId>(id), false, item.command.step.ops));
    }
  }

  [[nodiscard]] Schedule finish(const Attempt& attempt, const MemoryPlan& plan) const {
    Schedule schedule;
    schedule.image = image_;
    schedule.image.bytes.resize(static_cast<size_t>(attempt.image_bytes));
    const int32_t image_block = attempt.layout.image_block;
    schedule.image_address = {base::MemorySpace::External, 0};
    if (image_block >= 0) {
      schedule.image_address = {base::MemorySpace::Sram,
                                static_cast<uint64_t>(attempt.layout.blocks[static_cast<size_t>(image_block)].offset)};
    }
    schedule.sram_peak_bytes = attempt.total_bytes;
    for (size_t id = 0; id < plan.is_outside.size(); ++id) {
      if (plan.is_outside[id] && !program_.buffers[id].is_constant()) ++schedule.num_outside;
    }
    describe(schedule, plan);
    place(schedule, program_, graph_, attempt.sequence, attempt.layout, plan.is_outside, has_homes());
    link(schedule, config_, options_);
    return schedule;
  }

  /// The choices for each step; asked once more, so that a schedule that nobody prints pays nothing for them.
  void describe(Schedule& schedule, const MemoryPlan& plan) const {
    if (!options_.explain) return;
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].ops.empty()) continue;  // a graph without operators
      const ir::Operator& op = graph_.operators[static_cast<size_t>(steps_[s].ops.front())];
      StepChoices step{fmt::format("{} {}", ir::to_string(op.kind), graph_.tensor(op.outputs.front()).name), choices_[s]};
      if (!op.location.empty()) step.step += fmt::format(" of layer '{}'", op.location);
      if (stages_constants()) {
        step.choices.push_back(
            alternatives_to(plan.tilings[s], steps_[s], planned_for_, plan.budget_bytes[s], plan.ends[s]));
      }
      const passes::Step part = largest_part(steps_[s], plan.tilings[s].cuts, config_.datapath);
      if (options_.optimize > 0) (void)stripes_of_part(plan, s, part, &step.choices);
      std::erase_if(step.choices, [](const cost::Alternatives& choice) { return !cost::is_choice(choice); });
      if (!step.choices.empty()) schedule.choices.push_back(std::move(step));
    }
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

  const passes::Program& program_;
  const ir::Graph& graph_;
  const config::MachineConfig& config_;
  const Options& options_;
  Image image_;
  std::vector<passes::Step> steps_;
  StripeRules rules_;
  bool is_fit_enough_ = false;  // nobody asks for the schedule itself
  int64_t least_bytes_ = 0;
  std::vector<std::vector<cost::Alternatives>> choices_;  // by step, made before the schedule
  cost::Alternatives plans_{"memory plan"};               // what has been tried
  int64_t best_parts_ = 0;                                // of the best schedule's plan
  std::vector<Tried> tried_;
  config::MachineConfig planned_for_;  // config_, perhaps with less bandwidth
};

/// The least size that works, near what the plan says: blocks may have to leave gaps between them.
int64_t enough_sram(const passes::Program& program, const ir::Graph& graph, config::MachineConfig config,
                    const Options& options, int64_t least_bytes) {
  const int64_t align_bytes = stage_align_bytes(config.datapath);
  const auto works = [&](int64_t bytes) {
    config.sram_bytes = bytes;
    return Scheduler(program, graph, config, options).fits();
  };
  int64_t too_small = base::round_up(config.sram_bytes + 1, align_bytes) - align_bytes;
  int64_t enough = std::max(base::round_up(least_bytes, align_bytes), too_small + align_bytes);
  too_small = std::max(too_small, base::round_up(least_bytes, align_bytes) - align_bytes);
  while (!works(enough)) {
    too_small = enough;
    enough += base::round_up(std::max<int64_t>(1, enough / 32), align_bytes);
  }
  while (enough - too_small > align_bytes) {
    const int64_t middle = too_small + (enough - too_small) / (2 * align_bytes) * align_bytes;
    (works(middle) ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace

Schedule make_schedule(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                       const Options& options, const std::string& file) {
  Scheduler scheduler(program, graph, config, options);
  std::optional<Schedule> schedule = scheduler.run();
  if (schedule) return std::move(*schedule);
  const int64_t enough_bytes = enough_sram(program, graph, config, options, scheduler.least_bytes());
  constexpr std::array<std::string_view, 3> kWhat{"feature maps, weights and commands", "feature maps and weights",
                                                  "parts of feature maps and weights"};
  const auto mode = static_cast<size_t>(config.memory_mode);
  throw base::UserError(file, "needs {} of SRAM with {} in memory mode '{}', the configuration '{}' has {}",
                        base::bytes_text(enough_bytes), kWhat[mode], spec::kMemoryModeNames[mode], config.name,
                        base::bytes_text(config.sram_bytes));
}

}  // namespace vernier::schedule
