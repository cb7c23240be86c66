// SPDX-License-Identifier: Apache-2.0
// Where a debugger stops the control CPU in simulated time. The debugger has sent all that it wants before the CPU begins.
#include "sim/soc/cpu_debugger.hpp"

#include "tests/unit/sim_gdb/client.hpp"
#include "tests/unit/sim_soc/system_fixture.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::tests::rv;

namespace {

constexpr uint32_t kCodeBase = spec::cpu_window_base(spec::CpuWindowId::Firmware);
constexpr uint32_t kRamBase = spec::cpu_window_base(spec::CpuWindowId::Ram);
constexpr uint32_t kTimeLow = spec::cpu_window_base(spec::CpuWindowId::Timer);

uint32_t at(uint32_t index) { return kCodeBase + 4 * index; }
std::string hex(uint32_t value) {
  return fmt::format("{:02x}{:02x}{:02x}{:02x}", value & 0xFF, value >> 8 & 0xFF, value >> 16 & 0xFF, value >> 24);
}
std::string breakpoint(uint32_t address) { return fmt::format("Z0,{:x},4", address); }
const std::string kPc = "p20";
std::string csr_packet(uint32_t number) { return fmt::format("p{:x}", 65 + number); }
std::string time_packet() { return fmt::format("m{:x},4", kTimeLow); }

/// A machine whose CPU has a debugger.
struct DebuggedMachine {
  DebuggedMachine(const std::vector<uint32_t>& program, const std::vector<std::string>& packets) : client(server->port()) {
    std::string bytes = gdb::packet_of("QStartNoAckMode");
    for (const std::string& packet : packets) bytes += gdb::packet_of(packet);
    client.send(bytes);
    machine.system.cpu.attach(&debugger);
    machine.begin(program);
  }
  /// The debugger has nothing more to say.
  void run_to(int64_t cycle) {
    client.close_sending();
    machine.run_to(cycle);
  }
  /// The replies up to now, without the first one; nothing can be debugged any more.
  std::vector<std::string> replies() {
    machine.system.cpu.attach(nullptr);
    server.reset();
    std::vector<std::string> all = gdb::payloads_of(client.receive_all());
    REQUIRE(!all.empty());
    CHECK(all.front() == "OK");
    all.erase(all.begin());
    return all;
  }

  std::optional<gdb::Server> server{std::in_place, 0, "--gdb", [](const std::string&) {}};
  gdb::Client client;
  SystemFixture machine;
  int64_t killed_cycle = -1;
  CpuDebugger debugger{machine.system.cpu, *server, [this] {
                         killed_cycle = machine.clock.now();
                         sc_core::sc_pause();
                       }};
};

using Replies = std::vector<std::string>;

/// Enables the external interrupt, and rings the CPU's own doorbell. The handler puts mepc into x7 and switches interrupts
/// off.
const std::vector<uint32_t> kRingsItself{auipc(5, 0),
                                         addi(5, 5, 0x40),
                                         csrrw(0, kMtvec, 5),
                                         lui(1, kInterruptsPage),
                                         addi(2, 0, 4),
                                         sw(2, 1, 4),
                                         lui(2, 1),
                                         addi(2, 2, -2048),
                                         csrrs(0, kMie, 2),
                                         addi(4, 0, 1),
                                         lui(1, kMailboxPage),
                                         csr(6, 0, kMstatus, 8),
                                         sw(4, 1, 4),
                                         addi(3, 3, 1),
                                         addi(3, 3, 1),
                                         kWfi,
                                         csrrs(7, kMepc, 0),
                                         csrrw(0, kMie, 0),
                                         kMret};
constexpr uint32_t kRings = 12, kHandler = 16;

}  // namespace

TEST_CASE("Debugger: the CPU stands before its first instruction, and where it stands the machine has its cycle") {
  std::vector<uint32_t> program(100, kNop);
  program.push_back(kWfi);
  DebuggedMachine debugged(program, {"?", kPc, time_packet(), breakpoint(at(70)), "c", kPc, time_packet(), "s", kPc,
                                     time_packet(), csr_packet(kMcycle)});
  debugged.run_to(1000);
  CHECK(debugged.replies() ==
        Replies{"T05", hex(kCodeBase), hex(0), "OK", "T05", hex(at(70)), hex(70), "T05", hex(at(71)), hex(71), hex(71)});
  CHECK(debugged.machine.system.cpu.state().retired() == 101);
}

TEST_CASE("Debugger: an interrupt that is due comes before a breakpoint, which stops the CPU once") {
  DebuggedMachine debugged(kRingsItself, {breakpoint(at(kRings + 1)), "c", kPc, "p7", "c"});
  debugged.run_to(1000);
  const Replies replies = debugged.replies();
  CHECK(replies == Replies{"OK", "T05", hex(at(kRings + 1)), hex(at(kRings + 1))});
  CHECK(debugged.machine.reg(3) == 2);
}

