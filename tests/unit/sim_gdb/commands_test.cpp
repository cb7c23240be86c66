// SPDX-License-Identifier: Apache-2.0
// Registers, memory, breakpoints and queries, and what is no packet of them.
#include "hw/spec/control_cpu.hpp"
#include "sim/gdb/target_description.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/sim_gdb/debugger.hpp"

using namespace vernier;
using namespace vernier::gdb;

namespace {

std::string reply_to(FakeTarget& target, const std::string& packet) { return talk(target, {packet}).reply(); }

void check_refused(const std::vector<std::string>& packets, const std::string& error) {
  for (const std::string& packet : packets) {
    INFO(packet);
    FakeTarget target;
    CHECK(reply_to(target, packet) == error);
    CHECK(target.registers == std::array<uint32_t, kNumRegisters>{});
    CHECK(target.next_pc == 0x1000);
    CHECK(target.mscratch == 0);
    CHECK(target.low == std::array<std::byte, FakeTarget::kSize>{});
  }
}

}  // namespace

TEST_CASE("Commands: all registers at once are x0 to x31 and pc, the lowest byte first") {
  FakeTarget target;
  for (uint32_t i = 0; i < kNumRegisters; ++i) target.registers.at(i) = i * 0x01010100 + 0x12;
  target.registers[0] = 0;
  target.next_pc = 0x10010002;
  const std::string all = reply_to(target, "g");
  CHECK(all.size() == 33 * 8);
  CHECK(all.substr(0, 24) == "000000001201010112020202");
  CHECK(all.substr(31 * 8) == "121f1f1f02000110");
  FakeTarget other;
  CHECK(reply_to(other, "G" + all) == "OK");
  CHECK(other.registers == target.registers);
  CHECK(other.next_pc == target.next_pc);
}

TEST_CASE("Commands: registers one by one, the CSRs from number 65 on") {
  FakeTarget target;
  target.registers[10] = 0x12345678;
  CHECK(reply_to(target, "pa") == "78563412");
  CHECK(reply_to(target, "p20") == "00100000");
  CHECK(reply_to(target, "p" + fmt::format("{:x}", 65 + FakeTarget::kMhartid)) == "07000000");
  CHECK(reply_to(target, "P1f=efbeadde") == "OK");
  CHECK(target.registers[31] == 0xDEADBEEF);
  CHECK(reply_to(target, "P20=04000110") == "OK");
  CHECK(target.next_pc == 0x10010004);
  CHECK(reply_to(target, fmt::format("P{:x}=01000000", 65 + FakeTarget::kMscratch)) == "OK");
  CHECK(target.mscratch == 1);
}

TEST_CASE("Commands: registers that are none, or values that are none, are errors") {
  check_refused({"p",
                 "px",
                 "p21",
                 "p40",
                 "p41",
                 "p1041",
                 "pffffffff",
                 "p100000000",
                 "p1,2",
                 "P1",
                 "P1=",
                 "P1=1",
                 "P1=1234567",
                 "P1=123456789a",
                 "P1=xxxxxxxx",
                 "P21=00000000",
                 "P41=01000000",
                 "Pffffffff=01000000",
                 "P=01000000",
                 fmt::format("P{:x}=01000000", 65 + FakeTarget::kMhartid),
                 "G",
                 "G00",
                 "G" + std::string(32 * 8, '1'),
                 "G" + std::string(34 * 8, '1'),
                 "G" + std::string(33 * 8 - 1, '1'),
                 "G" + std::string(33 * 8, 'x')},
                "E16");
}

TEST_CASE("Commands: memory is read up to where it ends") {
  FakeTarget target;
  for (size_t i = 0; i < target.low.size(); ++i) target.low.at(i) = static_cast<std::byte>(i + 0x80);
  target.high.back() = std::byte{0x5A};
  CHECK(reply_to(target, "m1000,4") == "80818283");
  CHECK(reply_to(target, "m1003,1") == "83");
  CHECK(reply_to(target, "m103e,4") == "bebf");
  CHECK(reply_to(target, "mffffffff,1") == "5a");
  CHECK(reply_to(target, "mffffffff,ffffffff") == "5a");
  CHECK(reply_to(target, "m1000,ffffffff").size() == 2 * FakeTarget::kSize);
  CHECK(target.most_bytes_asked <= kMostPacketBytes / 2);
  check_refused({"mfff,4", "m1040,1", "m0,1", "m0,ffffffff"}, "E0e");
  check_refused(
      {"m", "m1000", "m1000,", "m,4", "m1000,0", "m1000,4,", "m1000;4", "mffffffffff,4", "m1000,100000000", "mx,4"}, "E16");
}

