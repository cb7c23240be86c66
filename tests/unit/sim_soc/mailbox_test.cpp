// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_soc/system_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;

TEST_CASE("Mailbox: a doorbell keeps the bits that are set until they are cleared, one by one") {
  SystemFixture machine;
  CHECK(machine.mailbox("CPU_DOORBELL") == 0);
  machine.set_mailbox("CPU_DOORBELL_SET", 1);
  machine.set_mailbox("CPU_DOORBELL_SET", 6);
  CHECK(machine.mailbox("CPU_DOORBELL") == 7);
  CHECK(machine.mailbox("CPU_DOORBELL_SET") == 0);
  CHECK(machine.mailbox("HOST_DOORBELL") == 0);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(machine.system.cpu_doorbell.read());
  machine.set_mailbox("CPU_DOORBELL", 3);
  CHECK(machine.mailbox("CPU_DOORBELL") == 4);
  sc_core::sc_start();
  CHECK(machine.system.cpu_doorbell.read());
  machine.set_mailbox("CPU_DOORBELL", 4);
  sc_core::sc_start();
  CHECK_FALSE(machine.system.cpu_doorbell.read());
}

TEST_CASE("Mailbox: the host hears each ring of its doorbell, and nothing else") {
  SystemFixture machine;
  int num_rings = 0;
  machine.system.mailbox.on_host_doorbell([&] { ++num_rings; });
  machine.set_mailbox("HOST_DOORBELL_SET", 1);
  machine.set_mailbox("HOST_DOORBELL_SET", 1);
  CHECK(num_rings == 2);
  machine.set_mailbox("HOST_DOORBELL_SET", 0);
  machine.set_mailbox("CPU_DOORBELL_SET", 1);
  machine.set_mailbox("HOST_DOORBELL", 1);
  CHECK(num_rings == 2);
  CHECK(machine.mailbox("HOST_DOORBELL") == 0);
}

TEST_CASE("Mailbox: words of both sides stay, other accesses are errors, reset takes all back") {
  SystemFixture machine;
  for (const char* name : {"RING_ADDRESS", "FIRMWARE_STATE", "FAILURE_CAUSE", "FAILURE_ADDRESS"}) {
    INFO(name);
    machine.set_mailbox(name, 0x12345678);
    CHECK(machine.mailbox(name) == 0x12345678);
  }
  machine.set_mailbox("CPU_DOORBELL_SET", 1);
  uint32_t value = 0;
  CHECK(access(machine.system.mailbox_initiator, tlm::TLM_READ_COMMAND, 0x02, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(machine.system.mailbox_initiator, tlm::TLM_READ_COMMAND, 0x20, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(machine.system.mailbox_initiator, tlm::TLM_READ_COMMAND, 0x00, value, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
  machine.system.mailbox.reset();
  sc_core::sc_start();
  CHECK_FALSE(machine.system.cpu_doorbell.read());
  for (const spec::Register& reg : spec::kMailboxRegisters) {
    INFO(reg.name);
    CHECK(machine.mailbox(reg.name) == reg.reset);
  }
}
