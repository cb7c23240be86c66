// SPDX-License-Identifier: Apache-2.0
// The control and status registers of the control CPU, as spec::kCpuCsrs lists them, and what traps do to them.
//
// Contract: privileged 20211203, chapters 2 and 3, for a hart with machine mode alone. A write takes effect when the
// instruction that makes it has completed: the next instruction reads mcycle and minstret exactly as they were written.
#pragma once

#include "hw/spec/control_cpu.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace vernier::riscv {

/// A point in the life of the CPU since its reset.
struct CpuTime {
  int64_t cycles = 0;
  int64_t retired = 0;  // instructions
};

class CsrFile {
 public:
  CsrFile() { reset(); }
  /// The interrupt lines stay as they are.
  void reset();

  /// nullopt where no register has that number. mcycle and minstret are those at `now`.
  [[nodiscard]] std::optional<uint32_t> read(uint32_t number, CpuTime now) const;
  /// False, and nothing changes, where no register has that number or it is read-only by its number. `completed`: when the
  /// writing instruction has completed.
  bool write(uint32_t number, uint32_t value, CpuTime completed);

  /// mepc, mcause and mtval are set, interrupts are off. Returns the address of the handler.
  uint32_t enter_exception(spec::CpuException cause, uint32_t pc, uint32_t value);
  uint32_t enter_interrupt(spec::CpuInterrupt cause, uint32_t pc);
  /// mret: returns mepc.
  uint32_t leave_trap();

  void set_line(spec::CpuInterrupt line, bool is_high);
  /// Whether an enabled interrupt is pending, which ends a wait whatever mstatus.MIE is.
  [[nodiscard]] bool is_pending() const { return (value(spec::CpuCsrId::Mip) & value(spec::CpuCsrId::Mie)) != 0; }
  /// The interrupt to take before the next instruction.
  [[nodiscard]] std::optional<spec::CpuInterrupt> due_interrupt() const;

 private:
  /// A counter of 64 bits: `since` + the count of the CPU, or, while inhibited, `since` alone.
  struct Counter {
    uint64_t since = 0;
    bool is_inhibited = false;
    [[nodiscard]] uint64_t at(int64_t count) const { return is_inhibited ? since : since + static_cast<uint64_t>(count); }
    void set(uint64_t value, int64_t count) { since = is_inhibited ? value : value - static_cast<uint64_t>(count); }
    void inhibit(bool inhibited, int64_t count);
  };

  [[nodiscard]] uint32_t value(spec::CpuCsrId id) const { return values_[static_cast<size_t>(id)]; }
  uint32_t& value(spec::CpuCsrId id) { return values_[static_cast<size_t>(id)]; }
  uint32_t enter(uint32_t cause, uint32_t pc, uint32_t trap_value);

  std::array<uint32_t, spec::kCpuCsrs.size()> values_{};  // those of the counters are not used
  Counter cycles_, retired_;
};

}  // namespace vernier::riscv
