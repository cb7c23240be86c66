// SPDX-License-Identifier: Apache-2.0
// A CPU and a connection that are made up, and the debugger's side of a session.
#pragma once

#include "sim/gdb/commands.hpp"
#include "sim/gdb/session.hpp"
#include "tests/unit/sim_gdb/client.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace vernier::gdb {

/// Memory of 64 bytes at kBase, and of 64 at the end of the address space; one CSR that can be written and one that cannot.
class FakeTarget : public Target {
 public:
  static constexpr uint32_t kBase = 0x1000, kTop = 0xFFFF'FFC0, kSize = 64, kMscratch = 0x340, kMhartid = 0xF14;

  [[nodiscard]] uint32_t reg(uint32_t number) const override { return registers.at(number); }
  void set_reg(uint32_t number, uint32_t value) override { registers.at(number) = number == 0 ? 0 : value; }
  [[nodiscard]] uint32_t pc() const override { return next_pc; }
  void set_pc(uint32_t pc) override { next_pc = pc; }
  [[nodiscard]] std::optional<uint32_t> csr(uint32_t number) const override {
    if (number == kMscratch) return mscratch;
    return number == kMhartid ? std::optional<uint32_t>(7) : std::nullopt;
  }
  bool set_csr(uint32_t number, uint32_t value) override {
    if (number == kMscratch) mscratch = value;
    return number == kMscratch;
  }
  size_t read_memory(uint32_t address, std::span<std::byte> bytes) override {
    most_bytes_asked = std::max(most_bytes_asked, bytes.size());
    size_t num_read = 0;
    for (; num_read < bytes.size(); ++num_read) {
      std::byte* byte = at(uint64_t{address} + num_read);
      if (byte == nullptr) break;
      bytes[num_read] = *byte;
    }
    return num_read;
  }
  bool write_memory(uint32_t address, std::span<const std::byte> bytes) override {
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::byte* byte = at(uint64_t{address} + i);
      if (byte == nullptr) return false;
      *byte = bytes[i];
    }
    return true;
  }
  [[nodiscard]] int64_t cycles() const override { return 1234; }
  [[nodiscard]] int64_t instructions() const override { return 567; }

  std::array<uint32_t, kNumRegisters> registers{};
  uint32_t next_pc = 0x1000, mscratch = 0;
  std::array<std::byte, kSize> low{}, high{};
  size_t most_bytes_asked = 0;

 private:
  std::byte* at(uint64_t address) {
    if (address >= kBase && address < kBase + kSize) return &low.at(address - kBase);
    if (address >= kTop && address <= UINT32_MAX) return &high.at(address - kTop);
    return nullptr;
  }
};

/// What a debugger sends is put in beforehand, piece by piece; then it is gone.
class FakeChannel : public Channel {
 public:
  bool receive(std::string& bytes, Wait wait) override {
    if (pieces.empty()) return wait == Wait::No && !is_gone;
    bytes += pieces.front();
    pieces.pop_front();
    return true;
  }
  void send(std::string_view bytes) override { sent += bytes; }

  std::deque<std::string> pieces;
  bool is_gone = false;
  std::string sent;
};

/// What a session gave for what was sent.
struct Talk {
  Resume wanted = Resume::Continue;
  std::string sent;
  std::vector<std::string> replies;  // payloads of `sent`
  std::vector<std::string> lines;    // told to the user
  Breakpoints breakpoints;

  [[nodiscard]] std::string reply() const {
    REQUIRE(replies.size() == 1);
    return replies.front();
  }
};

/// The CPU stands, the debugger sends these bytes and goes away.
inline Talk talk_raw(FakeTarget& target, std::deque<std::string> pieces, const Stop& stop = {}) {
  FakeChannel channel;
  Talk talk;
  channel.pieces = std::move(pieces);
  Session session(channel, [&](const std::string& line) { talk.lines.push_back(line); });
  talk.wanted = session.stand(target, stop);
  talk.sent = channel.sent;
  talk.replies = payloads_of(channel.sent);
  talk.breakpoints = session.breakpoints();
  return talk;
}

/// The same with packets, without acknowledgements.
inline Talk talk(FakeTarget& target, const std::vector<std::string>& payloads, const Stop& stop = {}) {
  std::deque<std::string> pieces{packet_of("QStartNoAckMode")};
  for (const std::string& payload : payloads) pieces.push_back(packet_of(payload));
  Talk talk = talk_raw(target, std::move(pieces), stop);
  REQUIRE(!talk.replies.empty());
  CHECK(talk.replies.front() == "OK");
  talk.replies.erase(talk.replies.begin());
  return talk;
}

}  // namespace vernier::gdb
