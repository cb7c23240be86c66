// SPDX-License-Identifier: Apache-2.0
// The control CPU as the target of a debugger.
//
// Contract: the CPU stands before its first instruction, before an instruction with a breakpoint, before one whose load or
// store a watchpoint meets, after each step that the debugger asked for, and where the debugger interrupts it, asleep too.
// While it stands no simulated time passes, so that a debugger that changes nothing changes no result. A step is an
// instruction or the entry of an interrupt; where an interrupt is due, it is entered first and breakpoints are looked at
// when the instruction is next. Accesses of the debugger take no time and go the way of the CPU's: registers are read and
// written as whole words, with the side effects that a read or a write has.
#pragma once

#include "sim/gdb/server.hpp"
#include "sim/soc/control_cpu.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace vernier::soc {

class CpuDebugger : public CpuDebugIf, private gdb::Target {
 public:
  /// `on_kill` is called where the debugger ends the run, while the CPU stands.
  CpuDebugger(ControlCpu& cpu, gdb::Server& server, std::function<void()> on_kill);

  /// For the host, while the CPU runs or sleeps: whether the debugger has just asked it to stand.
  bool poll();
  [[nodiscard]] bool is_killed() const { return is_killed_; }

  bool stops_here() override;
  [[nodiscard]] bool stops_sleep() const override { return is_interrupted_; }
  bool stand() override;
  void stepped() override { is_resumed_ = false; }

 private:
  [[nodiscard]] uint32_t reg(uint32_t number) const override { return cpu_.state().reg(number); }
  void set_reg(uint32_t number, uint32_t value) override { cpu_.debug_state().set_reg(number, value); }
  [[nodiscard]] uint32_t pc() const override { return cpu_.state().pc(); }
  void set_pc(uint32_t pc) override { cpu_.debug_state().set_pc(pc); }
  [[nodiscard]] std::optional<uint32_t> csr(uint32_t number) const override { return cpu_.state().csr(number); }
  bool set_csr(uint32_t number, uint32_t value) override { return cpu_.debug_state().set_csr(number, value); }
  size_t read_memory(uint32_t address, std::span<std::byte> bytes) override;
  bool write_memory(uint32_t address, std::span<const std::byte> bytes) override;
  [[nodiscard]] int64_t cycles() const override { return cpu_.state().cycles(); }
  [[nodiscard]] int64_t instructions() const override { return cpu_.state().retired(); }

  [[nodiscard]] bool is_interrupt_due() const;
  [[nodiscard]] std::optional<gdb::MemoryAccess> next_access();

  ControlCpu& cpu_;
  gdb::Server& server_;
  std::function<void()> on_kill_;
  gdb::Stop stop_;           // the last one, or the one that is about to be
  bool is_stepping_ = true;  // before the first instruction as after a step
  bool is_resumed_ = false;  // the step that comes next was let go by the debugger
  bool is_interrupted_ = false, is_killed_ = false;
};

}  // namespace vernier::soc
