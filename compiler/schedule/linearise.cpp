// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/linearise.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "hw/base/error.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace vernier::schedule {
namespace {

/// Commands that read the same constants: what constants are loaded for, together.
struct Unit {
  std::vector<passes::Step> commands;
  std::vector<Span> spans;
  std::vector<passes::BufferId> tables;
};

/// Cycles of a step's commands one after the other on the array: each hides all drains but its own last, the last one none.
int64_t cycles_in_turn(const std::vector<passes::Step>& commands, const config::MachineConfig& config) {
  timing::UnitTiming calendar;
  int64_t end = 0;
  for (const passes::Step& step : commands) {
    const timing::Profile profile = timing::profile(std::get<spec::MacCommand>(step.command.body), config);
    end = calendar.reserve(profile, calendar.earliest_start(0));
  }
  return end;
}

/// The commands of a step. A MAC step is cut into the number of stripes that costs least: a stripe whose accumulator rows
/// are a few more than whole banks leaves a short last row tile, behind which the next one waits for its bank.
/// Beside a step of another queue, more stripes let the two overlap: `least_stripes`.
std::vector<passes::Step> cut_step(const passes::Step& step, const config::MachineConfig& config, const Plan& plan,
                                   int64_t least_stripes) {
  std::vector<passes::Step> best;
  const bool has_choice = plan.choose_by_cost && std::holds_alternative<spec::MacCommand>(step.command.body);
  int64_t best_cycles = 0;
  for (int64_t stripes = plan.limits.max_stripes; stripes >= (has_choice ? least_stripes : plan.limits.max_stripes);
       --stripes) {
    CutLimits limits = plan.limits;
    limits.max_stripes = stripes;
    std::vector<passes::Step> commands = cut(step, config.datapath, limits);
    if (!best.empty() && commands.size() == best.size()) continue;
    if (has_choice) {
      for (passes::Step& command : commands) {
        auto& mac = std::get<spec::MacCommand>(command.command.body);
        mac = cost::with_best_slide(mac, config);
      }
    }
    const int64_t cycles = has_choice ? cycles_in_turn(commands, config) : 0;
    if (best.empty() || cycles < best_cycles) {
      best = std::move(commands);
      best_cycles = cycles;
    }
  }
  if (has_choice) {  // the drains of the others hide behind the next one
    auto& last = std::get<spec::MacCommand>(best.back().command.body);
    last = cost::with_best_row_tile(last, config);
  }
  return best;
}

std::vector<Unit> make_units(const passes::Program& program, const Image& image, const config::MachineConfig& config,
                             const Plan& plan) {
  std::vector<Unit> units;
  const auto is_mac = [&](size_t i) {
    return i >= program.steps.size() || std::holds_alternative<spec::MacCommand>(program.steps[i].command.body);
  };
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const passes::Step& step = program.steps[i];
    const bool is_among_mac = is_mac(i - 1) && is_mac(i + 1);  // i - 1 wraps to no step
    bool is_new_step = true;
    for (passes::Step& command : cut_step(step, config, plan, is_among_mac ? 1 : plan.limits.max_stripes - 1)) {
      std::vector<Span> spans = spans_of(command, program, image, config.datapath);
      if (is_new_step || units.back().spans != spans) units.push_back({{}, std::move(spans), step.tables});
      is_new_step = false;
      units.back().commands.push_back(std::move(command));
    }
  }
  return units;
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
  fill.run_bytes = program.buffers[static_cast<size_t>(table)].size_bytes;
  fill.table_slot = slot;
  fill.table_type = table_type(program.buffers[static_cast<size_t>(table)]);
  passes::Step step;
  step.command = {{spec::Queue::Dma0, 0, 0}, fill};
  step.operands = {{passes::AddressField::Source, 0, table}};
  step.ops = ops;
  step.can_split_rows = false;
  return step;
}

passes::Step make_load(const Span& span, const std::vector<ir::OpId>& ops) {
  spec::DmaCommand load;
  load.src.base = {base::MemorySpace::External, static_cast<uint64_t>(span.begin)};
  load.run_bytes = span.end - span.begin;
  passes::Step step;
  step.command = {{spec::Queue::Dma0, 0, 0}, load};
  step.ops = ops;
  step.can_split_rows = false;
  return step;
}

