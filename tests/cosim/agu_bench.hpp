// SPDX-License-Identifier: Apache-2.0
// Array and vector unit, each with npu_agu and an SRAM behind its ports: random commands, one at a time.
#pragma once

#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/memory/array_memory.hpp"
#include "sim/cosim/memory/vector_memory.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace vernier::cosim {

/// Where npu_agu comes from: each bench has one of its own.
using MakeAgu = std::unique_ptr<RtlBlock> (*)(int lanes);
inline std::unique_ptr<RtlBlock> make_own_agu(int lanes) { return make_rtl_block(spec::kAguBlock.name, lanes); }

/// Of the unit that takes commands of that type.
template <typename UnitCommand, typename UnitLockStep, typename UnitMemory>
class MemoryBench {
 public:
  MemoryBench(int lanes, bool has_limits, MakeAgu make_agu = &make_own_agu, bool is_strict = true)
      : datapath_{lanes, 4, 2},
        block_(make_rtl_block(unit().name, lanes), unit(), lanes),
        memory_(block_, datapath_, has_limits, make_agu(lanes)),
        lock_step_(block_, datapath_, {.is_strict = is_strict, .memory = &memory_}) {}
  [[nodiscard]] const spec::Datapath& datapath() const { return datapath_; }
  /// Cycles to the last result in memory, and of the vector unit until another command could follow.
  int64_t run(Work work) {
    memory_.prepare(std::get<UnitCommand>(work.command.body));
    lock_step_.run_sequence({.works = {std::move(work)}, .pace = ArrayPace::Memory, .tables = tables_});
    while (!memory_.is_written()) lock_step_.idle(1);
    memory_.end_command();
    return memory_.cycles();
  }
  void set_tables(const kernels::TableMemory& tables) { tables_ = tables; }
  /// The first mismatch of words, values or edges so far; empty: none.
  [[nodiscard]] std::string mismatch() const {
    const LockStepResult& words = memory_.findings();
    return words.mismatches > 0 ? words.first_text() : lock_step_.result().first_text();
  }
  [[nodiscard]] int64_t beats() const { return memory_.beats(); }

 private:
  static const spec::RtlBlock& unit() {
    return *spec::rtl_block_of_unit(std::is_same_v<UnitCommand, spec::MacCommand> ? "datapath" : "vector");
  }
  spec::Datapath datapath_;
  ClockedBlock block_;
  UnitMemory memory_;
  UnitLockStep lock_step_;
  std::optional<kernels::TableMemory> tables_;
};
using ArrayBench = MemoryBench<spec::MacCommand, ArrayLockStep, ArrayMemory>;
using VectorBench = MemoryBench<spec::VectorCommand, VectorLockStep, VectorMemory>;

}  // namespace vernier::cosim