TEST_CASE("Commands: memory is written in hex digits or as it is") {
  FakeTarget target;
  CHECK(reply_to(target, "M1000,4:01020aFF") == "OK");
  CHECK(target.low[0] == std::byte{1});
  CHECK(target.low[2] == std::byte{10});
  CHECK(target.low[3] == std::byte{255});
  CHECK(reply_to(target, "X1004,3:" + std::string("#}\0", 3)) == "OK");
  CHECK(target.low[4] == std::byte{'#'});
  CHECK(target.low[5] == std::byte{'}'});
  CHECK(target.low[6] == std::byte{0});
  CHECK(reply_to(target, "Mffffffff,1:77") == "OK");
  CHECK(target.high.back() == std::byte{0x77});
  CHECK(reply_to(target, "X0,0:") == "OK");  // GDB asks so whether there is X
  CHECK(reply_to(target, "M0,0:") == "OK");
  check_refused({"M0,1:00", "M1040,1:00", "Mfff,2:0000", "X1040,1:a", "X0,1:a"}, "E0e");
  check_refused({"M", "M1000", "M1000,4", "M1000,4:", "M1000,4:0102", "M1000,1:0102", "M1000,1:0", "M1000,1:xy",
                 "M1000,1 01", "M1000,ffffffff:00", "M1000,80000000:", "X1000,2:a", "X1000,1:ab", "X1000,ffffffff:ab",
                 "X1000,1", "X,1:a", "Mxyz,1:00"},
                "E16");
}

TEST_CASE("Commands: breakpoints come and go") {
  FakeTarget target;
  const Talk both = talk(target, {"Z0,10010000,4", "Z1,10010002,2", "Z0,10010000,4"});
  CHECK(both.replies == std::vector<std::string>{"OK", "OK", "OK"});
  CHECK(talk(target, {"Z0,1000,4", "z0,1000,4", "z1,1000,4"}).replies == std::vector<std::string>{"OK", "OK", "OK"});
  check_refused({"Z", "Z0", "Z0,", "Z0,1000", "Z0,1000,", "Z5,1000,4", "Zf,1000,4", "Z0,1000,4;X1,0", "Z0,100000000,4",
                 "Z2,1000,0", "z", "z0,1000", "z7,1000,4", "Z-1,1000,4", "Z2,1000,100000000"},
                "E16");
}

TEST_CASE("Commands: the queries that GDB begins with") {
  FakeTarget target;
  CHECK(reply_to(target, "qSupported:multiprocess+;swbreak+") ==
        "PacketSize=4000;QStartNoAckMode+;qXfer:features:read+;vContSupported+");
  CHECK(reply_to(target, "qAttached") == "1");
  CHECK(reply_to(target, "qC") == "QC1");
  CHECK(reply_to(target, "qfThreadInfo") == "m1");
  CHECK(reply_to(target, "qsThreadInfo") == "l");
  for (const char* packet : {"Hg0", "Hc-1", "Hg1", "T1"}) CHECK(reply_to(target, packet) == "OK");
  check_refused({"Hg2", "H", "Hx1", "Hg", "T2", "T"}, "E16");
  CHECK(reply_to(target, "qRcmd,6379636c6573") ==
        hex_of("cycle 1234, 567 instructions since the release of the control CPU\n"));
  CHECK(reply_to(target, "qRcmd,68656c70") == hex_of("monitor knows one command: cycles\n"));
  CHECK(reply_to(target, "qRcmd,") == hex_of("monitor knows one command: cycles\n"));
  check_refused({"qRcmd,6", "qRcmd,zz"}, "E16");
}

