// SPDX-License-Identifier: Apache-2.0
// The control CPU as a module: the interpreter of sim/riscv in simulated time.
//
// Contract: begin() starts it at the first byte of the firmware memory, in cycle 0 of its clock. Instructions come from the
// firmware memory and the RAM, which are its own; it cannot write the first. All other addresses go to the bus, in the cycle
// in which the instruction begins; an error response is an access fault, and so is a byte of the RAM whose parity is wrong.
// The lines of the external and the timer interrupt are looked at before each instruction.
//
// Timing: the interpreter's cycles (D-030), and those of the bus. The CPU runs ahead of simulated time only up to the next
// event of the machine, up to limit(), and up to the next access to the bus: there it waits until its cycle has come and all
// else of that cycle has happened. So nothing can change under instructions that ran ahead, an access sees the values of its
// cycle, and an interrupt is taken before the first instruction that begins in the cycle in which its line rose, or later.
// In wfi it makes no event. With a debugger it goes step by step, which changes no cycle.
//
// Instructions in SRAM and external memory are access faults; the line of software interrupts is low.
#pragma once

#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"
#include "sim/mem/memory.hpp"
#include "sim/riscv/cpu.hpp"
#include "sim/soc/pmu.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <optional>
#include <span>
#include <utility>

namespace vernier::soc {

/// Who may stop the CPU before each of its steps. All calls are the CPU's process's.
class CpuDebugIf {
 public:
  CpuDebugIf() = default;
  CpuDebugIf(const CpuDebugIf&) = delete;
  CpuDebugIf& operator=(const CpuDebugIf&) = delete;
  virtual ~CpuDebugIf() = default;

  /// Whether the CPU is to stand before the next step.
  virtual bool stops_here() = 0;
  /// Whether a CPU that sleeps is to stand.
  [[nodiscard]] virtual bool stops_sleep() const = 0;
  /// Comes back when the CPU may go on; no simulated time passes. False: it runs no more.
  virtual bool stand() = 0;
  /// A step was made.
  virtual void stepped() = 0;
};

class ControlCpu : public kit::Module, public CpuCountsIf, private riscv::Bus {
 public:
  ControlCpu(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::simple_initiator_socket<ControlCpu> bus_initiator{"bus_initiator"};
  sc_core::sc_port<mem::MemoryIf> firmware_port{"firmware_port"}, ram_port{"ram_port"};
  sc_core::sc_in<bool> external_i{"external_i"}, timer_i{"timer_i"};

  /// Precondition: it has stopped, which it has when the clock is halted and no event is left.
  void reset() override;
  /// Runs from the next delta cycle on, while the clock runs.
  void begin() { begin_event_.notify(sc_core::SC_ZERO_TIME); }
  /// Does not run ahead of this time: the host looks at the machine then.
  void limit(const sc_core::sc_time& time) { limit_ = time; }
  /// Lets a sleeping CPU notice that the clock is halted.
  void nudge() { wake_event_.notify(sc_core::SC_ZERO_TIME); }

  /// Who is told of each instruction, with cycles from begin() on; empty: nobody.
  void observe(riscv::ExecutionObserver observer) { cpu_.observe(std::move(observer)); }

  /// Who stops it; null: nobody. Where it stands, the time of the machine is that of the CPU.
  void attach(CpuDebugIf* debugger) { debugger_ = debugger; }
  /// What a debugger changes. Only where the CPU stands.
  [[nodiscard]] riscv::Cpu& debug_state() { return cpu_; }
  /// An access by a debugger, as the CPU makes them, but in no time, and the firmware memory can be written. False: an
  /// access fault. Only where the CPU stands.
  bool debug_access(tlm::tlm_command command, uint32_t address, std::span<std::byte> bytes);

  [[nodiscard]] const riscv::Cpu& state() const { return cpu_; }
  [[nodiscard]] int64_t cpu_count(spec::CpuEvent event) const override;

 private:
  SC_HAS_PROCESS(ControlCpu);
  // riscv::Bus. Accesses to the bus wait.
  riscv::BusReply fetch(uint32_t address, uint32_t num_bytes) override;
  riscv::BusReply load(uint32_t address, uint32_t num_bytes) override;
  riscv::BusReply store(uint32_t address, uint32_t num_bytes, uint32_t value) override;
  riscv::BusReply access_blocking(tlm::tlm_command command, uint32_t address, uint32_t num_bytes, uint32_t value);

  void run_thread();
  std::optional<riscv::Stop> run_blocking(int64_t until_cycle);
  [[nodiscard]] bool stand_blocking();
  void execute_blocking();
  [[nodiscard]] bool synchronize_blocking();
  [[nodiscard]] bool settle_blocking();
  [[nodiscard]] int64_t cycles_ahead() const;
  void interrupt_method();

  riscv::Cpu cpu_{*this};
  int64_t sleep_cycles_ = 0, bus_cycles_ = 0;  // since reset()
  std::optional<int64_t> asleep_since_;        // in wfi, whose own cycles are over
  CpuDebugIf* debugger_ = nullptr;
  sc_core::sc_time limit_;
  sc_core::sc_event begin_event_{"begin_event"}, wake_event_{"wake_event"};
};

}  // namespace vernier::soc
