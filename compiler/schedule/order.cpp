// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/order.hpp"

#include "compiler/schedule/part_costs.hpp"
#include "hw/base/error.hpp"
#include "hw/package/range.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace vernier::schedule {
namespace {

passes::BufferId buffer_of(const LinearCommand& command, const StageUse& use) {
  for (const passes::Operand& operand : command.step.operands) {
    if (operand.field == use.field && operand.stream_idx == use.stream_idx) return operand.buffer;
  }
  throw base::InternalError("a copy without its operand");
}

class CopyFinder {
 public:
  CopyFinder(std::vector<Item>& items, const std::vector<Stage>& stages, const passes::Program& program,
             const config::MachineConfig& config)
      : items_(items), stages_(stages), program_(program), config_(config) {}

  Copies run() {
    copies_.live_bytes.assign(items_.size() + 1, 0);
    copies_.writes.resize(items_.size());
    find_copies();
    find_lifetimes();
    return std::move(copies_);
  }

 private:
  void find_copies() {
    for (size_t i = 0; i < items_.size(); ++i) {
      for (LinearCommand& load : items_[i].loads) copies_.loads.push_back(make_copy(load, i));
      for (LinearCommand& store : items_[i].stores) copies_.stores.push_back(make_copy(store, i));
      for (const StageUse& use : items_[i].command.uses) {
        if (use.stage != StageUse::kHome || use.field != passes::AddressField::Destination) continue;
        for (const package::Range& range : package::ranges_of(items_[i].command.step.command, config_.datapath)) {
          if (range.is_write) copies_.writes[i].push_back({buffer_of(items_[i].command, use), range});
        }
      }
    }
  }

  Copy make_copy(LinearCommand& command, size_t item) const {
    Copy copy;
    copy.item = copy.position = item;
    copy.command = &command;
    for (const StageUse& use : command.uses) {
      if (use.stage == StageUse::kHome) {
        copy.buffer = buffer_of(command, use);
      } else {
        copy.stage = use.stage;
        copy.bytes = rounded(stages_[static_cast<size_t>(use.stage)].size_bytes);
      }
    }
    if (copy.stage < 0) copy.bytes = rounded(program_.buffers[copy.buffer].size_bytes);
    return copy;
  }

  [[nodiscard]] int64_t rounded(int64_t bytes) const { return base::round_up(bytes, stage_align_bytes(config_.datapath)); }

  /// Bytes that live at each item when no copy moves.
  void find_lifetimes() {
    constexpr auto kNone = std::numeric_limits<size_t>::max();
    std::vector<std::pair<size_t, size_t>> of_stage(stages_.size(), {kNone, 0});
    std::vector<std::pair<size_t, size_t>> of_buffer(program_.buffers.size(), {kNone, 0});
    const auto use = [](std::pair<size_t, size_t>& life, size_t item) {
      life.first = std::min(life.first, item);
      life.second = std::max(life.second, item);
    };
    const auto use_all = [&](const LinearCommand& command, size_t item) {
      for (const passes::Operand& operand : command.step.operands) {
        const auto found = std::find_if(command.uses.begin(), command.uses.end(), [&](const StageUse& u) {
          return u.field == operand.field && u.stream_idx == operand.stream_idx;
        });
        if (found == command.uses.end()) {
          use(of_buffer[static_cast<size_t>(operand.buffer)], item);
        } else if (found->stage >= 0) {
          use(of_stage[static_cast<size_t>(found->stage)], item);
        }
      }
    };
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const LinearCommand& load : items_[i].loads) use_all(load, i);
      use_all(items_[i].command, i);
      for (const LinearCommand& store : items_[i].stores) use_all(store, i);
    }
    const bool has_homes = config_.memory_mode == spec::MemoryMode::External;
    for (size_t b = 0; b < of_buffer.size(); ++b) {
      const passes::Buffer& buffer = program_.buffers[b];
      if (of_buffer[b].first == kNone) continue;
      if (buffer.is_filled_at_start && !has_homes) of_buffer[b].first = 0;
      if (buffer.is_read_at_end && !has_homes) of_buffer[b].second = items_.size() - 1;
      add_life(of_buffer[b], rounded(buffer.size_bytes));
    }
    for (size_t s = 0; s < of_stage.size(); ++s) {
      if (of_stage[s].first != kNone) add_life(of_stage[s], rounded(stages_[s].size_bytes));
    }
  }

  void add_life(std::pair<size_t, size_t> life, int64_t bytes) {
    for (size_t i = life.first; i <= life.second; ++i) copies_.live_bytes[i] += bytes;
  }

  std::vector<Item>& items_;
  const std::vector<Stage>& stages_;
  const passes::Program& program_;
  const config::MachineConfig& config_;
  Copies copies_;
};

