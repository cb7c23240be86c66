// SPDX-License-Identifier: Apache-2.0
// The control CPU beside Unicorn's: both execute the same program, and after each instruction all registers, pc and what was
// stored are compared. What Unicorn 2.0 cannot do, the harness does for it: it enters traps (Unicorn does not), and where an
// instruction reads or writes a register that differs by design (mstatus, misa, counters, ...) Unicorn gets our state.
#pragma once

#include "tests/unit/sim_riscv/machine.hpp"
#include "tests/unit/sim_riscv/random_words.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unicorn/unicorn.h>
#include <vector>

namespace vernier::tests::rv {

/// Can be written in the data of a random program alone.
class LockstepRam : public Ram {
 public:
  riscv::BusReply store(uint32_t address, uint32_t num_bytes, uint32_t value) override;

  std::optional<riscv::Executed::Store> stored;  // by the last instruction
};

class Lockstep {
 public:
  explicit Lockstep(uint64_t salt);
  ~Lockstep();
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  /// Random programs until so many instructions were compared. Returns the first difference, or an empty string.
  std::string run(int64_t num_instructions);

  [[nodiscard]] int64_t num_compared() const { return num_compared_; }
  [[nodiscard]] int64_t num_traps() const { return num_traps_; }
  [[nodiscard]] int64_t num_copied() const { return num_copied_; }
  [[nodiscard]] int64_t num_programs() const { return num_programs_; }

 private:
  static void on_instruction(uc_engine* engine, uint64_t address, uint32_t num_bytes, void* lockstep);
  static void on_store(uc_engine* engine, uc_mem_type type, uint64_t address, int num_bytes, int64_t value, void* lockstep);

  void begin_program();
  void before_instruction(uint32_t pc);
  void compare(uint32_t pc);
  void continue_after_stop();
  void copy_state();
  [[nodiscard]] std::string difference_in_memory() const;
  void differ(const std::string& text);
  [[nodiscard]] bool is_comparable(uint32_t word) const;

  RandomWords random_;
  LockstepRam ram_;
  riscv::Cpu cpu_{ram_};
  uc_engine* engine_ = nullptr;
  std::string difference_;
  bool must_copy_ = false;  // Unicorn does not execute this instruction, it gets our state after it
  int64_t num_compared_ = 0, num_traps_ = 0, num_copied_ = 0, num_programs_ = 0;
  int64_t num_left_ = 0;  // instructions of this program
};

}  // namespace vernier::tests::rv
