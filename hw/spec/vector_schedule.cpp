// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/vector_schedule.hpp"

#include "hw/base/division.hpp"
#include "hw/spec/vector_registers.hpp"

#include <map>

namespace vernier::spec {
namespace {

constexpr int64_t kLastOffset = (int64_t{1} << kVectorOffsetBits) - 1;  // [from kVectorOffsetBits]

/// A multiple of `interval`, at least `least`, within low .. high.
bool has_multiple(int64_t low, int64_t high, int64_t interval, int64_t least) {
  return base::floor_div(high, interval) * interval >= std::max(low, least);
}

class Scheduler {
 public:
  Scheduler(VectorCommand& command, const std::vector<VectorRead>& reads, const std::vector<VectorValue>& values,
            const Datapath& datapath)
      : command_(command), steps_(command.steps), reads_(reads), values_(values), datapath_(datapath) {
    for (const VectorStep& step : steps_) {
      uses_.push_back(slot_uses(step, command, datapath));
      latency_.push_back(latency_of(step, command, datapath));
    }
  }

  bool run() {
    int64_t serial_length = 0;
    for (const int64_t cycles : latency_) serial_length += cycles;
    for (command_.interval = least_interval(); command_.interval < serial_length; ++command_.interval) {
      if (!place()) continue;
      move_sources();
      if (keeps_accumulators() && assign_registers(command_, reads_, values_, datapath_)) return true;
    }
    place_one_by_one();
    return command_.interval <= kLastOffset && assign_registers(command_, reads_, values_, datapath_);
  }

