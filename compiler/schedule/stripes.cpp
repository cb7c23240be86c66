// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/stripes.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "hw/base/error.hpp"
#include "hw/timing/in_flight.hpp"
#include "hw/timing/unit_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::schedule {
namespace {

/// How much longer a command of the array takes beside the drain of the one before: both want rescale lanes and ports.
int64_t wait_beside(const timing::Phase& drain, const timing::Phase& main, const config::MachineConfig& config) {
  timing::InFlight in_flight(timing::capacities_of(config));
  in_flight.start(drain, timing::Priority::MacDrain, 0);
  const int32_t id = in_flight.start(main, timing::Priority::MacMain, 0);
  while (const auto end = in_flight.next_change()) {
    for (const timing::Ended& ended : in_flight.advance(*end)) {
      if (ended.id == id) return ended.end - main.cycles;
    }
  }
  throw base::InternalError("a command that does not end");
}

/// Cycles of a step's commands one after the other on the array: each hides all drains but its own last, the last one none.
int64_t cycles_in_turn(const std::vector<passes::Step>& commands, const config::MachineConfig& config, KnownTimes& times) {
  timing::UnitTiming calendar;
  timing::Phase drain;
  int64_t end = 0, waits = 0;
  for (const passes::Step& step : commands) {
    const timing::Profile profile = times.profile(std::get<spec::MacCommand>(step.command.body));
    waits += wait_beside(drain, profile.main, config);
    end = calendar.reserve(profile, calendar.earliest_start(0));
    drain = profile.drain;
  }
  return end + waits;
}

/// Which table is in which slot, the least recently used one making room.
class TableSlots {
 public:
  /// The slot of a table for the unit; `needs_fill` when it was not there.
  struct Slot {
    int64_t slot;
    bool needs_fill;
  };
  Slot use(passes::BufferId table, const std::vector<passes::BufferId>& together) {
    ++now_;
    size_t victim = slots_.size();
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].table == table) {
        slots_[i].used = now_;
        return {static_cast<int64_t>(i), false};
      }
      const bool is_wanted = std::find(together.begin(), together.end(), slots_[i].table) != together.end();
      if (!is_wanted && (victim == slots_.size() || slots_[i].used < slots_[victim].used)) victim = i;
    }
    VERNIER_CHECK(victim < slots_.size(), "a step uses more than {} tables", slots_.size());
    slots_[victim] = {table, now_};
    return {static_cast<int64_t>(victim), true};
  }

 private:
  struct State {
    passes::BufferId table = -1;
    int64_t used = 0;
  };
  std::array<State, spec::kNumTableSlots> slots_{};
  int64_t now_ = 0;
};

void set_slots(passes::Step& step, const std::vector<int64_t>& slots) {
  if (slots.empty()) return;
  const auto slot_of = [&](int64_t idx) { return slots.at(static_cast<size_t>(idx)); };
  if (auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) {
    if (mac->table) mac->table_slot = slot_of(mac->table_slot);
  } else if (auto* vec = std::get_if<spec::VectorCommand>(&step.command.body)) {
    for (spec::VectorStep& s : vec->steps) {
      if (s.op == spec::VectorOp::Table) s.slot = slot_of(s.slot);
    }
  }
}

base::ElementType table_type(const passes::Buffer& table) {
  switch (table.size_bytes) {
    case 256: return base::ElementType::Int8;
    case 1026: return base::ElementType::Int16;
    default: return base::ElementType::Int32;
  }
}

passes::Step make_fill(const passes::Program& program, passes::BufferId table, int64_t slot,
                       const std::vector<ir::OpId>& ops) {
  spec::DmaCommand fill;
  fill.kind = spec::DmaKind::TableFill;
  fill.run_bytes = program.buffers[table].size_bytes;
  fill.table_slot = slot;
  fill.table_type = table_type(program.buffers[table]);
  passes::Step step;
  step.command = {{spec::Queue::Dma0, 0, 0}, fill};
  step.operands = {{passes::AddressField::Source, 0, table}};
  step.ops = ops;
  step.can_split_rows = false;
  return step;
}

/// What was chosen along with the number of stripes, asked once more.
void tell_choices(cost::Alternatives stripes, const std::vector<passes::Step>& best, const config::MachineConfig& config,
                  std::vector<cost::Alternatives>& told) {
  told.push_back(std::move(stripes));
  if (best.size() > 1) {
    cost::Alternatives slide("windows of the first stripe");
    cost::with_best_slide(std::get<spec::MacCommand>(best.front().command.body), config, &slide);
    told.push_back(std::move(slide));
  }
  cost::Alternatives row_tile(best.size() > 1 ? "row tile of the last stripe" : "row tile");
  const auto last = cost::with_best_slide(std::get<spec::MacCommand>(best.back().command.body), config);
  cost::with_best_row_tile(last, config, &row_tile);
  told.push_back(std::move(row_tile));
}

}  // namespace

