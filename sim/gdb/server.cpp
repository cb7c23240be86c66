// SPDX-License-Identifier: Apache-2.0
#include "sim/gdb/server.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace vernier::gdb {

namespace {

/// How long the last packet is given to arrive.
constexpr int kFarewellMilliseconds = 1000;
/// Reads of a debugger that does not stop sending when the run has ended.
constexpr int kMostFarewellReads = 16;

std::string reason() { return std::strerror(errno); }  // NOLINT(concurrency-mt-unsafe): the program has one thread

bool is_readable(int socket, int milliseconds) {
  pollfd one{.fd = socket, .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, milliseconds) > 0;
}

}  // namespace

class Server::Connection : public Channel {
 public:
  explicit Connection(int socket) : socket_(socket) {
    const int yes = 1;  // packets are short and wait for each other
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override { ::close(socket_); }

  bool receive(std::string& bytes, Wait wait) override {
    std::array<char, 4096> buffer{};
    ssize_t num_bytes = 0;
    do {
      num_bytes = ::recv(socket_, buffer.data(), buffer.size(), wait == Wait::Yes ? 0 : MSG_DONTWAIT);
    } while (num_bytes < 0 && errno == EINTR);
    if (num_bytes < 0) return wait == Wait::No && (errno == EAGAIN || errno == EWOULDBLOCK);
    bytes.append(buffer.data(), static_cast<size_t>(num_bytes));
    return num_bytes > 0;
  }

  void send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t num_bytes = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (num_bytes < 0 && errno == EINTR) continue;
      if (num_bytes < 0) return;
      bytes.remove_prefix(static_cast<size_t>(num_bytes));
    }
  }

  /// Nothing more is sent. What was sent arrives, though the other end may send still: bytes that nobody reads would make
  /// the system drop the connection with all that is under way.
  void finish() {
    ::shutdown(socket_, SHUT_WR);
    std::string dropped;
    for (int i = 0; i < kMostFarewellReads && is_readable(socket_, kFarewellMilliseconds); ++i) {
      if (!receive(dropped, Wait::No)) return;
    }
  }

 private:
  int socket_;
};

Server::Server(uint16_t port, const std::string& option, LineSink say) : port_(port), say_(std::move(say)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;  // a port whose last connection has just ended is free
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (listener_ < 0 || ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), length) != 0 || ::listen(listener_, 1) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    const std::string why = errno == EADDRINUSE ? "is in use" : "cannot be taken: " + reason();
    if (listener_ >= 0) ::close(listener_);
    throw base::UserError(option, "port {} {}; 0 takes any port that is free", port, why);
  }
  port_ = ntohs(address.sin_port);
}

Server::~Server() {
  if (listener_ >= 0) ::close(listener_);
}

Resume Server::stand(Target& target, const Stop& stop) {
  if (!session_) accept();
  return session_->stand(target, stop);
}

void Server::accept() {
  say_(fmt::format("gdb: waiting on 127.0.0.1:{0}, connect with: target remote :{0}", port_));
  int socket = -1;
  do {
    socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  } while (socket < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (socket < 0) throw base::UserError("gdb", "no debugger can connect to port {}: {}", port_, reason());
  ::close(std::exchange(listener_, -1));
  connection_ = std::make_unique<Connection>(socket);
  session_.emplace(*connection_, say_);
}

void Server::end(int exit_code) {
  if (!session_ || !session_->is_open()) return;
  session_->end(exit_code);
  connection_->finish();
}

}  // namespace vernier::gdb
