// SPDX-License-Identifier: Apache-2.0
// Array and vector unit, each with npu_agu and an SRAM behind its ports: random commands, one at a time.
#pragma once

#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/memory/array_memory.hpp"
#include "sim/cosim/memory/vector_memory.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace vernier::cosim {

/// Where npu_agu comes from: each bench has one of its own.
using MakeAgu = std::unique_ptr<RtlBlock> (*)(int lanes);
inline std::unique_ptr<RtlBlock> make_own_agu(int lanes) { return make_rtl_block(spec::kAguBlock.name, lanes); }

inline std::string first_mismatch(const LockStepResult& words, const LockStepResult& values) {
  return words.mismatches > 0 ? words.first_text() : values.first_text();
}

class ArrayBench {
 public:
  ArrayBench(int lanes, bool has_limits, MakeAgu make_agu = &make_own_agu)
      : datapath_{lanes, 4, 2},
        block_(make_rtl_block("npu_datapath", lanes), *spec::rtl_block_of_unit("datapath"), lanes),
        lock_step_(block_, datapath_, 1),
        memory_(block_, datapath_, has_limits, make_agu(lanes)) {
    lock_step_.use_memory(memory_);
  }
  [[nodiscard]] const spec::Datapath& datapath() const { return datapath_; }
  /// Edges that differ from those of ideal memories are no mismatches.
  void relax_cycles() { lock_step_.relax_cycles(); }
  /// Cycles to the last result in memory.
  int64_t run(ArrayCommand command) {
    memory_.prepare(command.command);
    lock_step_.run_sequence({std::move(command)}, ArrayPace::Memory);
    while (!memory_.is_written()) lock_step_.idle(1);
    memory_.end_command();
    return memory_.cycles();
  }
  /// The first mismatch of words, values or edges so far; empty: none.
  [[nodiscard]] std::string mismatch() const { return first_mismatch(memory_.findings(), lock_step_.result()); }
  [[nodiscard]] int64_t beats() const { return memory_.beats(); }

 private:
  spec::Datapath datapath_;
  ClockedBlock block_;
  ArrayLockStep lock_step_;
  ArrayMemory memory_;
};

class VectorBench {
 public:
  VectorBench(int lanes, bool has_limits, MakeAgu make_agu = &make_own_agu)
      : datapath_{lanes, 4, 2},
        block_(make_rtl_block("npu_vector_unit", lanes), *spec::rtl_block_of_unit("vector"), lanes),
        lock_step_(block_, datapath_, 1),
        memory_(block_, datapath_, has_limits, make_agu(lanes)) {
    lock_step_.use_memory(memory_);
  }
  [[nodiscard]] const spec::Datapath& datapath() const { return datapath_; }
  /// Cycles until another command could follow, or the last store is in memory.
  int64_t run(VectorJob job) {
    memory_.prepare(job.command);
    std::vector<VectorJob> jobs;
    jobs.push_back(std::move(job));
    lock_step_.run_sequence(std::move(jobs), ArrayPace::Memory);
    while (!memory_.is_written()) lock_step_.idle(1);
    memory_.end_command();
    return memory_.cycles();
  }
  void set_tables(const kernels::TableMemory& tables) { lock_step_.set_tables(tables); }
  [[nodiscard]] std::string mismatch() const { return first_mismatch(memory_.findings(), lock_step_.result()); }

 private:
  spec::Datapath datapath_;
  ClockedBlock block_;
  VectorLockStep lock_step_;
  VectorMemory memory_;
};

}  // namespace vernier::cosim
