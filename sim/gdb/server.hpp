// SPDX-License-Identifier: Apache-2.0
// Serves one debugger on a TCP port of the loopback interface.
//
// Contract: the port is taken at once, the debugger is waited for at the first stand(). One debugger, once: when it has gone
// nobody else is served. Nobody on another machine can connect.
#pragma once

#include "sim/gdb/session.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace vernier::gdb {

class Server {
 public:
  /// `port` 0 is any that is free. UserError, naming `option`, where the port cannot be taken. `say` is told who is waited
  /// for and who has gone.
  Server(uint16_t port, const std::string& option, LineSink say);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] uint16_t port() const { return port_; }
  /// These are the functions of Session. The first call of stand() waits until a debugger connects.
  Resume stand(Target& target, const Stop& stop);
  bool poll() { return session_ && session_->poll(); }
  void end(int exit_code);
  /// Until the debugger has gone; also while it is waited for.
  [[nodiscard]] bool is_attached() const { return !session_ || session_->is_open(); }
  /// Precondition: stand() was called.
  [[nodiscard]] const Breakpoints& breakpoints() const { return session_->breakpoints(); }

 private:
  class Connection;
  void accept();

  int listener_ = -1;
  uint16_t port_ = 0;
  LineSink say_;
  std::unique_ptr<Connection> connection_;  // outlives the session
  std::optional<Session> session_;
};

}  // namespace vernier::gdb
