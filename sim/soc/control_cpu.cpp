// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/control_cpu.hpp"

#include "sim/kit/transaction.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace vernier::soc {

namespace {

/// Nothing else of the machine is about to happen: so far the CPU goes at once.
constexpr int64_t kMostCyclesAhead = 1 << 16;

/// Byte offset in the window; nullopt where the access is not all inside.
std::optional<int64_t> offset_in(spec::CpuWindowId window, uint32_t address, uint32_t num_bytes) {
  const uint32_t base = spec::cpu_window_base(window);
  if (address < base || address - base > spec::cpu_window(window).size_bytes - num_bytes) return std::nullopt;
  return address - base;
}

riscv::BusReply read_local(mem::MemoryIf& memory, int64_t offset, uint32_t num_bytes) {
  if (memory.find_parity_error(offset, num_bytes)) return {.is_fault = true};
  riscv::BusReply reply;
  std::memcpy(&reply.value, memory.storage().bytes().data() + offset, num_bytes);
  return reply;
}

}  // namespace

ControlCpu::ControlCpu(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  SC_THREAD(run_thread);
  SC_METHOD(interrupt_method);
  sensitive << external_i << timer_i;
  dont_initialize();
}

void ControlCpu::reset() {
  cpu_.reset(spec::cpu_window_base(spec::CpuWindowId::Firmware));
  cpu_.set_line(spec::CpuInterrupt::External, false);
  cpu_.set_line(spec::CpuInterrupt::Timer, false);
  sleep_cycles_ = bus_cycles_ = 0;
  asleep_since_.reset();
}

/// An access counts when it has been answered, a sleep up to now.
int64_t ControlCpu::cpu_count(spec::CpuEvent event) const {
  switch (event) {
    case spec::CpuEvent::Instructions: return cpu_.retired();
    case spec::CpuEvent::SleepCycles: return sleep_cycles_ + (asleep_since_ ? now() - *asleep_since_ : 0);
    case spec::CpuEvent::BusCycles: return bus_cycles_;
  }
  return 0;
}

riscv::BusReply ControlCpu::fetch(uint32_t address, uint32_t num_bytes) {
  if (const auto offset = offset_in(spec::CpuWindowId::Firmware, address, num_bytes))
    return read_local(*firmware_port.operator->(), *offset, num_bytes);
  if (const auto offset = offset_in(spec::CpuWindowId::Ram, address, num_bytes))
    return read_local(*ram_port.operator->(), *offset, num_bytes);
  return {.is_fault = true};
}

riscv::BusReply ControlCpu::load(uint32_t address, uint32_t num_bytes) {
  if (const auto offset = offset_in(spec::CpuWindowId::Ram, address, num_bytes))
    return read_local(*ram_port.operator->(), *offset, num_bytes);
  if (const auto offset = offset_in(spec::CpuWindowId::Firmware, address, num_bytes))
    return read_local(*firmware_port.operator->(), *offset, num_bytes);
  return access_blocking(tlm::TLM_READ_COMMAND, address, num_bytes, 0);
}

riscv::BusReply ControlCpu::store(uint32_t address, uint32_t num_bytes, uint32_t value) {
  if (const auto offset = offset_in(spec::CpuWindowId::Ram, address, num_bytes)) {
    ram_port->write(*offset, std::as_bytes(std::span(&value, 1)).first(num_bytes));
    return {};
  }
  if (offset_in(spec::CpuWindowId::Firmware, address, num_bytes)) return {.is_fault = true};
  return access_blocking(tlm::TLM_WRITE_COMMAND, address, num_bytes, value);
}

riscv::BusReply ControlCpu::access_blocking(tlm::tlm_command command, uint32_t address, uint32_t num_bytes, uint32_t value) {
  cpu_.stop();                                             // what the access changes decides how far the CPU may run ahead
  if (!synchronize_blocking()) return {.is_fault = true};  // nobody sees what becomes of it
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1)).first(num_bytes);
  const tlm::tlm_response_status status = kit::access(bus_initiator, command, address, bytes, delay);
  const auto extra_cycles = static_cast<uint32_t>(delay.value() / kit::to_time(1).value());
  bus_cycles_ += extra_cycles;
  return {.value = value, .extra_cycles = extra_cycles, .is_fault = status != tlm::TLM_OK_RESPONSE};
}