class Orderer {
 public:
  Orderer(std::vector<Item>& items, const Copies& copies, const config::MachineConfig& config, const OrderLimits& limits)
      : items_(items),
        config_(config),
        limits_(limits),
        live_(copies.live_bytes),
        loads_(copies.loads),
        stores_(copies.stores),
        writes_(copies.writes) {}

  void run() {
    sink_stores();
    hoist_loads();
  }

  Sequence take() {
    Sequence out;
    const auto add = [&](LinearCommand* command, size_t item) {
      out.commands.push_back(command);
      out.item.push_back(item);
    };
    size_t load = 0, store = 0;
    for (size_t i = 0; i < items_.size(); ++i) {
      for (; load < loads_.size() && loads_[load].position <= i; ++load) add(loads_[load].command, i);
      add(&items_[i].command, i);
      for (; store < stores_.size() && stores_[store].position <= i; ++store) add(stores_[store].command, i);
    }
    return out;
  }

 private:
  /// A store behind the next command lets that one write elsewhere meanwhile.
  void sink_stores() {
    size_t next_load = 0;
    for (Copy& store : stores_) {
      const size_t later = store.position + 1;
      if (later >= items_.size() || live_[later] + store.bytes > limits_.room_bytes[later]) continue;
      while (next_load < loads_.size() && loads_[next_load].position < later) ++next_load;
      bool is_read = false;
      for (size_t l = next_load; l < loads_.size() && loads_[l].position == later; ++l) {
        is_read = is_read || conflicts(loads_[l], store);
      }
      if (is_read || reads_home(items_[later].command, store.buffer)) continue;
      store.position = later;
      live_[later] += store.bytes;
    }
    // Of one command's stores some may stay while others sink.
    std::stable_sort(stores_.begin(), stores_.end(), [](const Copy& a, const Copy& b) { return a.position < b.position; });
  }

  /// Whether a command works in a buffer's home itself.
  static bool reads_home(const LinearCommand& command, passes::BufferId buffer) {
    return std::any_of(command.uses.begin(), command.uses.end(), [&](const StageUse& use) {
      return use.stage == StageUse::kHome && buffer_of(command, use) == buffer;
    });
  }

  static bool touches(const Copy& load, passes::BufferId buffer, const package::Range& written) {
    return buffer == load.buffer &&
           std::any_of(load.command->home.begin(), load.command->home.end(),
                       [&](const package::Range& mine) { return package::overlaps(mine, written); });
  }
  /// Whether a load reads what a store writes, at home.
  static bool conflicts(const Copy& load, const Copy& store) {
    return std::any_of(store.command->home.begin(), store.command->home.end(),
                       [&](const package::Range& range) { return touches(load, store.buffer, range); });
  }

  /// When each item would begin if nothing waited for a load.
  [[nodiscard]] std::vector<int64_t> begins_of_items() const {
    std::vector<int64_t> begins;
    int64_t now = 0;
    for (const Item& item : items_) {
      begins.push_back(now);
      now += item.command.cycles;
    }
    return begins;
  }

  /// When each load has to begin so that it and all behind it end in time, one after the other.
  [[nodiscard]] std::vector<int64_t> deadlines_of_loads(const std::vector<int64_t>& begins) const {
    std::vector<int64_t> deadlines(loads_.size());
    int64_t next = std::numeric_limits<int64_t>::max();
    for (size_t l = loads_.size(); l-- > 0;) {
      next = std::min(next, begins[loads_[l].item]) - loads_[l].command->cycles;
      deadlines[l] = next;
    }
    return deadlines;
  }

