// SPDX-License-Identifier: Apache-2.0
// The commands of GDB's Remote Serial Protocol ("Debugging with GDB", appendix E): what one debugger asks of one CPU.
//
// Contract: the CPU's owner calls stand() where the CPU is to stop, and poll() now and then while it runs. All-stop mode,
// one thread, whose number is 1. What is served is on docs/reference/gdb.md. A packet that is damaged, too long, unknown, or
// has arguments that make no sense is answered with -, an error or an empty packet, as the protocol has it, and changes
// nothing. A debugger that goes away is detached.
#pragma once

#include "sim/gdb/breakpoints.hpp"
#include "sim/gdb/channel.hpp"
#include "sim/gdb/cursor.hpp"
#include "sim/gdb/packet.hpp"
#include "sim/gdb/target.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::gdb {

/// Why a CPU stands.
struct Stop {
  enum class Kind : uint8_t { Begun, Interrupted, Stepped, Breakpoint, Watchpoint };
  Kind kind = Kind::Begun;
  Breakpoints::Entry watchpoint{};  // of Watchpoint
};

/// What the debugger wants next. After `Detached` and `Killed` it wants nothing any more.
enum class Resume : uint8_t { Continue, Step, Detached, Killed };

/// Takes a line for the user, without its end.
using LineSink = std::function<void(const std::string&)>;

class Session {
 public:
  Session(Channel& channel, LineSink say);

  /// The CPU stands: serves the debugger until it wants something of the CPU.
  Resume stand(Target& target, const Stop& stop);
  /// While the CPU runs: whether the debugger wants it to stop. Packets that come meanwhile are dropped, as the protocol has
  /// none.
  bool poll();
  /// The run has ended with this exit code.
  void end(int exit_code);

  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] const Breakpoints& breakpoints() const { return breakpoints_; }

 private:
  std::optional<Resume> take(Target& target, const Received& received);
  std::optional<Resume> serve(Target& target, Cursor packet);
  std::optional<Resume> resume(Target& target, Cursor arguments, Resume how);
  std::optional<Resume> serve_v(Target& target, Cursor packet);
  std::optional<Resume> kill();
  std::optional<Resume> detach();
  bool receive(Channel::Wait wait);
  void close(const std::string& why);
  void reply(std::string_view payload);
  [[nodiscard]] std::string stop_reply() const;

  Channel& channel_;
  LineSink say_;
  PacketReader reader_;
  Breakpoints breakpoints_;
  Stop stop_;
  std::string last_packet_;  // for a debugger that did not get it
  bool is_open_ = true, has_acknowledgements_ = true;
  bool is_awaited_ = false;  // the debugger waits for the next stop
};

}  // namespace vernier::gdb
