// SPDX-License-Identifier: Apache-2.0
#include "sim/gdb/session.hpp"

#include "sim/gdb/commands.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::gdb {

namespace {

// Numbers of signals in the protocol.
constexpr int kInterrupted = 2, kTrapped = 5;

std::string_view name_of(StopPoint watchpoint) {
  switch (watchpoint) {
    case StopPoint::Read: return "rwatch";
    case StopPoint::Access: return "awatch";
    default: return "watch";
  }
}

}  // namespace

Session::Session(Channel& channel, LineSink say) : channel_(channel), say_(std::move(say)) {}

std::string Session::stop_reply() const {
  switch (stop_.kind) {
    case Stop::Kind::Interrupted: return fmt::format("T{:02x}", kInterrupted);
    case Stop::Kind::Watchpoint:
      return fmt::format("T{:02x}{}:{:08x};", kTrapped, name_of(stop_.watchpoint.type), stop_.watchpoint.address);
    default: return fmt::format("T{:02x}", kTrapped);
  }
}

Resume Session::stand(Target& target, const Stop& stop) {
  stop_ = stop;
  if (std::exchange(is_awaited_, false)) reply(stop_reply());
  while (is_open_) {
    while (const std::optional<Received> received = reader_.next()) {
      const std::optional<Resume> wanted = take(target, *received);
      if (wanted) return *wanted;
    }
    receive(Channel::Wait::Yes);
  }
  return Resume::Detached;
}

bool Session::poll() {
  if (!is_open_ || !receive(Channel::Wait::No)) return false;
  bool is_interrupted = false;
  while (const std::optional<Received> received = reader_.next())
    is_interrupted = is_interrupted || received->kind == Received::Kind::Interrupt;
  return is_interrupted;
}

void Session::end(int exit_code) {
  if (!is_open_) return;
  if (std::exchange(is_awaited_, false)) reply(fmt::format("W{:02x}", exit_code));
  is_open_ = false;
}

/// Nothing where the CPU still stands.
std::optional<Resume> Session::take(Target& target, const Received& received) {
  switch (received.kind) {
    case Received::Kind::Interrupt: return std::nullopt;  // it stands already
    case Received::Kind::Resend: channel_.send(last_packet_); return std::nullopt;
    case Received::Kind::Damaged:
      if (has_acknowledgements_) channel_.send("-");
      return std::nullopt;
    case Received::Kind::TooLong:
      if (has_acknowledgements_) channel_.send("+");
      reply(kBadArguments);
      return std::nullopt;
    case Received::Kind::Packet: break;
  }
  if (has_acknowledgements_) channel_.send("+");
  return serve(target, Cursor(received.payload));
}

std::optional<Resume> Session::serve(Target& target, Cursor packet) {
  Cursor arguments = packet;
  const char command = packet.is_at_end() ? '\0' : packet.left().front();
  arguments.take(std::string_view(&command, 1));
  switch (command) {
    case '?': reply(stop_reply()); break;
    case 'g': reply(read_registers(target)); break;
    case 'G': reply(write_registers(target, arguments)); break;
    case 'p': reply(read_register(target, arguments)); break;
    case 'P': reply(write_register(target, arguments)); break;
    case 'm': reply(read_memory(target, arguments)); break;
    case 'M': reply(write_memory(target, arguments)); break;
    case 'X': reply(write_binary_memory(target, arguments)); break;
    case 'Z': reply(insert(breakpoints_, arguments)); break;
    case 'z': reply(remove(breakpoints_, arguments)); break;
    case 'q': reply(query(target, packet)); break;
    case 'H':  // for which thread the next packets are
      reply((arguments.take("g") || arguments.take("c")) && is_our_thread(arguments.left()) ? kOk : kBadArguments);
      break;
    case 'T': reply(is_our_thread(arguments.left()) ? kOk : kBadArguments); break;
    case 'Q': {
      const bool is_known = packet.left() == "QStartNoAckMode";
      reply(is_known ? kOk : kUnknown);
      if (is_known) has_acknowledgements_ = false;
      break;
    }
    case 'c': return resume(target, arguments, Resume::Continue);
    case 's': return resume(target, arguments, Resume::Step);
    case 'v': return serve_v(target, packet);
    case 'D': return detach();
    case 'k': return kill();
    default: reply(kUnknown);
  }
  return std::nullopt;
}

/// c and s, with an address to go on at or without.
std::optional<Resume> Session::resume(Target& target, Cursor arguments, Resume how) {
  if (!arguments.is_at_end()) {
    const std::optional<uint32_t> address = arguments.number();
    if (!address || !arguments.is_at_end()) {
      reply(kBadArguments);
      return std::nullopt;
    }
    target.set_pc(*address);
  }
  is_awaited_ = true;
  return how;
}

/// The first action that is for our thread holds. Signals are ignored, because the CPU has none.
std::optional<Resume> Session::serve_v(Target& target, Cursor packet) {
  if (packet.left() == "vCont?") {
    reply("vCont;c;C;s;S");
    return std::nullopt;
  }
  if (packet.take("vKill;")) {
    reply(kOk);
    return kill();
  }
  if (!packet.take("vCont;")) {
    reply(kUnknown);
    return std::nullopt;
  }
  while (!packet.is_at_end()) {
    Cursor action(packet.until(';'));
    const std::string_view what = action.until(':');
    if (!action.is_at_end() && !is_our_thread(action.left())) continue;
    const char first = what.empty() ? '\0' : what.front();
    if (first == 'c' || first == 'C') return resume(target, Cursor(""), Resume::Continue);
    if (first == 's' || first == 'S') return resume(target, Cursor(""), Resume::Step);
    break;
  }
  reply(kBadArguments);
  return std::nullopt;
}

std::optional<Resume> Session::kill() {
  is_open_ = false;
  breakpoints_.clear();
  return Resume::Killed;
}

std::optional<Resume> Session::detach() {
  reply(kOk);
  close("the debugger has detached");
  return Resume::Detached;
}

bool Session::receive(Channel::Wait wait) {
  std::string bytes;
  const bool is_there = channel_.receive(bytes, wait);
  reader_.put(bytes);
  if (!is_there) close("the connection to the debugger is closed");
  return is_there;
}

void Session::close(const std::string& why) {
  is_open_ = is_awaited_ = false;
  breakpoints_.clear();
  say_(fmt::format("gdb: {}, the run goes on", why));
}

void Session::reply(std::string_view payload) {
  last_packet_ = packet_of(payload);
  channel_.send(last_packet_);
}

}  // namespace vernier::gdb
