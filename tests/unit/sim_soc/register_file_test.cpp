// SPDX-License-Identifier: Apache-2.0
// A host that knows nothing but the registers runs a stream.
#include "tests/unit/sim_soc/register_machine.hpp"

using namespace vernier;
using namespace vernier::soc;

TEST_CASE("Status, fault, interrupt and counters are read as the contract says") {
  RegisterMachine machine;
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
  CHECK(machine.read("FAULT_ACCESS") == 512);
  CHECK(machine.read("IRQ_STATUS") == 2);
  CHECK(machine.top.irq.read());
}

TEST_CASE("The register of the access at fault has a byte of a region, its memory, or that there is none") {
  using base::MemorySpace;
  CHECK(access_word(std::nullopt) == 0xFFFFFFFF);
  CHECK(access_word(base::Address{MemorySpace::Sram, 0}) == 0);
  CHECK(access_word(base::Address{MemorySpace::External, 0x1234}) == 0x80001234);
  CHECK(access_word(base::Address{MemorySpace::Sram, 0x7FFFFFFD}) == 0x7FFFFFFD);
  CHECK(access_word(base::Address{MemorySpace::Sram, 0xFFFFFFFF}) == 0x7FFFFFFE);
  CHECK(access_word(base::Address{MemorySpace::External, uint64_t{1} << 40}) == 0xFFFFFFFE);
}

TEST_CASE("Registers are aligned words, the read-only ones stay") {
  RegisterMachine machine;
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
  RegisterMachine machine;
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
  RegisterMachine machine;
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
  RegisterMachine machine;
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
    if (reg.name != "LANES" && reg.name != "SRAM_SIZE") CHECK(machine.read(reg.name) == reg.reset);
  }
  CHECK(machine.read("LANES") == static_cast<uint32_t>(machine.config.datapath.lanes));
  CHECK(machine.read("SRAM_SIZE") == static_cast<uint32_t>(machine.config.sram_bytes));
}

TEST_CASE("A start while a stream runs does nothing, and each one that does something is told before") {
  RegisterMachine machine;
  Follower follower;
  machine.top.register_file.observe(&follower);
  support::StreamAssembler good(machine.config);
  good.add(support::dma_fill(spec::Queue::Dma0, support::sram(0), 64, 7)).end();
  machine.run(good);
  CHECK(follower.started.size() == 1);
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
  CHECK(follower.started.size() == 2);
  CHECK(follower.num_ends == 2);
  CHECK(machine.read("STATUS") == 2);
  CHECK(machine.clock.now() == cycles);
}

TEST_CASE("Bit 1 of CONTROL forgets what the units have done, and the memories stay") {
  RegisterMachine machine;
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
