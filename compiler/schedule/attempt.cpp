// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/attempt.hpp"

#include "compiler/schedule/allocator.hpp"
#include "compiler/schedule/bank_phases.hpp"
#include "compiler/schedule/rows_in_streams.hpp"
#include "compiler/schedule/tiling_choice.hpp"
#include "compiler/schedule/tokens.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
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
void chain_tokens(std::span<spec::Header> headers) {
  for (size_t i = 0; i < headers.size(); ++i) {
    headers[i].wait = i == 0 ? uint8_t{0} : spec::queue_bit(headers[i - 1].queue);
    headers[i].signal = i + 1 == headers.size() ? uint8_t{0} : spec::queue_bit(headers[i + 1].queue);
  }
}

void link(std::vector<spec::Command>& commands, const config::MachineConfig& config, const Options& options) {
  std::vector<spec::Header> headers;
  std::vector<std::vector<package::Range>> ranges;
  headers.reserve(commands.size());
  ranges.reserve(commands.size());
  for (const spec::Command& command : commands) {
    headers.push_back(command.header);
    ranges.push_back(package::ranges_of(command, config.datapath));
  }
  if (options.optimize == 0) {
    chain_tokens(headers);
  } else {
    insert_tokens(headers, ranges);
  }
  for (size_t i = 0; i < headers.size(); ++i) commands[i].header = headers[i];
}

}  // namespace

Task make_task(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
               const Options& options, KnownTimes& times) {
  Task task{program, graph, config, options, make_image(program), times, steps_with_fills(program, options.optimize > 0),
            {},      {}};
  for (passes::Step& step : task.steps) {
    task.alone_cycles.push_back(times.cycles_alone(step.command, config));
    task.choices.push_back(std::exchange(step.choices, {}));  // parts need not carry them
  }
  return task;
}

Attempt::Attempt(const Task& task, const MemoryPlan& plan, PlannedFor& planned_for, const StripeRules& rules)
    : task_(task), plan_(plan), planned_for_(planned_for), rules_(rules) {
  for (size_t s = 0; s < task_.steps.size(); ++s) {
    if (is_too_long()) return;
    append_step(s);
  }
  add_whole_copies();
  if (is_too_long()) return;
  measure(made_.items, task_.program, planned_for_.config, task_.times);
  copies_ = find_copies(made_.items, made_.stages, task_.program, planned_for_.config);
}

/// A plan of few commands takes what other attempts have made of the step. A plan of many is carried out once or twice, and
/// its commands would take much memory.
void Attempt::append_step(size_t s) {
  constexpr int64_t kMostKnownCommands = 2000;
  const size_t num_before = made_.items.size();
  if (plan_.num_commands <= kMostKnownCommands) {
    const StripeRules rules = rules_of_step(s);
    const Tiling& tiling = *plan_.tilings[s];
    task_.known_items->append_to(
        made_, {s, tiling.cuts, tiling.level, plan_.at_home[s], rules.limits.max_stripes, rules.limits.working_set_bytes},
        [&] {
          Items made;
          add_items_of_step(s, made);
          return made;
        });
  } else {
    add_items_of_step(s, made_);
  }
  for (size_t i = num_before; i < made_.items.size(); ++i) {
    num_made_ += 1 + static_cast<int64_t>(made_.items[i].loads.size() + made_.items[i].stores.size());
  }
}

void Attempt::add_items_of_step(size_t s, Items& made) const {
  const size_t num_before = made.items.size();
  const auto stripes = [&](const passes::Step& part) { return stripes_of_part(s, part, nullptr); };
  append_items(made, task_.steps[s], *plan_.tilings[s], plan_.at_home[s],
               {task_.program, task_.graph, task_.image, task_.config, stripes});
  for (size_t i = num_before; i < made.items.size() && task_.program.takes_more_room; ++i) {
    put_rows_into_streams(made.items[i].command, task_.config, task_.times);
  }
}

