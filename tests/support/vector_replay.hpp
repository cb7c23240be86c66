// SPDX-License-Identifier: Apache-2.0
// Runs the schedule of a vector command cycle by cycle, with the registers of the file and the slots as they are in the
// machine, and looks at whether each step finds what the program means. Written from the text of hw/spec/command.hpp; of the
// code it shares only what a step takes (hw/spec/vector_cycles.hpp).
#pragma once

#include "hw/spec/vector_cycles.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace vernier::tests {

class VectorReplay {
 public:
  VectorReplay(const spec::VectorCommand& command, const spec::Datapath& datapath) : c_(command), datapath_(datapath) {}

  /// The first thing that goes wrong, or nothing. `positions` kept positions, each with so many vectors of Body.
  std::optional<std::string> run(int64_t positions, int64_t vectors) {
    for (int64_t position = 0; position < positions; ++position) {
      start_ = end_;
      vectors_ = vectors;
      run_phase(spec::VectorPhase::Init, position, 0);
      for (int64_t v = 0; v < vectors; ++v) run_phase(spec::VectorPhase::Body, position, v);
      run_phase(spec::VectorPhase::Final, position, vectors - 1);
    }
    look_at_registers();
    return fault_;
  }

  /// Cycles to the end of the last step, those of the first data included.
  [[nodiscard]] int64_t cycles() const { return end_ + (loads_ ? spec::kSramReadLatencyCycles : 0); }

 private:
  /// One result of one step.
  struct Result {
    int64_t position = 0, vector = 0;
    size_t step = 0;
    auto operator<=>(const Result&) const = default;
  };
  struct Write {
    int64_t reg;
    Result result;
  };
  struct Read {
    int64_t reg;
    Result wanted;
    std::string what;
  };

  void run_phase(spec::VectorPhase phase, int64_t position, int64_t vector) {
    for (size_t i = 0; i < c_.steps.size(); ++i) {
      const spec::VectorStep& step = c_.steps[i];
      if (step.phase != phase) continue;
      const int64_t start = start_ + vector * c_.interval + step.offset;
      for (const spec::SlotUse& use : spec::slot_uses(step, c_, datapath_)) {
        for (int64_t cycle = 0; cycle < use.cycles; ++cycle) {
          const bool is_free = slots_.insert({use.slot, start + use.after + cycle}).second;
          if (!is_free) fail(fmt::format("step {} of vector {}: its slot is taken", i, vector));
        }
      }
      const spec::OperandsRead reads = spec::operands_read(step);
      const int64_t read_cycle = start + spec::read_delay_of(step);
      for (const auto& [is_read, reg] : {std::pair(reads.a, step.a), std::pair(reads.b, step.b), std::pair(reads.c, step.c),
                                         std::pair(reads.dst, step.dst)}) {
        if (is_read) add_read(i, reg, vector, read_cycle);
      }
      const int64_t ready = start + spec::latency_of(step, c_, datapath_);
      // A position ends with the last vector; what Init leaves unread may take longer than it needs.
      end_ = std::max(end_, ready + (vectors_ - 1 - vector) * c_.interval);
      loads_ = loads_ || spec::is_load(step.op);
      if (step.op == spec::VectorOp::Store) continue;
      const Result result{position, vector, i};
      meant_[step.dst] = result;
      writes_[ready].push_back({in_file(step.dst, vector), result});
    }
  }

  /// What steps in their order find in registers that do not turn is what is wanted.
  void add_read(size_t step, int64_t reg, int64_t vector, int64_t cycle) {
    const auto meant = meant_.find(reg);
    if (meant == meant_.end()) return fail(fmt::format("step {} reads r{}, which nothing has written", step, reg));
    const Result& wanted = meant->second;
    const bool is_forwarded =
        wanted.step == step && wanted.vector + 1 == vector && spec::forwards_to_itself(c_.steps[step], c_, datapath_);
    if (is_forwarded) return;
    reads_[cycle].push_back(
        {in_file(reg, vector), wanted, fmt::format("step {} of vector {} reads r{}", step, vector, reg)});
  }

  [[nodiscard]] int64_t in_file(int64_t reg, int64_t vector) const {
    return reg < c_.rotating_registers ? (reg + vector) % c_.rotating_registers : reg;
  }

  /// All writes and reads in the order of time.
  void look_at_registers() {
    std::array<std::optional<Result>, spec::kNumVectorRegisters> file;
    const int64_t last =
        std::max(writes_.empty() ? 0 : writes_.rbegin()->first, reads_.empty() ? 0 : reads_.rbegin()->first);
    for (int64_t cycle = 0; cycle <= last; ++cycle) {
      std::set<int64_t> written;
      for (const Write& write : writes_[cycle]) {
        if (!written.insert(write.reg).second) fail(fmt::format("two writes of register {} in cycle {}", write.reg, cycle));
        file.at(static_cast<size_t>(write.reg)) = write.result;
      }
      for (const Read& read : reads_[cycle]) {
        if (file.at(static_cast<size_t>(read.reg)) != read.wanted) fail(fmt::format("{} in cycle {}", read.what, cycle));
      }
    }
  }

  void fail(std::string what) {
    if (!fault_) fault_ = std::move(what);
  }

  const spec::VectorCommand& c_;
  const spec::Datapath& datapath_;
  int64_t start_ = 0, end_ = 0, vectors_ = 1;
  bool loads_ = false;
  std::set<std::pair<spec::VectorSlot, int64_t>> slots_;
  std::map<int64_t, Result> meant_;  // by register, as steps in their order have it
  std::map<int64_t, std::vector<Write>> writes_;
  std::map<int64_t, std::vector<Read>> reads_;  // by cycle
  std::optional<std::string> fault_;
};

}  // namespace vernier::tests
