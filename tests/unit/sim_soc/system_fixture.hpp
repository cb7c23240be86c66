// SPDX-License-Identifier: Apache-2.0
// The control system with a program of a test, and a host's accesses to its registers.
#pragma once

#include "sim/kit/simulation_context.hpp"
#include "sim/soc/control_system.hpp"
#include "sim/soc/register_block.hpp"
#include "tests/unit/sim_riscv/encode.hpp"

#include <catch2/catch.hpp>
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace vernier::soc {

/// One access to a target, at once.
template <typename Socket>
tlm::tlm_response_status access(Socket& socket, tlm::tlm_command command, uint64_t address, uint32_t& value,
                                unsigned num_bytes = 4) {
  sc_core::sc_time delay;
  return kit::access(socket, command, address, std::as_writable_bytes(std::span(&value, 1)).first(num_bytes), delay);
}

/// Who reads and writes the registers of a unit that stands alone.
struct RegisterDriver : sc_core::sc_module {
  explicit RegisterDriver(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  uint32_t read(uint32_t offset) {
    uint32_t value = 0;
    REQUIRE(access(initiator, tlm::TLM_READ_COMMAND, offset, value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(uint32_t offset, uint32_t value) {
    REQUIRE(access(initiator, tlm::TLM_WRITE_COMMAND, offset, value) == tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_initiator_socket<RegisterDriver> initiator{"initiator"};
};

/// Something of the machine that happens in one cycle.
class LaterAction : public sc_core::sc_module {
 public:
  explicit LaterAction(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_METHOD(act_method);
    sensitive << event_;
    dont_initialize();
  }
  void in(int64_t cycles, std::function<void()> action) {
    action_ = std::move(action);
    event_.notify(kit::to_time(cycles));
  }

 private:
  SC_HAS_PROCESS(LaterAction);
  void act_method() { action_(); }

  std::function<void()> action_;
  sc_core::sc_event event_{"event"};
};

/// A whole machine whose CPU runs a program of 32-bit instructions.
class SystemFixture {
 public:
  SystemFixture() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    npu.reset();
    system.reset();
  }
  /// The CPU is released in cycle 0.
  void begin(const std::vector<uint32_t>& program) {
    system.firmware.write(0, std::as_bytes(std::span(program)));
    clock.begin();
    system.cpu.begin();
  }
  /// Runs to that cycle, all of it included.
  void run_to(int64_t cycle) {
    const sc_core::sc_time left = kit::to_time(cycle - clock.now());
    system.cpu.limit(sc_core::sc_time_stamp() + left);
    sc_core::sc_start(left, sc_core::SC_RUN_TO_TIME);
  }
  [[nodiscard]] uint32_t reg(uint32_t number) const { return system.cpu.state().reg(number); }
  uint32_t mailbox(std::string_view name) {
    uint32_t value = 0;
    REQUIRE(access(system.mailbox_initiator, tlm::TLM_READ_COMMAND, register_offset(spec::kMailboxRegisters, name), value) ==
            tlm::TLM_OK_RESPONSE);
    return value;
  }
  void set_mailbox(std::string_view name, uint32_t value) {
    REQUIRE(access(system.mailbox_initiator, tlm::TLM_WRITE_COMMAND, register_offset(spec::kMailboxRegisters, name),
                   value) == tlm::TLM_OK_RESPONSE);
  }

  config::MachineConfig config = config::preset_config("v256", "test");
  kit::SimulationContext context;
  kit::JobClock npu_clock, clock;
  units::KernelDatapath datapath{config};
  NpuTop npu{"npu", npu_clock, config, datapath};
  ControlSystem system{"control", clock, config, npu};
  LaterAction later{"later"};
};

/// Upper 20 bits of the base of a window or region, for lui.
constexpr uint32_t high_of(uint32_t address) { return address >> 12; }
constexpr uint32_t kMailboxPage = high_of(spec::cpu_window_base(spec::CpuWindowId::Mailbox));
constexpr uint32_t kInterruptsPage = high_of(spec::cpu_window_base(spec::CpuWindowId::Interrupts));
constexpr uint32_t kConsolePage = high_of(spec::cpu_window_base(spec::CpuWindowId::Console));
constexpr uint32_t kTimerPage = high_of(spec::cpu_window_base(spec::CpuWindowId::Timer));
constexpr uint32_t kWatchdogPage = high_of(spec::cpu_window_base(spec::CpuWindowId::Watchdog));
constexpr uint32_t kRamPage = high_of(spec::cpu_window_base(spec::CpuWindowId::Ram));

}  // namespace vernier::soc