TEST_CASE("Debugger: the entry of an interrupt is a step") {
  DebuggedMachine debugged(kRingsItself,
                           {breakpoint(at(kRings)), "c", kPc, "s", kPc, csr_packet(kMepc), "s", kPc, csr_packet(kMepc)});
  debugged.run_to(1000);
  CHECK(debugged.replies() == Replies{"OK", "T05", hex(at(kRings)), "T05", hex(at(kRings + 1)), hex(0), "T05",
                                      hex(at(kHandler)), hex(at(kRings + 1))});
}

TEST_CASE("Debugger: watchpoints know instructions of 16 bits, and each size") {
  struct Access {
    uint32_t word;  // an instruction, or two
    uint32_t num_bytes;
    bool is_write;
  };
  // c.sw x9, 0(x8) and c.lw x9, 0(x8), each with a c.nop.
  const std::vector<Access> accesses{
      {0x0001C004, 4, true},        {0x00014004, 4, false},       {store(0, 9, 8, 0), 1, true}, {store(1, 9, 8, 0), 2, true},
      {sw(9, 8, 0), 4, true},       {load(0, 9, 8, 0), 1, false}, {load(4, 9, 8, 0), 1, false}, {load(1, 9, 8, 0), 2, false},
      {load(5, 9, 8, 0), 2, false}, {lw(9, 8, 0), 4, false}};
  for (const Access& one : accesses) {
    INFO(fmt::format("{:08x}", one.word));
    const std::vector<uint32_t> program{lui(8, kRamPage), addi(9, 0, 5), one.word, kWfi};
    for (const bool is_last_byte : {true, false}) {
      const uint32_t address = kRamBase + one.num_bytes - (is_last_byte ? 1 : 0);
      DebuggedMachine debugged(program, {fmt::format("Z{},{:x},1", one.is_write ? 2 : 3, address), "c", kPc});
      debugged.run_to(1000);
      const Replies stopped{"OK", fmt::format("T05{}:{:08x};", one.is_write ? "watch" : "rwatch", address), hex(at(2))};
      CHECK(debugged.replies() == (is_last_byte ? stopped : Replies{"OK"}));
    }
  }
}

TEST_CASE("Debugger: a CPU that sleeps stands where it is interrupted, and knows how long it has slept") {
  DebuggedMachine debugged({kNop, kWfi, kNop}, {"c"});
  debugged.machine.run_to(500);
  REQUIRE(debugged.machine.system.cpu.state().is_waiting());
  CHECK_FALSE(debugged.debugger.poll());
  CHECK_FALSE(debugged.debugger.stops_sleep());
  debugged.client.send("\x03");
  while (!debugged.debugger.poll()) {
  }
  CHECK_FALSE(debugged.debugger.poll());  // it has been told
  CHECK(debugged.debugger.stops_sleep());
  debugged.client.send(gdb::packet_of(kPc) + gdb::packet_of(csr_packet(kMcycle)) + gdb::packet_of("c"));
  debugged.machine.system.cpu.nudge();
  debugged.machine.run_to(600);
  CHECK_FALSE(debugged.debugger.stops_sleep());
  CHECK(debugged.machine.system.cpu.state().is_waiting());
  CHECK(debugged.replies() == Replies{"T02", hex(at(2)), hex(500)});
}

TEST_CASE("Debugger: it ends the run in the cycle in which the CPU stands") {
  DebuggedMachine debugged(std::vector<uint32_t>(50, kNop), {breakpoint(at(20)), "c", "k"});
  debugged.run_to(1000);
  CHECK(debugged.killed_cycle == 20);
  CHECK(debugged.debugger.is_killed());
  CHECK(debugged.machine.system.cpu.state().retired() == 20);
  debugged.run_to(1000);
  CHECK(debugged.machine.system.cpu.state().retired() == 20);
}

TEST_CASE("Debugger: what it changes takes effect in that cycle") {
  // It rings the doorbell while the CPU counts far ahead of the machine.
  std::vector<uint32_t> program = kRingsItself;
  program[kRings] = kNop;
  program[kRings + 2] = jal(0, -4);
  const uint32_t doorbell = spec::cpu_window_base(spec::CpuWindowId::Mailbox) + 4;
  DebuggedMachine debugged(program,
                           {breakpoint(at(kRings + 2)), "c", "p3", fmt::format("M{:x},4:01000000", doorbell), "s", kPc});
  debugged.run_to(1000);
  CHECK(debugged.replies() == Replies{"OK", "T05", hex(1), "OK", "T05", hex(at(kHandler))});
}
