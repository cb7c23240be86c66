// SPDX-License-Identifier: Apache-2.0
// Rules of the schedule of a vector command (hw/spec/command.hpp, "Schedule"), whatever its number of vectors: a slot starts
// one thing at a time, a result is there when it is read, a register is not written while it holds what is still read.
#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/package/validity.hpp"
#include "hw/spec/vector_cycles.hpp"

#include <map>
#include <optional>

namespace vernier::package::detail {
namespace {

using spec::FaultCode;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

/// One cycle of one slot that a step holds.
struct Held {
  size_t step;
  int64_t cycle;
};

/// Two cycles of one slot; a's phase is not after b's. Body repeats, and later phases move away from earlier ones, by whole
/// intervals.
bool meet(const VectorCommand& c, const Held& a, const Held& b) {
  const VectorPhase first = c.steps[a.step].phase, second = c.steps[b.step].phase;
  const int64_t apart = a.cycle - b.cycle;
  if (first == second && first != VectorPhase::Body) return apart == 0;
  return apart % c.interval == 0 && (first == second || apart >= 0);
}

void check_slots(Rules& rules, const VectorCommand& c, const spec::Datapath& datapath) {
  std::map<spec::VectorSlot, std::vector<Held>> held_of;
  for (size_t i = 0; i < c.steps.size(); ++i) {
    for (const spec::SlotUse& use : spec::slot_uses(c.steps[i], c, datapath)) {
      for (int64_t cycle = 0; cycle < use.cycles; ++cycle) {
        held_of[use.slot].push_back({i, c.steps[i].offset + use.after + cycle});
      }
    }
  }
  for (const auto& [slot, held] : held_of) {
    for (size_t i = 0; i < held.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const bool is_in_order = c.steps[held[j].step].phase <= c.steps[held[i].step].phase;
        const bool is_twice = is_in_order ? meet(c, held[j], held[i]) : meet(c, held[i], held[j]);
        rules.require(!is_twice, FaultCode::UnsupportedMode, "steps {} and {} take the same slot in one cycle", held[j].step,
                      held[i].step);
      }
    }
  }
}

/// Runs the steps in their order, so many vectors of Body, and looks at when each register is written and read.
class RegisterWalk {
 public:
  RegisterWalk(Rules& rules, const VectorCommand& command, const spec::Datapath& datapath)
      : rules_(rules), c_(command), datapath_(datapath) {}

  void run(int64_t vectors) {
    run_phase(VectorPhase::Init, 0);
    for (int64_t v = 0; v < vectors; ++v) run_phase(VectorPhase::Body, v);
    run_phase(VectorPhase::Final, vectors - 1);
  }

  /// No register that turns is written while it holds a value that is still read, by any vector.
  void check_turning() {
    const int64_t circle = c_.rotating_registers * c_.interval;
    for (const auto& [writer, life] : lives_) {
      for (const auto& [other, other_life] : lives_) {
        // The first write of `other`, of any vector, into the place of `writer`'s value, after that is there.
        const int64_t vectors_apart = c_.steps[writer].dst - c_.steps[other].dst;
        int64_t after = base::floor_mod(other_life.written + vectors_apart * c_.interval - life.written, circle);
        if (other == writer) after = circle;
        rules_.require(after > life.read - life.written, FaultCode::UnsupportedMode,
                       "step {} writes r{} over the result of step {}, which is read later", other, c_.steps[other].dst,
                       writer);
      }
    }
  }

 private:
  struct Result {
    size_t writer = 0;
    int64_t vector = 0;
    int64_t ready = 0;
  };
  struct Life {
    int64_t written = 0, read = 0;  // cycles of the vector that wrote it
  };

  void run_phase(VectorPhase phase, int64_t vector) {
    for (size_t i = 0; i < c_.steps.size() && !rules_.broken(); ++i) {
      const VectorStep& step = c_.steps[i];
      if (step.phase != phase) continue;
      const spec::OperandsRead reads = spec::operands_read(step);
      if (reads.a) read(i, step.a, vector);
      if (reads.b) read(i, step.b, vector);
      if (reads.c) read(i, step.c, vector);
      if (reads.dst) read(i, step.dst, vector);
      if (step.op != VectorOp::Store) write(i, vector);
    }
  }

