// SPDX-License-Identifier: Apache-2.0
#include "sim/units/attribution.hpp"

#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"
#include "sim/units/unit_states.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace vernier::units {
namespace {

class Attributor {
 public:
  Attributor(const CommandRecords& records, size_t num_layers, int64_t cycles)
      : records_(records),
        cycles_(cycles),
        states_(records),
        uses_unit_(num_layers),
        at_work_until_(num_layers),
        in_flight_until_(num_layers) {
    result_.layers.resize(num_layers);
  }

  Attribution run() {
    if (result_.layers.empty()) return result_;
    sort_commands();
    find_last();
    for (const int32_t i : started_) count_flight(record(i));
    for (const CommandRecord& command : records_.commands) count_traffic(command);
    sweep();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const CommandRecord& record(int32_t i) const { return records_.commands[i]; }
  [[nodiscard]] LayerCount& layer(int32_t i) { return result_.layers[i]; }
  [[nodiscard]] int64_t end_of(const CommandRecord& command) const {
    return command.end_cycle < 0 ? cycles_ : command.end_cycle;
  }
  [[nodiscard]] bool is_at_work(const CommandRecord& command) const {
    if (command.work == Work::Load || command.work == Work::Copy) return !uses_unit_[command.layer_idx];
    return command.work != Work::None;
  }

  void sort_commands() {
    for (const CommandRecord& command : records_.commands) {
      VERNIER_CHECK(command.layer_idx < static_cast<int32_t>(uses_unit_.size()), "layer {} of {}", command.layer_idx,
                    uses_unit_.size());
      const bool is_of_unit = command.work == Work::Array || command.work == Work::Vector;
      if (command.layer_idx >= 0 && is_of_unit) uses_unit_[command.layer_idx] = true;
    }
    for (size_t i = 0; i < records_.commands.size(); ++i) {
      const CommandRecord& command = records_.commands[i];
      if (command.layer_idx >= 0 && command.work != Work::None) started_.push_back(static_cast<int32_t>(i));
    }
    std::sort(started_.begin(), started_.end(), [this](int32_t a, int32_t b) {
      return std::tuple(record(a).start_cycle, record(a).layer_idx, a) <
             std::tuple(record(b).start_cycle, record(b).layer_idx, b);
    });
    for (const int32_t i : started_) {
      if (is_at_work(record(i))) at_work_.push_back(i);
    }
    std::array<int32_t, spec::kNumQueues> last;
    last.fill(-1);
    before_on_queue_.assign(records_.commands.size(), -1);
    for (size_t i = 0; i < records_.commands.size(); ++i) {
      if (record(static_cast<int32_t>(i)).work == Work::None) continue;
      before_on_queue_[i] = std::exchange(last[static_cast<size_t>(records_.commands[i].queue)], static_cast<int32_t>(i));
    }
  }

  void find_last() {
    const CommandRecord* last = nullptr;
    for (const int32_t i : at_work_) {
      if (last == nullptr || end_of(record(i)) >= end_of(*last)) last = &record(i);
    }
    if (last != nullptr) {
      result_.last_layer_idx = last->layer_idx;
      return;
    }
    const CommandRecord* end = records_.commands.empty() ? nullptr : &records_.commands.back();
    result_.last_layer_idx = end == nullptr ? 0 : std::max(end->layer_idx, 0);
    if (end == nullptr || end->start_cycle < 0) return;
    layer(result_.last_layer_idx).first_cycle = layer(result_.last_layer_idx).last_cycle = end->start_cycle;
  }

  /// Commands come in the order of their starts.
  void count_flight(const CommandRecord& command) {
    const auto index = static_cast<size_t>(command.layer_idx);
    const int64_t start = command.start_cycle, end = end_of(command);
    const auto cover = [&](int64_t& until) {
      const int64_t more = std::max<int64_t>(0, end - std::max(start, until));
      until = std::max(until, end);
      return more;
    };
    LayerCount& count = result_.layers[index];
    count.in_flight_cycles += cover(in_flight_until_[index]);
    if (!is_at_work(command)) return;
    count.working_cycles += cover(at_work_until_[index]);
    if (count.first_cycle < 0) count.first_cycle = start;
    count.last_cycle = std::max(count.last_cycle, end);
  }

  void count_traffic(const CommandRecord& command) {
    const bool is_end = command.work == Work::None && command.start_cycle >= 0;
    const int32_t owner = is_end ? result_.last_layer_idx : command.layer_idx;
    if (owner >= 0) layer(owner).traffic += command.traffic;
  }

  void sweep() {
    std::vector<int32_t> active;  // few: at most two a queue
    size_t next = 0;
    for (int64_t now = 0; now < cycles_;) {
      std::erase_if(active, [&](int32_t i) { return end_of(record(i)) <= now; });
      for (; next < at_work_.size() && record(at_work_[next]).start_cycle <= now; ++next) {
        if (end_of(record(at_work_[next])) > now) active.push_back(at_work_[next]);
      }
      int64_t until = next < at_work_.size() ? record(at_work_[next]).start_cycle : cycles_;
      for (const int32_t i : active) until = std::min(until, end_of(record(i)));
      if (!active.empty()) {
        count_work(active, now, until);
      } else if (next < at_work_.size()) {
        count_gap(at_work_[next], now, until);
      } else {
        add(result_.last_layer_idx, Cause::NothingAtWork, until - now);
      }
      now = until;
    }
  }

  void count_work(const std::vector<int32_t>& active, int64_t from, int64_t until) {
    const int32_t oldest = *std::min_element(active.begin(), active.end(), [this](int32_t a, int32_t b) {
      return std::tuple(record(a).layer_idx, record(a).start_cycle, a) <
             std::tuple(record(b).layer_idx, record(b).start_cycle, b);
    });
    while (from < until) {
      const UnitStates::Stretch stretch = states_.at(record(oldest).queue, from);
      VERNIER_CHECK(stretch.until_cycle > from, "what queue {} does from cycle {} on lasts until {}",
                    spec::kQueueNames[static_cast<size_t>(record(oldest).queue)], from, stretch.until_cycle);
      const int64_t to = std::min(until, stretch.until_cycle);
      add(record(oldest).layer_idx, stretch.cause, to - from);
      from = to;
    }
  }

  /// No command is at work: each cycle counts for what holds the next one up.
  void count_gap(int32_t next, int64_t from, int64_t until) {
    while (from < until) {
      const UnitStates::Stretch stretch = wait_at(next, from);
      VERNIER_CHECK(stretch.until_cycle > from, "what command {} waits for from cycle {} on lasts until {}", next, from,
                    stretch.until_cycle);
      const int64_t to = std::min(until, stretch.until_cycle);
      add(record(next).layer_idx, stretch.cause, to - from);
      from = to;
    }
  }

  /// What a command that has not started at `cycle` waited for last.
  struct Holder {
    int32_t idx = -1;          // the command; -1: none
    int64_t until_cycle = -1;  // it held the other up until then
  };
  [[nodiscard]] Holder holder_of(int32_t idx) const {
    const CommandRecord& command = record(idx);
    const int32_t before = before_on_queue_[static_cast<size_t>(idx)];
    Holder holder{command.last_giver_idx, command.last_giver_idx < 0 ? -1 : command.token_cycle};
    if (before >= 0 && end_of(record(before)) > holder.until_cycle) holder = {before, end_of(record(before))};
    const bool is_earlier = holder.idx >= 0 && record(holder.idx).start_cycle < command.start_cycle;
    return is_earlier ? holder : Holder{};
  }

  /// Follows a wait, over any number of copies, to the one that is in flight at `cycle` or that waits for nothing else.
  [[nodiscard]] UnitStates::Stretch wait_at(int32_t next, int64_t cycle) const {
    UnitStates::Stretch result{Cause::NothingAtWork, record(next).start_cycle};
    for (int32_t waiting = next; cycle < record(waiting).start_cycle;) {
      result.until_cycle = std::min(result.until_cycle, record(waiting).start_cycle);
      const Holder holder = holder_of(waiting);
      if (holder.idx < 0 || cycle >= holder.until_cycle) break;
      result = {cause_of_wait(record(holder.idx)), std::min(result.until_cycle, holder.until_cycle)};
      waiting = holder.idx;
    }
    return result;
  }

  static Cause cause_of_wait(const CommandRecord& holder) {
    if (holder.work == Work::Load) return Cause::WaitsForLoad;
    return holder.work == Work::Copy ? Cause::WaitsForCopy : Cause::NothingAtWork;
  }

  void add(int32_t layer_idx, Cause cause, int64_t cycles) {
    layer(layer_idx).attributed_cycles += cycles;
    layer(layer_idx).attributed_by[static_cast<size_t>(cause)] += cycles;
  }

  const CommandRecords& records_;
  int64_t cycles_;
  UnitStates states_;
  base::IndexedVector<int32_t, bool> uses_unit_;  // by layer: whether a command of it runs on the array or the vector unit
  std::vector<int64_t> at_work_until_, in_flight_until_;  // by layer
  std::vector<int32_t> started_, at_work_;                // by start, then by layer
  std::vector<int32_t> before_on_queue_;                  // by command: the one before it on its queue; -1: it is the first
  Attribution result_;
};

}  // namespace

Attribution attribute(const CommandRecords& records, size_t num_layers, int64_t cycles) {
  return Attributor(records, num_layers, cycles).run();
}

}  // namespace vernier::units
