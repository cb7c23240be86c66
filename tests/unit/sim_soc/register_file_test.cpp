// SPDX-License-Identifier: Apache-2.0
// A host that knows nothing but the registers runs a stream.
#include "sim/kit/simulation_context.hpp"
#include "sim/soc/npu_top.hpp"
#include "sim/soc/register_block.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

using namespace vernier;

namespace {

struct Machine {
  Machine() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  tlm::tlm_response_status access(tlm::tlm_command command, uint32_t address, uint32_t& value, unsigned length = 4) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    transaction.set_data_length(length);
    sc_core::sc_time delay;
    top.host_initiator->b_transport(transaction, delay);
    return transaction.get_response_status();
  }
  uint32_t read(std::string_view name) {
    uint32_t value = 0;
    REQUIRE(access(tlm::TLM_READ_COMMAND, soc::register_offset(spec::kRegisters, name), value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::string_view name, uint32_t value) {
    REQUIRE(access(tlm::TLM_WRITE_COMMAND, soc::register_offset(spec::kRegisters, name), value) == tlm::TLM_OK_RESPONSE);
  }
  void set_up() {
    units::JobSetup setup;
    setup.watchdog_cycles = 1'000'000;
    top.command_log.set_up(std::move(setup));
  }
  void run(const support::StreamAssembler& assembler) {
    top.reset();
    auto stream = assembler;
    const std::vector<std::byte>& bytes = stream.package().stream;
    top.sram.write(support::kStreamBase, bytes);
    set_up();
    write("STREAM_ADDRESS", support::kStreamBase);
    write("STREAM_BYTES", static_cast<uint32_t>(bytes.size()));
    write("IRQ_ENABLE", 3);
    clock.begin();
    write("CONTROL", 1);
    CHECK(read("STATUS") == 1);
    sc_core::sc_start();
  }

  config::MachineConfig config = config::preset_config("v256", "test");
  kit::SimulationContext context;
  kit::JobClock clock;
  units::KernelDatapath datapath{config};
  soc::NpuTop top{"npu", clock, config, datapath};
};

}  // namespace

TEST_CASE("Status, fault, interrupt and counters are read as the contract says") {
  Machine machine;
  support::StreamAssembler good(machine.config);
  good.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7)).end();
  machine.run(good);
  CHECK(machine.read("ID") == 0x56524E52);
  CHECK(machine.read("STATUS") == 2);
  CHECK(machine.read("FAULT_CODE") == 0);
  CHECK(machine.read("IRQ_STATUS") == 1);
  CHECK(machine.top.irq.read());
  CHECK(machine.read("PMU_COMMANDS") == 2);
  CHECK(machine.read("PMU_CYCLES_LOW") == static_cast<uint32_t>(machine.clock.now()));
  machine.write("IRQ_STATUS", 1);
  sc_core::sc_start();
  CHECK(machine.read("IRQ_STATUS") == 0);
  CHECK_FALSE(machine.top.irq.read());

  support::StreamAssembler bad(machine.config);
  bad.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7));
  const auto offset = static_cast<uint32_t>(bad.package().stream.size());
  bad.add(support::dma_copy(spec::Queue::Dma1, support::sram(512), support::sram(1024), 64)).end();
  machine.run(bad);
  CHECK(machine.read("STATUS") == 4);
  CHECK(machine.read("FAULT_CODE") == static_cast<uint32_t>(spec::FaultCode::UninitialisedRead));
  CHECK(machine.read("FAULT_ADDRESS") == offset);
  CHECK(machine.read("IRQ_STATUS") == 2);
  CHECK(machine.top.irq.read());
}

