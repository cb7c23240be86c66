// SPDX-License-Identifier: Apache-2.0
// The control CPU: an interpreter of RV32IMC with Zicsr and Zifencei, machine mode only, one instruction at a time.
//
// Contract: unprivileged 20191213 and privileged 20211203. Traps are exact: the instruction that raises one has changed
// nothing, and is not counted by minstret. Interrupts are taken between instructions: external before software before timer.
// Loads and stores at an address that is no multiple of their size trap, before the bus sees them. Registers are 0 after
// reset(). mtval of a trap: the address of a load, store or fetch; the instruction's own 16 or 32 bits where it is illegal;
// its address for ebreak; else 0.
//
// Timing: spec::kCpuCycles [decision 0025], and the bus's extra cycles on top.
//
// Decoded instructions are kept by address, in 8,192 slots, until fence.i, reset(), invalidate_decoded(), or until an
// instruction 16 KiB away takes the slot. A program that overwrites instructions without fence.i goes on with the old ones
// where they are kept and gets the new ones elsewhere: always the same for the same run, but nothing to rely on.
//
// Not modelled: user and supervisor mode, debug mode, memory protection, performance counters beside mcycle and minstret,
// the user counters cycle, time and instret (illegal instructions), atomics; fetches ahead of the instruction that is
// executed (D-030).
#pragma once

#include "hw/spec/control_cpu.hpp"
#include "sim/riscv/bus.hpp"
#include "sim/riscv/csr_file.hpp"
#include "sim/riscv/executed.hpp"
#include "sim/riscv/instruction.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace vernier::riscv {

/// What one step was.
enum class Step : uint8_t {
  Retired,      // one instruction was executed
  Trapped,      // one instruction raised an exception; the handler is next
  Interrupted,  // an interrupt was taken; the handler is next
  Waiting,      // nothing, and no cycle passed: the CPU sleeps in wfi
};

/// Why run() came back.
enum class Stop : uint8_t { Cycle, Waiting, Asked };

class Cpu {
 public:
  static constexpr uint32_t kNumRegisters = 32;

  explicit Cpu(Bus& bus);

  /// All registers 0, interrupts off, cycles and retired 0, the next instruction at `pc`, a multiple of 2. The interrupt
  /// lines stay as they are.
  void reset(uint32_t pc);

  /// One instruction, or the entry of one interrupt.
  Step step();
  /// Steps until cycles() is `until_cycle` or later, the CPU sleeps, or stop() was called: always after a whole step.
  Stop run(int64_t until_cycle);
  /// From a bus access: run() returns after the instruction that made it.
  void stop() { is_stop_asked_ = true; }

  /// Who is told of each instruction; empty: nobody. It changes nothing of the CPU.
  void observe(ExecutionObserver observer) { observer_ = std::move(observer); }

  /// Level of one interrupt line; looked at before the next instruction. A sleeping CPU whose line is enabled in mie wakes
  /// at the next step.
  void set_line(spec::CpuInterrupt line, bool is_high);
  /// In wfi, with no enabled interrupt pending.
  [[nodiscard]] bool is_waiting() const { return is_waiting_ && !csrs_.is_pending(); }
  /// Time that the CPU slept, or was held by the machine, in cycles; mcycle counts them.
  void pass_cycles(int64_t num_cycles) { cycles_ += num_cycles; }

  /// Since reset().
  [[nodiscard]] int64_t cycles() const { return cycles_; }
  [[nodiscard]] int64_t retired() const { return retired_; }

  // What a debugger sees and changes.
  [[nodiscard]] uint32_t pc() const { return pc_; }
  void set_pc(uint32_t pc) { pc_ = pc & ~uint32_t{1}; }
  /// `number` is 0 to 31; x0 stays 0.
  [[nodiscard]] uint32_t reg(uint32_t number) const { return registers_[number % kNumRegisters]; }
  void set_reg(uint32_t number, uint32_t value);
  /// nullopt where no such register exists.
  [[nodiscard]] std::optional<uint32_t> csr(uint32_t number) const { return csrs_.read(number, {cycles_, retired_}); }
  /// False where no such register exists or it is read-only.
  bool set_csr(uint32_t number, uint32_t value);
  /// What has changed memory other than the CPU's program calls this: a loader, a debugger.
  void invalidate_decoded();

 private:
  static constexpr uint32_t kNumSlots = 8192;
  static constexpr uint32_t kNothing = 1;  // no instruction has an odd address

  enum class CsrChange : uint8_t { Write, Set, Clear };

  /// An instruction that has been fetched and decoded.
  struct Decoded {
    uint32_t pc = kNothing;
    uint32_t word = 0;          // as fetched, 16 or 32 bits
    uint32_t fetch_cycles = 0;  // the bus's extra cycles
    uint32_t cycles = 0;        // these and the instruction's own
    Instruction instruction;
    uint8_t num_bytes = 0;
  };

  std::optional<Step> before_instruction();
  Step execute_observed(const Decoded& entry);
  void tell_trap(Executed::Kind kind, int64_t cycle, uint32_t pc);
  bool fetch(Decoded& entry);
  Step execute(const Decoded& entry);
  Step control(const Decoded& entry, uint32_t a);
  Step retire(const Decoded& entry, uint32_t next);
  Step branch(const Decoded& entry, bool is_taken);
  template <typename T>
  Step load(const Decoded& entry, uint32_t address);
  template <typename T>
  Step store(const Decoded& entry, uint32_t address, uint32_t value);
  Step access_csr(const Decoded& entry, CsrChange change, uint32_t operand);
  Step return_from_trap(const Decoded& entry);
  Step raise(spec::CpuException cause, uint32_t value, int64_t extra_cycles);
  void interrupts_changed() { is_interrupt_due_ = csrs_.due_interrupt().has_value(); }

  Bus& bus_;
  std::array<uint32_t, kNumRegisters> registers_{};
  uint32_t pc_ = 0;
  bool is_waiting_ = false, is_interrupt_due_ = false, is_stop_asked_ = false;
  int64_t cycles_ = 0, retired_ = 0;
  CsrFile csrs_;
  std::vector<Decoded> decoded_;
  ExecutionObserver observer_;
  Executed::Store stored_;  // by the instruction that is executed; for the observer
};

}  // namespace vernier::riscv
