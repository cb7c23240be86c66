// SPDX-License-Identifier: Apache-2.0
// The port: where it is taken, who is refused, what a client over a socket gets.
#include "sim/gdb/server.hpp"

#include "hw/base/error.hpp"
#include "tests/unit/sim_gdb/debugger.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace vernier;
using namespace vernier::gdb;

namespace {

/// A debugger's end of a connection.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }
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
};

}  // namespace

TEST_CASE("Server: a port that is in use is the user's error") {
  const Server first(0, "--gdb", [](const std::string&) {});
  CHECK(first.port() != 0);
  std::string said;
  try {
    const Server second(first.port(), "--gdb", [](const std::string&) {});
  } catch (const base::UserError& error) {
    said = error.what();
  }
  CHECK(said == fmt::format("--gdb: port {} is in use; 0 takes any port that is free", first.port()));
}

TEST_CASE("Server: it waits for a debugger, serves it, and tells it the end of the run") {
  std::vector<std::string> lines;
  FakeTarget target;
  Server server(0, "--gdb", [&](const std::string& line) { lines.push_back(line); });
  CHECK(server.is_attached());
  CHECK_FALSE(server.poll());
  const Client client(server.port());
  client.send(packet_of("QStartNoAckMode") + packet_of("p20") + packet_of("Z0,1000,4") + packet_of("c"));
  CHECK(server.stand(target, {}) == Resume::Continue);
  CHECK(lines == std::vector<std::string>{
                     fmt::format("gdb: waiting on 127.0.0.1:{0}, connect with: target remote :{0}", server.port())});
  CHECK(server.breakpoints().has(0x1000));
  CHECK_FALSE(server.poll());
  client.send("\x03");
  while (!server.poll()) {
  }
  client.send(packet_of("c") + "+");
  CHECK(server.stand(target, {Stop::Kind::Interrupted}) == Resume::Continue);
  client.send("+");  // a byte that is not read any more
  client.close_sending();
  server.end(3);
  CHECK_FALSE(server.is_attached());
  CHECK(client.receive_all() ==
        "+" + packet_of("OK") + packet_of("00100000") + packet_of("OK") + packet_of("T02") + packet_of("W03"));
  CHECK(lines.size() == 1);
}

TEST_CASE("Server: a debugger that closes its connection is gone, whether the CPU stands or runs") {
  for (const bool is_running : {false, true}) {
    std::vector<std::string> lines;
    FakeTarget target;
    Server server(0, "--gdb", [&](const std::string& line) { lines.push_back(line); });
    {
      const Client client(server.port());
      if (is_running) client.send(packet_of("c"));
      if (is_running) CHECK(server.stand(target, {}) == Resume::Continue);
    }
    if (is_running) {
      while (server.is_attached()) CHECK_FALSE(server.poll());
    } else {
      CHECK(server.stand(target, {}) == Resume::Detached);
    }
    CHECK_FALSE(server.is_attached());
    CHECK(lines.back() == "gdb: the connection to the debugger is closed, the run goes on");
    server.end(0);
  }
}