 private:
  [[nodiscard]] int64_t least_interval() const {
    std::map<VectorSlot, int64_t> cycles;
    int64_t least = 1;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].phase != VectorPhase::Body) continue;
      for (const SlotUse& use : uses_[i]) least = std::max(least, cycles[use.slot] += use.cycles);
    }
    return least;
  }

  /// Every step as early as possible, in order; false when a slot of Body is too full.
  bool place() {
    num_placed_ = 0;
    int64_t end = 0;
    for (size_t i = 0; i < steps_.size(); ++i, ++num_placed_) {
      int64_t& offset = steps_[i].offset;
      offset = earliest(i);
      const int64_t last = std::max(offset, end) + command_.interval;
      while (offset <= last && !is_free(i)) ++offset;
      if (offset > last) return false;
      end = std::max(end, offset + latency_[i]);
    }
    return end <= kLastOffset;
  }

  [[nodiscard]] int64_t earliest(size_t step) const {
    int64_t start = 0;
    for (const VectorRead& read : reads_) {
      const bool is_placed = read.reader == step && read.writer < step;
      if (is_placed) start = std::max(start, ready(read.writer) - read_delay_of(steps_[step]));
    }
    return start;
  }

  [[nodiscard]] int64_t ready(size_t step) const { return steps_[step].offset + latency_[step]; }
  [[nodiscard]] int64_t read_cycle(const VectorRead& read) const {
    return steps_[read.reader].offset + read_delay_of(steps_[read.reader]);
  }

  /// Whether no placed step holds a slot that this one wants where it stands.
  [[nodiscard]] bool is_free(size_t step) const {
    for (size_t other = 0; other < num_placed_; ++other) {
      if (other == step) continue;
      for (const SlotUse& own : uses_[step]) {
        for (const SlotUse& use : uses_[other]) {
          if (own.slot == use.slot && (other < step ? meet(other, use, step, own) : meet(step, own, other, use)))
            return false;
        }
      }
    }
    return true;
  }

  /// Whether two uses meet for some vectors, however many there are; `a` comes first in the order of the steps. Cycles of
  /// use a of vector v less those of use b of vector u are a range plus (v - u) x interval.
  [[nodiscard]] bool meet(size_t a, const SlotUse& use_a, size_t b, const SlotUse& use_b) const {
    const int64_t apart = steps_[a].offset + use_a.after - steps_[b].offset - use_b.after;
    const int64_t low = apart - use_b.cycles + 1, high = apart + use_a.cycles - 1;
    if (steps_[a].phase != steps_[b].phase) return has_multiple(low, high, command_.interval, 0);
    if (steps_[a].phase == VectorPhase::Body) return has_multiple(low, high, command_.interval, low);
    return low <= 0 && high >= 0;
  }

  /// Steps of Body without operands, last one first, as late as their readers and slots let them.
  void move_sources() {
    for (size_t i = steps_.size(); i-- > 0;) {
      const auto reads_it = [&](const VectorRead& read) { return read.writer == i; };
      const bool is_source =
          steps_[i].phase == VectorPhase::Body && steps_[i].op != VectorOp::Store &&
          std::none_of(reads_.begin(), reads_.end(), [&](const VectorRead& read) { return read.reader == i; });
      if (!is_source || std::none_of(reads_.begin(), reads_.end(), reads_it)) continue;
      const int64_t earliest_offset = steps_[i].offset;
      int64_t latest = INT64_MAX;
      for (const VectorRead& read : reads_) {
        if (reads_it(read)) latest = std::min(latest, read_cycle(read) - latency_[i]);
      }
      for (steps_[i].offset = latest; steps_[i].offset > earliest_offset && !is_free(i);) --steps_[i].offset;
    }
  }

  /// Values that go on from vector to vector: each is there when the next vector reads it; and no value whose register does
  /// not turn is overwritten before it is read.
  [[nodiscard]] bool keeps_accumulators() const {
    for (const VectorRead& read : reads_) {
      const size_t writer = read.writer_later;
      const bool is_forwarded = writer == read.reader && forwards_to_itself(steps_[writer], command_, datapath_);
      if (read.is_carried() && !is_forwarded && read_cycle(read) + command_.interval < ready(writer)) return false;
    }
    return std::all_of(values_.begin(), values_.end(), [&](const VectorValue& value) {
      return value.is_of_vector || (is_in_order(value, 1) && is_in_order(value, 2));  // [decision 0016]
    });
  }

  /// For so many vectors: every write comes after all earlier reads and writes.
  [[nodiscard]] bool is_in_order(const VectorValue& value, int64_t vectors) const {
    int64_t latest = -1;
    const auto run = [&](VectorPhase phase, int64_t cycles) {
      for (size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].phase != phase) continue;
        for (const size_t index : value.reads) {
          if (reads_[index].reader == i) latest = std::max(latest, read_cycle(reads_[index]) + cycles);
        }
        if (std::find(value.writers.begin(), value.writers.end(), i) == value.writers.end()) continue;
        if (ready(i) + cycles <= latest) return false;
        latest = ready(i) + cycles;
      }
      return true;
    };
    bool holds = run(VectorPhase::Init, 0);
    for (int64_t v = 0; v < vectors; ++v) holds = holds && run(VectorPhase::Body, v * command_.interval);
    return holds && run(VectorPhase::Final, (vectors - 1) * command_.interval);
  }

  /// Every step after the end of the one before, and every vector too: the fewest registers.
  void place_one_by_one() {
    int64_t end = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].offset = end;
      end += latency_[i];
    }
    command_.interval = end;
  }

  VectorCommand& command_;
  std::vector<VectorStep>& steps_;
  const std::vector<VectorRead>& reads_;
  const std::vector<VectorValue>& values_;
  const Datapath& datapath_;
  std::vector<std::vector<SlotUse>> uses_;
  std::vector<int64_t> latency_;
  size_t num_placed_ = 0;
};

}  // namespace

bool schedule(VectorCommand& command, const Datapath& datapath) {
  VectorCommand scheduled = command;
  std::stable_sort(scheduled.steps.begin(), scheduled.steps.end(),
                   [](const VectorStep& a, const VectorStep& b) { return a.phase < b.phase; });
  const auto reads = find_reads(scheduled);
  if (!reads) return false;
  const std::vector<VectorValue> values = find_values(scheduled, *reads);
  if (!Scheduler(scheduled, *reads, values, datapath).run()) return false;
  command = std::move(scheduled);
  return true;
}

}  // namespace vernier::spec