int64_t Attempt::lower_bound_cycles() const {
  using ByQueue = std::array<int64_t, spec::kNumQueues>;
  const auto cycles_of = [&](const std::vector<LinearCommand>& commands) {
    ByQueue cycles{};
    for (const LinearCommand& command : commands) {
      cycles.at(static_cast<size_t>(command.step.command.header.queue)) +=
          task_.times.profile(command.step.command, task_.config).main.cycles;
    }
    return cycles;
  };
  ByQueue busy{}, before{}, after{};
  for (const Item& item : made_.items) {
    const ByQueue loads = cycles_of(item.loads), stores = cycles_of(item.stores);
    for (size_t q = 0; q < busy.size(); ++q) busy[q] += loads[q] + stores[q];
    const auto own = static_cast<size_t>(item.command.step.command.header.queue);
    if (!std::holds_alternative<spec::DmaCommand>(item.command.step.command.body)) {
      if (busy[own] == 0) before[own] = *std::max_element(loads.begin(), loads.end());
      after[own] = *std::max_element(stores.begin(), stores.end());
    }
    busy[own] += task_.times.profile(item.command.step.command, task_.config).main.cycles;
  }
  int64_t bound = 0;
  for (size_t q = 0; q < busy.size(); ++q) bound = std::max(bound, before[q] + busy[q] + after[q]);
  return bound;
}

bool Attempt::fit(const Room& room) {
  constexpr int kTries = 40;
  room_bytes_ = room.bytes;
  if (task_.stages_constants()) {
    total_bytes_ = copies_.least_bytes();
    if (total_bytes_ > base::round_up(room_bytes_, stage_align_bytes(task_.config.datapath))) return false;
  }
  OrderLimits limits{std::vector<int64_t>(made_.items.size() + 1, task_.options.optimize == 0 ? 0 : room.bytes),
                     room.loads_ahead};
  for (num_rounds_ = 0; num_rounds_ < kTries; ++num_rounds_) {
    arrange(limits);
    fits_at_once_ = num_rounds_ == 0 && total_bytes_ <= room_bytes_;
    if (total_bytes_ <= room_bytes_) return true;
    if (!shrink_room(limits.room_bytes, room.region_grows ? static_cast<size_t>(num_rounds_) : 0)) break;
  }
  std::fill(limits.room_bytes.begin(), limits.room_bytes.end(), 0);
  arrange(limits);
  return total_bytes_ <= room_bytes_;
}

void Attempt::arrange(const OrderLimits& limits) {
  sequence_ = order(made_.items, copies_, planned_for_.config, limits);
  image_bytes_ = task_.image.stream_offset_bytes + encoded_bytes(sequence_.commands);
  most_bytes_ = total_bytes_ = lay_out(sequence_, {}, layout_);
  num_arranged_ += num_commands();
}

/// The bytes that it takes.
int64_t Attempt::lay_out(const Sequence& sequence, std::span<const int64_t> busy_until, Layout& layout) const {
  layout = make_layout(task_.program, sequence, made_.stages, plan_.is_outside, task_.stages_constants() ? 0 : image_bytes_,
                       task_.has_homes(), busy_until);
  const int64_t align_bytes = stage_align_bytes(task_.config.datapath);
  const int64_t bytes = allocate(layout.blocks, align_bytes, room_bytes_);
  if (bytes > room_bytes_) return bytes;
  // Where room is left, blocks start in banks that lie apart.
  const std::vector<Block> dense = layout.blocks;
  spread_over_banks(layout, sequence, task_.image, task_.config, task_.times);
  const int64_t spread_bytes = allocate(layout.blocks, align_bytes, room_bytes_);
  if (spread_bytes <= room_bytes_) return spread_bytes;
  layout.blocks = dense;
  return bytes;
}

Attempt::Arrangement Attempt::arrangement() const {
  Arrangement result{{sequence_.commands.begin(), sequence_.commands.end()}, {}};
  for (const Block& block : layout_.blocks) result.offsets.push_back(block.offset);
  return result;
}

StartOrder Attempt::sorted_by_starts() {
  const std::vector<Block> blocks = layout_.blocks;
  int64_t end = 0;
  for (Block& block : layout_.blocks) {
    block.offset = end;
    end = base::round_up(end + block.size_bytes, stage_align_bytes(task_.config.datapath));
  }
  const std::vector<CommandTime> times = times_without_stream(linked(), task_.config, task_.times);
  layout_.blocks = blocks;
  return {sequence_, times};
}