TEST_CASE("Registers are aligned words, the read-only ones stay") {
  Machine machine;
  machine.top.reset();
  uint32_t value = 1;
  CHECK(machine.access(tlm::TLM_READ_COMMAND, 0x02, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(machine.access(tlm::TLM_READ_COMMAND, 0x1000, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(machine.access(tlm::TLM_READ_COMMAND, 0x00, value, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
  machine.write("ID", 0);
  CHECK(machine.read("ID") == 0x56524E52);
  machine.write("STREAM_BYTES", 48);
  CHECK(machine.read("STREAM_BYTES") == 48);
}

TEST_CASE("An interrupt that is not enabled is noted, and the line stays low until it is") {
  Machine machine;
  support::StreamAssembler good(machine.config);
  good.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7)).end();
  machine.run(good);
  CHECK(machine.top.irq.read());
  machine.write("IRQ_ENABLE", 6);
  sc_core::sc_start();
  CHECK(machine.read("IRQ_STATUS") == 1);
  CHECK_FALSE(machine.top.irq.read());
  machine.write("IRQ_STATUS", 6);  // clears others
  CHECK(machine.read("IRQ_STATUS") == 1);
  machine.write("IRQ_ENABLE", 1);
  sc_core::sc_start();
  CHECK(machine.top.irq.read());
}

TEST_CASE("The counter of cycles has two halves") {
  Machine machine;
  machine.top.reset();
  machine.clock.begin();
  constexpr int64_t kCycles = (int64_t{3} << 32) + 0xFFFFFFF0;
  sc_core::sc_start(kit::to_time(kCycles));
  CHECK(machine.read("PMU_CYCLES_HIGH") == 3);
  CHECK(machine.read("PMU_CYCLES_LOW") == 0xFFFFFFF0);
  sc_core::sc_start(kit::to_time(16));
  CHECK(machine.read("PMU_CYCLES_HIGH") == 4);
  CHECK(machine.read("PMU_CYCLES_LOW") == 0);
}

TEST_CASE("The watchdog leaves nothing running and raises its own interrupt, and reset takes it back") {
  Machine machine;
  support::StreamAssembler good(machine.config);
  good.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7)).end();
  machine.run(good);
  machine.write("IRQ_STATUS", 7);
  machine.write("IRQ_ENABLE", 4);
  machine.top.register_file.set_watchdog();
  sc_core::sc_start();
  CHECK(machine.read("STATUS") == 0);
  CHECK(machine.read("IRQ_STATUS") == 4);
  CHECK(machine.top.irq.read());
  machine.top.reset();
  sc_core::sc_start();
  CHECK_FALSE(machine.top.irq.read());
  for (const spec::Register& reg : spec::kRegisters) {
    if (reg.name.starts_with("PMU_CYCLES")) continue;  // the clock's
    INFO(reg.name);
    CHECK(machine.read(reg.name) == reg.reset);
  }
}

TEST_CASE("A start while a stream runs does nothing, and each one that does something is told before") {
  Machine machine;
  int num_starts = 0;
  machine.top.register_file.on_start([&] { ++num_starts; });
  support::StreamAssembler good(machine.config);
  good.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7)).end();
  machine.run(good);
  CHECK(num_starts == 1);
  const int64_t cycles = machine.clock.now();
  machine.top.reset();
  machine.set_up();
  const std::vector<std::byte>& bytes = good.package().stream;
  machine.top.sram.write(support::kStreamBase, bytes);
  machine.write("STREAM_ADDRESS", support::kStreamBase);
  machine.write("STREAM_BYTES", static_cast<uint32_t>(bytes.size()));
  machine.clock.begin();
  machine.write("CONTROL", 1);
  sc_core::sc_start(kit::to_time(5));
  machine.write("STREAM_BYTES", 0);
  machine.write("CONTROL", 1);
  sc_core::sc_start();
  CHECK(num_starts == 2);
  CHECK(machine.read("STATUS") == 2);
  CHECK(machine.clock.now() == cycles);
}

TEST_CASE("Bit 1 of CONTROL forgets what the units have done, and the memories stay") {
  Machine machine;
  support::StreamAssembler leaves(machine.config), waits(machine.config);
  leaves.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7), 0, support::tokens({spec::Queue::Dma1})).end();
  machine.run(leaves);
  REQUIRE(machine.read("STATUS") == 2);
  machine.write("CONTROL", 2);
  CHECK(machine.read("CONTROL") == 0);
  CHECK(machine.top.token_bank.availability(spec::Queue::Dma1, spec::queue_bit(spec::Queue::Dma0)).missing != 0);
  CHECK(machine.top.sram.storage().first_unwritten(0, 64) == std::nullopt);
  CHECK(machine.top.sram.storage().bytes()[63] == std::byte{7});
}