  /// In their order, each as far ahead as there is room, work enough to hide it, and place in the queue.
  void hoist_loads() {
    const auto most_ahead = static_cast<size_t>(std::clamp<int64_t>(config_.queue_depth - 2, 1, kMostAhead));
    std::vector<size_t> ahead(items_.size() + 1, 0);  // loads that stand before an item and belong to a later one
    size_t least = 0;
    std::vector<std::vector<const Copy*>> stores_at(items_.size());
    for (const Copy& store : stores_) stores_at[store.position].push_back(&store);
    int64_t previous_stage = -1;
    const std::vector<int64_t> begins = begins_of_items();
    const std::vector<int64_t> deadlines = deadlines_of_loads(begins);
    for (size_t l = 0; l < loads_.size(); ++l) {
      Copy& load = loads_[l];
      const bool shares_stage = load.stage >= 0 && load.stage == previous_stage;  // a second box of the same copy
      previous_stage = load.stage;
      int64_t slack_cycles = 0;
      const int64_t wanted_cycles = limits_.loads_ahead * (load.command->cycles + kEnoughCycles);
      while (load.position > least && (slack_cycles < wanted_cycles || begins[load.position] > deadlines[l])) {
        const size_t to = load.position - 1;
        const int64_t bytes = shares_stage ? 0 : load.bytes;
        if (live_[to] + bytes > limits_.room_bytes[to] || ahead[to] >= most_ahead) break;
        const bool is_written =
            std::any_of(writes_[to].begin(), writes_[to].end(),
                        [&](const HomeWrite& write) { return touches(load, write.buffer, write.range); }) ||
            std::any_of(stores_at[to].begin(), stores_at[to].end(),
                        [&](const Copy* store) { return conflicts(load, *store); });
        if (is_written) break;
        live_[to] += bytes;
        ++ahead[to];
        load.position = to;
        slack_cycles += items_[to].command.cycles;
      }
      least = load.position;
    }
  }

  static constexpr int64_t kEnoughCycles = 250;
  /// Loads that stand before an item and belong to a later one, in a deeper queue too: an order for 8 commands is not lost.
  static constexpr int64_t kMostAhead = 6;

  std::vector<Item>& items_;
  const config::MachineConfig& config_;
  const OrderLimits& limits_;
  std::vector<int64_t> live_;
  std::vector<Copy> loads_, stores_;
  const std::vector<std::vector<HomeWrite>>& writes_;
};

}  // namespace

void measure(std::vector<Item>& items, const passes::Program& program, const config::MachineConfig& config,
             KnownTimes& times) {
  const auto measure_copy = [&](LinearCommand& copy) {
    copy.cycles = times.profile(copy.step.command, config).main.cycles;
    for (const StageUse& use : copy.uses) {
      if (use.stage != StageUse::kHome) continue;
      if (program.buffers[buffer_of(copy, use)].is_constant()) continue;
      for (const package::Range& range : package::ranges_of(copy.step.command, config.datapath)) {
        if (range.storage == package::Storage::External) copy.home.push_back(range);
      }
    }
  };
  for (Item& item : items) {
    item.command.cycles = times.profile(item.command.step.command, config).main.cycles;
    for (LinearCommand& load : item.loads) measure_copy(load);
    for (LinearCommand& store : item.stores) measure_copy(store);
  }
}

int64_t Copies::least_bytes() const { return *std::max_element(live_bytes.begin(), live_bytes.end()); }

Copies find_copies(std::vector<Item>& items, const std::vector<Stage>& stages, const passes::Program& program,
                   const config::MachineConfig& config) {
  return CopyFinder(items, stages, program, config).run();
}

Sequence order(std::vector<Item>& items, const Copies& copies, const config::MachineConfig& config,
               const OrderLimits& limits) {
  Orderer orderer(items, copies, config, limits);
  orderer.run();
  return orderer.take();
}

}  // namespace vernier::schedule