bool Attempt::take_order(const StartOrder& order, Lifetimes lifetimes) {
  Layout layout;
  std::span<const int64_t> busy_until;
  if (lifetimes == Lifetimes::ByTime) busy_until = order.busy_until;
  const int64_t bytes = lay_out(order.sequence, busy_until, layout);
  const bool is_known = order.sequence.commands == sequence_.commands &&
                        std::equal(layout.blocks.begin(), layout.blocks.end(), layout_.blocks.begin(), layout_.blocks.end(),
                                   [](const Block& a, const Block& b) { return a.offset == b.offset; });
  most_bytes_ = bytes > room_bytes_ ? std::numeric_limits<int64_t>::max() : std::max(most_bytes_, bytes);
  if (is_known || bytes > room_bytes_) return false;
  sequence_ = order.sequence;
  layout_ = std::move(layout);
  total_bytes_ = bytes;
  return true;
}

/// Where a block found no place; false when there is no room left to take away.
bool Attempt::shrink_room(std::vector<int64_t>& room, size_t reach) const {
  constexpr int64_t kParts = 12;
  std::vector<bool> is_tight(room.size(), false);
  const auto end = static_cast<int64_t>(sequence_.commands.size());
  for (const Block& block : layout_.blocks) {
    if (block.offset + block.size_bytes <= room_bytes_) continue;
    for (int64_t c = std::max<int64_t>(0, block.first); c <= std::min(block.last, end - 1); ++c) {
      const size_t item = sequence_.item[static_cast<size_t>(c)];
      is_tight[item] = true;
    }
  }
  const std::vector<bool> is_tight_itself = is_tight;
  for (size_t i = 0; i < room.size(); ++i) {
    if (!is_tight_itself[i]) continue;
    for (size_t near = i - std::min(i, reach); near <= std::min(i + reach, room.size() - 1); ++near) is_tight[near] = true;
  }
  bool is_changed = false;
  for (size_t i = 0; i < room.size(); ++i) {
    if (!is_tight[i] || room[i] == 0) continue;
    room[i] = std::max<int64_t>(0, room[i] - room_bytes_ / kParts);
    is_changed = true;
  }
  return is_changed;
}

/// Steps whose feature maps stay in SRAM have stripes for overlap; the parts of others are stripes already.
StripeRules Attempt::rules_of_step(size_t s) const {
  StripeRules rules = rules_;
  for (size_t i = 0; i < task_.steps[s].operands.size(); ++i) {
    const bool is_constant = task_.program.buffers[task_.steps[s].operands[i].buffer].is_constant();
    if (!is_constant && plan_.tilings[s]->level[i] >= 0) rules.limits.max_stripes = 1;
  }
  for (const Cut& cut : plan_.tilings[s]->cuts) {
    if (cut.axis != kChannels) rules.limits.max_stripes = 1;
  }
  if (rules.limits.max_stripes == 1) rules.limits.working_set_bytes = 0;
  return rules;
}

std::vector<passes::Step> Attempt::stripes_of_part(size_t s, const passes::Step& part,
                                                   std::vector<cost::Alternatives>* told) const {
  const std::vector<Cut>& cuts = plan_.tilings[s]->cuts;
  if (std::ranges::any_of(cuts, [](const Cut& cut) { return cut.axis == kReduction; })) return {part};
  const StripeRules rules = rules_of_step(s);
  Beside others;
  if (rules.limits.max_stripes > 1) {  // else there is nothing to choose
    others = beside(task_.steps, s, task_.alone_cycles, rules_);
    others.least_stripes = std::min(rules.limits.max_stripes, others.least_stripes);
  }
  return stripes_of(part, task_.config, task_.times, rules, others, told);
}