TEST_CASE("Commands: the target description comes in pieces") {
  FakeTarget target;
  std::string text;
  while (true) {
    const std::string reply = reply_to(target, fmt::format("qXfer:features:read:target.xml:{:x},100", text.size()));
    REQUIRE(!reply.empty());
    text += reply.substr(1);
    if (reply.front() == 'l') break;
    REQUIRE(reply.front() == 'm');
    REQUIRE(reply.size() == 1 + 0x100);
  }
  CHECK(text == target_description());
  const auto size = text.size();
  CHECK(reply_to(target, fmt::format("qXfer:features:read:target.xml:{:x},10", size)) == "l");
  CHECK(reply_to(target, "qXfer:features:read:other.xml:0,10") == "E00");
  check_refused({fmt::format("qXfer:features:read:target.xml:{:x},10", size + 1),
                 "qXfer:features:read:target.xml:", "qXfer:features:read:target.xml:0", "qXfer:features:read:target.xml:0,",
                 "qXfer:features:read:target.xml:0,1,"},
                "E16");
  CHECK(reply_to(target, "qXfer:features:read:target.xml:0,ffffffff").size() <= kMostPacketBytes);
}

TEST_CASE("Commands: the target description has each register once, with its number") {
  const std::string text = target_description();
  const auto count = [&](const std::string& part) {
    int64_t num_found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++num_found;
    return num_found;
  };
  CHECK(count("<architecture>riscv:rv32</architecture>") == 1);
  CHECK(count("<reg name=\"zero\" bitsize=\"32\" regnum=\"0\"") == 1);
  CHECK(count("<reg name=\"sp\" bitsize=\"32\" regnum=\"2\" type=\"data_ptr\"") == 1);
  CHECK(count("<reg name=\"t6\" bitsize=\"32\" regnum=\"31\"") == 1);
  CHECK(count("<reg name=\"pc\" bitsize=\"32\" regnum=\"32\" type=\"code_ptr\"") == 1);
  int64_t num_csrs = 0;
  for (const spec::CpuCsr& row : spec::kCpuCsrs) {
    num_csrs += row.last - row.first + 1;
    CHECK(count(fmt::format("regnum=\"{}\"", 65 + row.first)) == 1);
    CHECK(count(fmt::format("regnum=\"{}\"", 65 + row.last)) == 1);
  }
  CHECK(count("<reg name=\"mepc\" bitsize=\"32\" regnum=\"898\"") == 1);  // 65 + 0x341
  CHECK(count("<reg name=\"mhpmcounter31\" bitsize=\"32\" regnum=\"2912\"") == 1);
  CHECK(count("<reg ") == 33 + num_csrs);
}

TEST_CASE("Commands: no packet does harm") {
  // Damaged ones of each kind: bytes that are changed, left out, put in, or said twice.
  const std::vector<std::string> packets{"g",
                                         "G" + std::string(33 * 8, '1'),
                                         "p1f",
                                         "P1f=01020304",
                                         "m1000,40",
                                         "M1000,2:0102",
                                         "X1000,2:ab",
                                         "Z0,1000,4",
                                         "z2,1000,4",
                                         "vCont;s:1;c",
                                         "qXfer:features:read:target.xml:0,100",
                                         "qRcmd,6379",
                                         "Hg0",
                                         "qSupported:x",
                                         "T1",
                                         "?"};
  constexpr uint64_t kSeed = 7;
  INFO("seed " << kSeed);
  tests::Random random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string packet = random.pick(packets);
    for (int64_t k = random.within(1, 3); k > 0; --k) {
      const auto at = static_cast<size_t>(random.within(0, static_cast<int64_t>(packet.size())));
      const char byte = static_cast<char>(random.within(0, 255));
      switch (random.within(0, 3)) {
        case 0: packet.insert(at, 1, byte); break;
        case 1: packet.insert(at, "ffffffff"); break;
        case 2: packet = packet.substr(0, at); break;
        default:
          if (at < packet.size()) packet[at] = byte;
      }
    }
    FakeTarget target;
    const Talk one = talk(target, {packet});
    CHECK(one.replies.size() <= 1);
    if (!one.replies.empty()) CHECK(one.replies.front().size() <= kMostPacketBytes);
  }
}