/// Collects the stream; remembers which spans have been loaded.
struct Writer {
  const passes::Program& program;
  const Image& image;
  const spec::Datapath& datapath;
  bool stage_constants;
  LinearProgram out;
  std::map<Span, int32_t> loaded;  // to stages

  void push(passes::Step step) {
    LinearCommand command{std::move(step), {}, -1};
    if (stage_constants) {
      for (const passes::Operand& operand : command.step.operands) {
        const bool is_constant = image.offset_bytes[static_cast<size_t>(operand.buffer)] >= 0;
        if (is_constant && reaches_outside(command.step, operand)) reach_outside(command.step, operand);
      }
      for (const Span& span : spans_of(command.step, program, image, datapath)) add_uses(command, span);
    }
    out.commands.push_back(std::move(command));
  }
  void add_uses(LinearCommand& command, const Span& span) const {
    for (const passes::Operand& operand : command.step.operands) {
      const int64_t begin = image.offset_bytes[static_cast<size_t>(operand.buffer)];
      const int64_t end = begin + program.buffers[static_cast<size_t>(operand.buffer)].size_bytes;
      if (begin < 0 || span.begin >= end || span.end <= begin || reaches_outside(command.step, operand)) continue;
      command.uses.push_back({operand.field, operand.stream_idx, loaded.at(span)});
    }
  }
  void load(const std::vector<Span>& spans, const std::vector<ir::OpId>& ops) {
    if (!stage_constants) return;
    for (const Span& span : spans) {
      const auto stage = static_cast<int32_t>(out.stages.size());
      if (!loaded.try_emplace(span, stage).second) continue;
      out.stages.push_back({-1, span});
      out.commands.push_back({make_load(span, ops), {}, stage});
    }
  }
};

struct Fill {
  size_t before_unit;
  passes::Step step;
};

}  // namespace

LinearProgram linearise(const passes::Program& program, const Image& image, const config::MachineConfig& config,
                        const Plan& plan, bool stage_constants) {
  std::vector<Unit> units = make_units(program, image, config, plan);
  TableSlots slots;
  std::vector<Fill> fills;  // ascending before_unit
  for (size_t u = 0; u < units.size(); ++u) {
    std::vector<int64_t> slot_of_table;
    for (const passes::BufferId table : units[u].tables) {
      const TableSlots::Slot slot = slots.use(table, units[u].tables);
      slot_of_table.push_back(slot.slot);
      if (!slot.needs_fill) continue;
      // A fill may go ahead of the unit before when that one leaves the slot alone.
      const bool can_prefetch =
          plan.prefetch_units > 0 && u > 0 && units[u - 1].tables.size() + units[u].tables.size() <= spec::kNumTableSlots;
      fills.push_back({can_prefetch ? u - 1 : u, make_fill(program, table, slot.slot, units[u].commands.front().ops)});
    }
    for (passes::Step& command : units[u].commands) set_slots(command, slot_of_table);
  }
  Writer writer{program, image, config.datapath, stage_constants, {}, {}};
  size_t next_fill = 0, next_load = 0, next_fill_load = 0;
  const auto ahead = static_cast<size_t>(plan.prefetch_units);
  for (size_t u = 0; u < units.size(); ++u) {
    for (; next_load < units.size() && next_load <= u + ahead; ++next_load) {
      for (; next_fill_load < fills.size() && fills[next_fill_load].before_unit <= next_load; ++next_fill_load) {
        const passes::Step& fill = fills[next_fill_load].step;
        writer.load(spans_of(fill, program, image, config.datapath), fill.ops);
      }
      writer.load(units[next_load].spans, units[next_load].commands.front().ops);
    }
    for (; next_fill < fills.size() && fills[next_fill].before_unit <= u; ++next_fill)
      writer.push(std::move(fills[next_fill].step));
    for (passes::Step& command : units[u].commands) writer.push(std::move(command));
  }
  return std::move(writer.out);
}

}  // namespace vernier::schedule