/// Buffers that stay in SRAM and have a home: loaded before their first use, stored after their last.
void Attempt::add_whole_copies() {
  std::vector<int64_t> last(task_.program.buffers.size(), -1);
  std::vector<bool> is_loaded(task_.program.buffers.size(), false);
  const auto in_place = [&](const LinearCommand& command, const passes::Operand& operand) {
    return std::none_of(command.uses.begin(), command.uses.end(), [&](const StageUse& use) {
      return use.field == operand.field && use.stream_idx == operand.stream_idx;
    });
  };
  for (size_t i = 0; i < made_.items.size(); ++i) {
    const passes::Step& step = made_.items[i].command.step;
    for (const passes::Operand& operand : step.operands) {
      const auto id = static_cast<size_t>(operand.buffer);
      const passes::Buffer& buffer = task_.program.buffers[id];
      if (plan_.is_outside[id] || !in_place(made_.items[i].command, operand)) continue;
      last[id] = static_cast<int64_t>(i);
      const bool has_value =
          (task_.has_homes() && buffer.is_filled_at_start) || (task_.stages_constants() && buffer.is_constant());
      if (has_value && !is_loaded[id]) {
        made_.items[i].loads.push_back(whole_copy(task_.program, operand.buffer, true, step.ops));
        ++num_made_;
        is_loaded[id] = true;
      }
    }
  }
  for (size_t id = 0; id < last.size() && task_.has_homes(); ++id) {
    if (!task_.program.buffers[id].is_read_at_end || last[id] < 0) continue;
    Item& item = made_.items[static_cast<size_t>(last[id])];
    item.stores.push_back(whole_copy(task_.program, static_cast<passes::BufferId>(id), false, item.command.step.ops));
    ++num_made_;
  }
}

Placing Attempt::placing() const {
  base::Address image_address{base::MemorySpace::External, static_cast<uint64_t>(task_.program.outside_image_byte)};
  if (layout_.image_block >= 0) {
    const Block& image = layout_.blocks[layout_.image_block];
    image_address = {base::MemorySpace::Sram, static_cast<uint64_t>(image.offset)};
  }
  return {task_.program,     sequence_,    layout_, plan_.is_outside, {task_.image, image_bytes_},
          task_.has_homes(), image_address};
}

LinkedCommands Attempt::linked() const {
  const Placing places = placing();
  LinkedCommands result{placed_commands(places), places.image_address.space};
  link(result.commands, task_.config, task_.options);
  return result;
}

Schedule Attempt::schedule(const LinkedCommands& linked) const {
  Schedule result;
  result.image_bytes = image_bytes_;
  result.sram_peak_bytes = total_bytes_;
  for (size_t id = 0; id < plan_.is_outside.size(); ++id) {
    if (plan_.is_outside[id] && !task_.program.buffers[id].is_constant()) ++result.num_outside;
  }
  place(result, placing(), linked.commands);
  describe(result);
  return result;
}

/// The choices for each step; asked once more, so that a schedule that nobody prints pays nothing for them.
void Attempt::describe(Schedule& schedule) const {
  if (!task_.options.explain) return;
  for (size_t s = 0; s < task_.steps.size(); ++s) {
    if (task_.steps[s].ops.empty()) continue;  // a graph without operators
    const ir::Operator& op = task_.graph.operators[task_.steps[s].ops.front()];
    StepChoices step{fmt::format("{} {}", ir::to_string(op.kind), task_.graph.tensor(op.outputs.front()).name),
                     task_.steps[s].ops.front(), task_.choices[s]};
    if (!op.location.empty()) step.step += fmt::format(" of layer '{}'", op.location);
    if (task_.stages_constants()) {
      step.choices.push_back(
          alternatives_to(*plan_.tilings[s], task_.steps[s], planned_for_.tilings[s], plan_.budget_bytes[s], plan_.ends[s]));
    }
    const passes::Step part = largest_part(task_.steps[s], plan_.tilings[s]->cuts, task_.config.datapath);
    if (task_.options.optimize > 0) (void)stripes_of_part(s, part, &step.choices);
    std::erase_if(step.choices, [](const cost::Alternatives& choice) { return !cost::is_choice(choice); });
    if (!step.choices.empty()) schedule.choices.push_back(std::move(step));
  }
}

}  // namespace vernier::schedule
