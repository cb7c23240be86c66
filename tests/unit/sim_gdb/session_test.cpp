// SPDX-License-Identifier: Apache-2.0
// What makes the CPU run, how stops are told, acknowledgements, and how a debugger goes.
#include "tests/unit/sim_gdb/debugger.hpp"

using namespace vernier;
using namespace vernier::gdb;

namespace {

const std::string kGone = "gdb: the connection to the debugger is closed, the run goes on";
const std::string kDetached = "gdb: the debugger has detached, the run goes on";

/// A session that has made the CPU run, and waits for its next stop.
struct Running {
  explicit Running(const std::string& how = "c") {
    channel.pieces = {packet_of("QStartNoAckMode"), packet_of(how)};
    session.stand(target, {});
    channel.sent.clear();
  }
  FakeTarget target;
  FakeChannel channel;
  std::vector<std::string> lines;
  Session session{channel, [this](const std::string& line) { lines.push_back(line); }};
};

}  // namespace

TEST_CASE("Session: each packet is acknowledged until the debugger wants none") {
  FakeTarget target;
  CHECK(talk_raw(target, {packet_of("qC")}).sent == "+" + packet_of("QC1"));
  CHECK(talk_raw(target, {packet_of("QStartNoAckMode"), "+", packet_of("qC")}).sent ==
        "+" + packet_of("OK") + packet_of("QC1"));
  CHECK(talk_raw(target, {"$qC#00", packet_of("qC")}).sent == "-+" + packet_of("QC1"));
  CHECK(talk_raw(target, {packet_of("QStartNoAckMode"), "$qC#00", packet_of("qC")}).sent ==
        "+" + packet_of("OK") + packet_of("QC1"));
  CHECK(talk_raw(target, {packet_of("qC"), "-", "-"}).sent == "+" + packet_of("QC1") + packet_of("QC1") + packet_of("QC1"));
  CHECK(talk_raw(target, {packet_of(std::string(100'000, 'm'))}).sent == "+" + packet_of("E16"));
}

TEST_CASE("Session: what it does not serve gets an empty packet") {
  FakeTarget target;
  for (const char* packet : {"", "!", "R00", "b", "vMustReplyEmpty", "vCtrlC", "vRun;", "qTStatus", "Qother",
                             "QStartNoAckModes", "i", "A", "\x80", "qCRC:0,4", "jThreadsInfo"}) {
    INFO(packet);
    CHECK(talk(target, {packet}).reply().empty());
  }
}

TEST_CASE("Session: c and s make the CPU run, at an address if they have one") {
  for (const auto& [packet, wanted] : std::vector<std::pair<std::string, Resume>>{{"c", Resume::Continue},
                                                                                  {"s", Resume::Step},
                                                                                  {"vCont;c", Resume::Continue},
                                                                                  {"vCont;s:1;c", Resume::Step},
                                                                                  {"vCont;s", Resume::Step},
                                                                                  {"vCont;C05:1", Resume::Continue},
                                                                                  {"vCont;S05", Resume::Step},
                                                                                  {"vCont;s:2;c", Resume::Continue},
                                                                                  {"vCont;c:-1", Resume::Continue}}) {
    FakeTarget target;
    INFO(packet);
    const Talk one = talk(target, {packet});
    CHECK(one.wanted == wanted);
    CHECK(one.replies.empty());
    CHECK(one.lines.empty());
    CHECK(target.next_pc == 0x1000);
  }
  FakeTarget target;
  CHECK(talk(target, {"c10010004"}).wanted == Resume::Continue);
  CHECK(target.next_pc == 0x10010004);
  CHECK(talk(target, {"sfffffffe"}).wanted == Resume::Step);
  CHECK(target.next_pc == 0xFFFFFFFE);
}

TEST_CASE("Session: a run that makes no sense is an error, and the CPU stands") {
  FakeTarget target;
  for (const char* packet : {"cx", "c100000000", "c1 ", "s-1", "vCont;", "vCont;x", "vCont;s:2", "vCont;c:x", "vCont;;"}) {
    INFO(packet);
    const Talk one = talk(target, {packet});
    CHECK(one.reply() == "E16");
    CHECK(one.wanted == Resume::Detached);  // the debugger of the test goes after its packet
    CHECK(target.next_pc == 0x1000);
  }
  CHECK(talk(target, {"vCont?"}).reply() == "vCont;c;C;s;S");
}

TEST_CASE("Session: a stop is told when the debugger waits for one, and when it asks") {
  const std::vector<std::pair<Stop, std::string>> stops{
      {{Stop::Kind::Begun}, "T05"},
      {{Stop::Kind::Interrupted}, "T02"},
      {{Stop::Kind::Stepped}, "T05"},
      {{Stop::Kind::Breakpoint}, "T05"},
      {{Stop::Kind::Watchpoint, {StopPoint::Write, 0x10020010, 4}}, "T05watch:10020010;"},
      {{Stop::Kind::Watchpoint, {StopPoint::Read, 0x10020010, 4}}, "T05rwatch:10020010;"},
      {{Stop::Kind::Watchpoint, {StopPoint::Access, 0x10, 4}}, "T05awatch:00000010;"}};
  for (const auto& [stop, text] : stops) {
    FakeTarget target;
    INFO(text);
    CHECK(talk(target, {}, stop).replies.empty());
    CHECK(talk(target, {"?"}, stop).reply() == text);
    Running running;
    running.channel.pieces = {packet_of("?")};
    running.session.stand(running.target, stop);
    CHECK(payloads_of(running.channel.sent) == std::vector<std::string>{text, text});
  }
}

TEST_CASE("Session: a running CPU is interrupted by the byte 0x03 and by nothing else") {
  Running running;
  CHECK_FALSE(running.session.poll());
  running.channel.pieces = {"\x03"};
  CHECK(running.session.poll());
  CHECK_FALSE(running.session.poll());
  running.channel.pieces = {packet_of("m1000,4") + "-+" + packet_of("k")};
  CHECK_FALSE(running.session.poll());
  CHECK(running.channel.sent.empty());
  CHECK(running.session.is_open());
  // Where the CPU stands already it is no news.
  CHECK(talk(running.target, {"?"}).reply() == "T05");
  CHECK(talk_raw(running.target, {"\x03", packet_of("qC")}).replies == std::vector<std::string>{"QC1"});
}

TEST_CASE("Session: an interrupt that comes with the packet that makes the CPU run is heard") {
  FakeTarget target;
  FakeChannel channel;
  channel.pieces = {packet_of("c") + "\x03"};
  Session session(channel, [](const std::string&) {});
  CHECK(session.stand(target, {}) == Resume::Continue);
  CHECK(session.poll());
}

TEST_CASE("Session: a debugger that detaches lets the CPU go, without breakpoints") {
  for (const char* packet : {"D", "D;1"}) {
    FakeTarget target;
    const Talk one = talk(target, {"Z0,1000,4", packet, "qC"});
    CHECK(one.wanted == Resume::Detached);
    CHECK(one.replies == std::vector<std::string>{"OK", "OK"});
    CHECK(one.lines == std::vector<std::string>{kDetached});
    CHECK_FALSE(one.breakpoints.has(0x1000));
  }
}

TEST_CASE("Session: a debugger that goes away lets the CPU go, without breakpoints") {
  FakeTarget target;
  const Talk standing = talk(target, {"Z0,1000,4"});
  CHECK(standing.wanted == Resume::Detached);
  CHECK(standing.lines == std::vector<std::string>{kGone});
  CHECK_FALSE(standing.breakpoints.has(0x1000));

  Running running;
  running.channel.is_gone = true;
  CHECK_FALSE(running.session.poll());
  CHECK_FALSE(running.session.is_open());
  CHECK_FALSE(running.session.poll());
  CHECK(running.lines == std::vector<std::string>{kGone});
  CHECK(running.session.stand(running.target, {}) == Resume::Detached);
  running.session.end(0);
  CHECK(running.channel.sent.empty());
}

TEST_CASE("Session: a debugger can end the run") {
  for (const auto& [packet, replies] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"k", {}}, {"vKill;1", {"OK"}}}) {
    FakeTarget target;
    const Talk one = talk(target, {packet, "qC"});
    CHECK(one.wanted == Resume::Killed);
    CHECK(one.replies == replies);
    CHECK(one.lines.empty());
  }
}

TEST_CASE("Session: the end of the run is told once, to a debugger that waits for it") {
  Running running;
  running.session.end(4);
  running.session.end(4);
  CHECK(payloads_of(running.channel.sent) == std::vector<std::string>{"W04"});
  CHECK_FALSE(running.session.is_open());
  FakeTarget target;
  FakeChannel channel;
  channel.pieces = {packet_of("D")};
  Session session(channel, [](const std::string&) {});
  session.stand(target, {});
  channel.sent.clear();
  session.end(0);
  CHECK(channel.sent.empty());
}