std::vector<passes::Step> stripes_of(const passes::Step& step, const config::MachineConfig& config, KnownTimes& times,
                                     const StripeRules& rules, const Beside& beside, std::vector<cost::Alternatives>* told) {
  std::vector<passes::Step> best;
  cost::Alternatives tried(beside.least_stripes > 1
                               ? fmt::format("stripes, {} or more beside another unit's step", beside.least_stripes)
                               : "stripes");
  const bool has_choice =
      rules.choose_by_cost && !step.is_tuned && std::holds_alternative<spec::MacCommand>(step.command.body);
  const bool overlaps_nothing = beside.least_stripes == 1 && std::holds_alternative<spec::VectorCommand>(step.command.body);
  // One row of a depthwise map has no row to slide to: fewer stripes may be worth more than the overlap.
  const bool slides = has_choice && std::get<spec::MacCommand>(step.command.body).mode == spec::MacMode::Depthwise;
  const int64_t most = overlaps_nothing ? 1 : rules.limits.max_stripes;
  const int64_t least = slides ? 1 : has_choice ? beside.least_stripes : most;
  const bool is_compared = has_choice && (least < most || told != nullptr);
  int64_t best_cycles = 0;
  for (int64_t stripes = most; stripes >= least; --stripes) {
    CutLimits limits = rules.limits;
    limits.max_stripes = stripes;
    std::vector<passes::Step> commands = cut(step, config.datapath, limits);
    if (!best.empty() && commands.size() == best.size()) continue;
    if (has_choice) {
      for (passes::Step& command : commands) {
        auto& mac = std::get<spec::MacCommand>(command.command.body);
        mac = times.with_best_slide(mac);
      }
      // The drains of the others hide behind the next one.
      auto& last = std::get<spec::MacCommand>(commands.back().command.body);
      last = times.with_best_row_tile(last);
    }
    const int64_t not_beside = stripes < beside.least_stripes ? beside.cycles : 0;
    const int64_t cycles = is_compared ? cycles_in_turn(commands, config, times) + not_beside : 0;
    if (told != nullptr) tried.add(fmt::to_string(commands.size()), cycles);
    if (best.empty() || cycles < best_cycles) {
      best = std::move(commands);
      best_cycles = cycles;
      if (told != nullptr) tried.chosen = tried.ways.size() - 1;
    }
  }
  if (told != nullptr && has_choice) tell_choices(std::move(tried), best, config, *told);
  if (told != nullptr && !has_choice && best.size() > 1) {
    told->emplace_back("stripes", "as many as overlap with the steps beside it");
    told->back().add(fmt::to_string(best.size()), std::nullopt);
  }
  return best;
}

Beside beside(const std::vector<passes::Step>& steps, size_t idx, const std::vector<int64_t>& alone_cycles,
              const StripeRules& rules) {
  const auto is_fill = [&](size_t i) {
    const auto* dma = std::get_if<spec::DmaCommand>(&steps[i].command.body);
    return dma != nullptr && dma->kind == spec::DmaKind::TableFill;
  };
  const spec::Queue own = steps[idx].command.header.queue;
  const auto is_alike = [&](size_t i) { return i >= steps.size() || steps[i].command.header.queue == own; };
  size_t before = idx - 1, behind = idx + 1;  // before wraps to no step
  while (before < steps.size() && is_fill(before)) --before;
  while (behind < steps.size() && is_fill(behind)) ++behind;
  const bool is_among_its_own = own != spec::Queue::Dma0 && own != spec::Queue::Dma1 && is_alike(before) && is_alike(behind);
  if (is_among_its_own) return {};
  Beside result{rules.limits.max_stripes - 1, 0};
  for (const size_t i : {before, behind}) {
    if (!is_alike(i)) result.cycles += alone_cycles[i];
  }
  return result;
}

std::vector<passes::Step> steps_with_fills(const passes::Program& program, bool fills_ahead) {
  TableSlots slots;
  std::vector<passes::Step> steps;
  size_t previous = 0;  // where the step before this one stands
  for (size_t s = 0; s < program.steps.size(); ++s) {
    passes::Step step = program.steps[s];
    // The step before may make a table that is computed.
    const bool are_constant =
        std::ranges::all_of(step.tables, [&](passes::BufferId table) { return program.buffers[table].is_constant(); });
    const bool is_ahead = fills_ahead && s > 0 && are_constant &&
                          program.steps[s - 1].tables.size() + step.tables.size() <= spec::kNumTableSlots;
    std::vector<int64_t> slot_of_table;
    std::vector<passes::Step> fills;
    for (const passes::BufferId table : step.tables) {
      const TableSlots::Slot slot = slots.use(table, step.tables);
      slot_of_table.push_back(slot.slot);
      if (slot.needs_fill) fills.push_back(make_fill(program, table, slot.slot, step.ops));
    }
    set_slots(step, slot_of_table);
    const size_t at = is_ahead ? previous : steps.size();
    previous = steps.size() + fills.size();
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(at), fills.begin(), fills.end());
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace vernier::schedule