void ControlCpu::run_thread() {
  while (true) {
    wait(begin_event_);
    try {
      execute_blocking();
    } catch (...) {
      clock().fail(std::current_exception());
    }
  }
}

void ControlCpu::execute_blocking() {
  while (synchronize_blocking()) {
    const std::optional<riscv::Stop> stop = run_blocking(cpu_.cycles() + cycles_ahead());
    if (!stop) return;
    if (*stop != riscv::Stop::Waiting) continue;
    bool is_running = synchronize_blocking();
    asleep_since_ = now();
    while (is_running && cpu_.is_waiting()) {
      if (debugger_ != nullptr && debugger_->stops_sleep()) {
        cpu_.pass_cycles(now() - cpu_.cycles());
        is_running = stand_blocking();
        continue;
      }
      wait(wake_event_);
      is_running = settle_blocking();
    }
    if (!is_running) return;
    sleep_cycles_ += now() - *std::exchange(asleep_since_, std::nullopt);
    cpu_.pass_cycles(now() - cpu_.cycles());
  }
}

/// Until that cycle, as riscv::Cpu::run(); with a debugger step by step. nullopt: it runs no more.
std::optional<riscv::Stop> ControlCpu::run_blocking(int64_t until_cycle) {
  if (debugger_ == nullptr) return cpu_.run(until_cycle);
  riscv::Stop stop = riscv::Stop::Cycle;
  while (stop == riscv::Stop::Cycle && cpu_.cycles() < until_cycle) {
    // What the debugger changes decides how far the CPU may run ahead.
    if (debugger_->stops_here()) return stand_blocking() ? std::optional(riscv::Stop::Asked) : std::nullopt;
    stop = cpu_.run(cpu_.cycles() + 1);  // one step: each takes a cycle at least
    if (stop != riscv::Stop::Waiting) debugger_->stepped();
  }
  return stop;
}

bool ControlCpu::stand_blocking() { return synchronize_blocking() && debugger_->stand(); }

bool ControlCpu::debug_access(tlm::tlm_command command, uint32_t address, std::span<std::byte> bytes) {
  const auto num_bytes = static_cast<uint32_t>(bytes.size());
  for (const auto id : {spec::CpuWindowId::Ram, spec::CpuWindowId::Firmware}) {
    const std::optional<int64_t> offset = offset_in(id, address, num_bytes);
    if (!offset) continue;
    mem::MemoryIf& memory = id == spec::CpuWindowId::Ram ? *ram_port.operator->() : *firmware_port.operator->();
    if (command == tlm::TLM_READ_COMMAND) {
      std::memcpy(bytes.data(), memory.storage().bytes().data() + *offset, num_bytes);
    } else {
      memory.write(*offset, bytes);
      cpu_.invalidate_decoded();
    }
    return true;
  }
  sc_core::sc_time unused = sc_core::SC_ZERO_TIME;
  return kit::access(bus_initiator, command, address, bytes, unused) == tlm::TLM_OK_RESPONSE;
}

/// Until the CPU's cycle has come, and all else of that cycle has happened. False: the clock was halted.
bool ControlCpu::synchronize_blocking() {
  if (!clock().is_running()) return false;
  if (const int64_t cycles = cpu_.cycles() - now(); cycles > 0) wait(kit::to_time(cycles));
  return settle_blocking();
}

bool ControlCpu::settle_blocking() {
  while (sc_core::sc_pending_activity_at_current_time()) wait(sc_core::SC_ZERO_TIME);
  return clock().is_running();
}

/// One cycle at least, so that an instruction is executed; nothing else of this cycle is left.
int64_t ControlCpu::cycles_ahead() const {
  sc_core::sc_time ahead = std::min(sc_core::sc_time_to_pending_activity(), kit::to_time(kMostCyclesAhead));
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  ahead = std::min(ahead, limit_ > now ? limit_ - now : sc_core::SC_ZERO_TIME);
  return std::max<int64_t>(1, static_cast<int64_t>(ahead.value() / kit::to_time(1).value()));
}

/// Not guarded: the lines fall with a reset between jobs too.
void ControlCpu::interrupt_method() {
  cpu_.set_line(spec::CpuInterrupt::External, external_i.read());
  cpu_.set_line(spec::CpuInterrupt::Timer, timer_i.read());
  wake_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace vernier::soc