  [[nodiscard]] bool turns(int64_t reg) const { return reg < c_.rotating_registers; }

  void read(size_t reader, int64_t reg, int64_t vector) {
    const VectorStep& step = c_.steps[reader];
    const std::optional<Result>& held = held_[static_cast<size_t>(reg)];
    rules_.require(held.has_value(), FaultCode::UnsupportedMode, "step {} reads r{}, which no step has written", reader,
                   reg);
    if (rules_.broken()) return;
    const int64_t cycle = step.offset + spec::read_delay_of(step) + vector * c_.interval;
    const bool is_forwarded = held->writer == reader && spec::forwards_to_itself(step, c_, datapath_);
    rules_.require(is_forwarded || cycle >= held->ready, FaultCode::UnsupportedMode,
                   "step {} reads r{} {} cycles before the result of step {} is there", reader, reg, held->ready - cycle,
                   held->writer);
    if (turns(reg)) {
      rules_.require(!c_.lanes_reduced || step.phase != VectorPhase::Final, FaultCode::UnsupportedMode,
                     "step {} of Final reads r{}, which turns, and lanes are reduced", reader, reg);
      rules_.require(held->vector == vector, FaultCode::UnsupportedMode,
                     "step {} reads r{} of another vector, and the register turns", reader, reg);
      Life& life = lives_[held->writer];
      life.read = std::max(life.read, cycle - vector * c_.interval);
    }
    last_use_[static_cast<size_t>(reg)] = std::max(last_use_[static_cast<size_t>(reg)], cycle);
  }

  void write(size_t writer, int64_t vector) {
    const VectorStep& step = c_.steps[writer];
    const int64_t written = step.offset + spec::latency_of(step, c_, datapath_);
    const int64_t ready = written + vector * c_.interval;
    held_[static_cast<size_t>(step.dst)] = {writer, vector, ready};
    if (turns(step.dst)) {
      rules_.require(step.phase == VectorPhase::Body, FaultCode::UnsupportedMode,
                     "step {} writes r{}, which turns, outside of the body", writer, step.dst);
      Life& life = lives_.try_emplace(writer, Life{written, written}).first->second;
      life.read = std::max(life.read, written);
      return;
    }
    int64_t& last_use = last_use_[static_cast<size_t>(step.dst)];
    rules_.require(ready > last_use, FaultCode::UnsupportedMode,
                   "step {} writes r{} in cycle {}, before it is read or written for the last time by earlier steps", writer,
                   step.dst, ready);
    last_use = ready;
  }

  Rules& rules_;
  const VectorCommand& c_;
  const spec::Datapath& datapath_;
  std::array<std::optional<Result>, spec::kNumVectorRegisters> held_;
  std::array<int64_t, spec::kNumVectorRegisters> last_use_{};
  std::map<size_t, Life> lives_;  // by the step that writes a register that turns
};

}  // namespace

void check_schedule(Rules& rules, const VectorCommand& c, const spec::Datapath& datapath) {
  constexpr int64_t kLast = (int64_t{1} << spec::kVectorOffsetBits) - 1;
  rules.within("interval", c.interval, 1, kLast);
  rules.within("rotating_registers", c.rotating_registers, 0, spec::kNumVectorRegisters);
  for (const VectorStep& step : c.steps) {
    rules.within("step_offset", step.offset, 0, kLast);
    rules.require(step.phase != VectorPhase::Body || step.offset < spec::kMaxVectorsInFlight * c.interval,
                  FaultCode::LimitExceeded,
                  "a step of Body starts {} cycles after its vector: {} vectors of interval {} are in flight at most",
                  step.offset, spec::kMaxVectorsInFlight, c.interval);
  }
  if (rules.broken()) return;
  check_slots(rules, c, datapath);
  // What steps find in registers is alike from the second vector on.
  for (const int64_t vectors : {1, 2, 3}) {
    RegisterWalk walk(rules, c, datapath);
    walk.run(vectors);
    if (c.rotating_registers > 0 && !rules.broken()) walk.check_turning();
  }
}

}  // namespace vernier::package::detail
