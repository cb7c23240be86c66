// SPDX-License-Identifier: Apache-2.0
// A debugger's end of a connection, and the packets that it gets.
#pragma once

#include "sim/gdb/packet.hpp"

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace vernier::gdb {

/// Payloads of packets in a stream, each with the right checksum.
inline std::vector<std::string> payloads_of(std::string_view stream) {
  PacketReader reader;
  reader.put(stream);
  std::vector<std::string> payloads;
  while (const std::optional<Received> received = reader.next()) {
    if (received->kind == Received::Kind::Resend) continue;
    CHECK(received->kind == Received::Kind::Packet);
    payloads.push_back(received->payload);
  }
  return payloads;
}

class Client {
 public:
  explicit Client(uint16_t port, in_addr_t host = INADDR_LOOPBACK) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(host);
    is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }
  [[nodiscard]] bool is_connected() const { return is_connected_; }
  void send(const std::string& bytes) const {
    REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  void close_sending() const { ::shutdown(socket_, SHUT_WR); }
  /// All that comes until the other end has nothing more to say.
  [[nodiscard]] std::string receive_all() const {
    std::string all;
    std::array<char, 256> buffer{};
    for (ssize_t n = 0; (n = ::recv(socket_, buffer.data(), buffer.size(), 0)) > 0;)
      all.append(buffer.data(), static_cast<size_t>(n));
    return all;
  }

 private:
  int socket_;
  bool is_connected_ = false;
};

}  // namespace vernier::gdb
