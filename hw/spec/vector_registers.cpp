// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/vector_registers.hpp"

#include "hw/base/division.hpp"

namespace vernier::spec {
namespace {

using base::floor_mod;

/// When a value occupies a register, in cycles of its own vector and in the order of the steps.
struct Lifetime {
  size_t value = 0;
  int64_t begin = 0, end = 0;            // cycles, both included
  size_t first_step = 0, last_step = 0;  // writes; reads for the last time
  bool is_written_in_body = false;
  int64_t reg = -1;
};

/// On registers that do not turn, steps in their order have to compute the same (VectorCommand, "Schedule").
bool is_before(const Lifetime& a, const Lifetime& b) { return a.last_step <= b.first_step; }
bool is_in_turn(const Lifetime& a, const Lifetime& b) { return is_before(a, b) || is_before(b, a); }

class Registers {
 public:
  Registers(VectorCommand& command, const std::vector<VectorRead>& reads, const std::vector<VectorValue>& values,
            const Datapath& datapath)
      : command_(command), reads_(reads), values_(values), datapath_(datapath) {
    for (size_t i = 0; i < values.size(); ++i) {
      (values[i].is_of_vector ? turning_ : fixed_).push_back(lifetime_of(i));
    }
    const auto begins_earlier = [](const Lifetime& a, const Lifetime& b) { return a.begin < b.begin; };
    std::stable_sort(turning_.begin(), turning_.end(), begins_earlier);
  }

  bool assign() {
    const int64_t num_fixed = assign_fixed();
    for (int64_t turning = turning_.empty() ? 0 : 1; turning + num_fixed <= kNumVectorRegisters; ++turning) {
      if (!assign_turning(turning)) continue;
      command_.rotating_registers = turning;
      for (Lifetime& life : fixed_) life.reg += turning;
      write_back();
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] Lifetime lifetime_of(size_t value) const {
    Lifetime life{.value = value, .begin = INT64_MAX, .first_step = values_[value].writers.front()};
    size_t last_of_body = 0;
    for (size_t i = 0; i < command_.steps.size(); ++i) {
      if (command_.steps[i].phase == VectorPhase::Body) last_of_body = i;
    }
    for (const size_t writer : values_[value].writers) {
      const VectorStep& step = command_.steps[writer];
      const int64_t written = step.offset + latency_of(step, command_, datapath_);
      life.begin = std::min(life.begin, written);
      life.end = std::max(life.end, written);
      life.last_step = std::max(life.last_step, writer);
      life.is_written_in_body |= step.phase == VectorPhase::Body;
    }
    bool lasts_through_body = life.is_written_in_body && !values_[value].is_of_vector;
    for (const size_t read : values_[value].reads) {
      const VectorStep& step = command_.steps[reads_[read].reader];
      life.end = std::max(life.end, step.offset + read_delay_of(step));
      life.last_step = std::max(life.last_step, reads_[read].reader);
      lasts_through_body |= step.phase == VectorPhase::Body && !values_[value].is_of_vector;
    }
    if (lasts_through_body) life.last_step = std::max(life.last_step, last_of_body + 1);
    return life;
  }

  /// Registers from 0 on; returns how many.
  int64_t assign_fixed() {
    int64_t used = 0;
    for (size_t i = 0; i < fixed_.size(); ++i) {
      const auto suits = [&](int64_t reg) {
        return std::all_of(fixed_.begin(), fixed_.begin() + static_cast<std::ptrdiff_t>(i), [&](const Lifetime& other) {
          if (other.reg != reg) return true;
          const bool is_after = is_before(other, fixed_[i]) && other.end < fixed_[i].begin;
          return is_after && !(other.is_written_in_body && fixed_[i].is_written_in_body);
        });
      };
      int64_t reg = 0;
      while (!suits(reg)) ++reg;
      fixed_[i].reg = reg;
      used = std::max(used, reg + 1);
    }
    return used;
  }

  bool assign_turning(int64_t num_registers) {
    const int64_t circle = num_registers * command_.interval;
    for (size_t i = 0; i < turning_.size(); ++i) {
      Lifetime& life = turning_[i];
      const auto suits = [&](int64_t reg) {
        const int64_t length = life.end - life.begin + 1;
        if (length > circle) return false;
        return std::all_of(turning_.begin(), turning_.begin() + static_cast<std::ptrdiff_t>(i), [&](const Lifetime& other) {
          if (other.reg == reg && !is_in_turn(other, life)) return false;
          const int64_t ahead = (life.begin - reg * command_.interval) - (other.begin - other.reg * command_.interval);
          return floor_mod(ahead, circle) > other.end - other.begin && floor_mod(-ahead, circle) >= length;
        });
      };
      life.reg = 0;
      while (life.reg < num_registers && !suits(life.reg)) ++life.reg;
      if (life.reg == num_registers) return false;
    }
    return true;
  }

  /// Fields that name no register become 0.
  void write_back() {
    for (VectorStep& step : command_.steps) step.dst = step.a = step.b = step.c = 0;
    for (const auto* lives : {&turning_, &fixed_}) {
      for (const Lifetime& life : *lives) {
        for (const size_t writer : values_[life.value].writers) command_.steps[writer].dst = life.reg;
        for (const size_t read : values_[life.value].reads)
          command_.steps[reads_[read].reader].*reads_[read].operand = life.reg;
      }
    }
  }

  VectorCommand& command_;
  const std::vector<VectorRead>& reads_;
  const std::vector<VectorValue>& values_;
  const Datapath& datapath_;
  std::vector<Lifetime> turning_, fixed_;
};

}  // namespace

bool assign_registers(VectorCommand& command, const std::vector<VectorRead>& reads, const std::vector<VectorValue>& values,
                      const Datapath& datapath) {
  return Registers(command, reads, values, datapath).assign();
}

}  // namespace vernier::spec
