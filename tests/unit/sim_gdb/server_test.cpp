// SPDX-License-Identifier: Apache-2.0
// The port: where it is taken, who is refused, what a client over a socket gets.
#include "sim/gdb/server.hpp"

#include "hw/base/error.hpp"
#include "tests/unit/sim_gdb/client.hpp"
#include "tests/unit/sim_gdb/debugger.hpp"

using namespace vernier;
using namespace vernier::gdb;

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

TEST_CASE("Server: it is reached by the address 127.0.0.1 alone") {
  const Server server(0, "--gdb", [](const std::string&) {});
  CHECK(Client(server.port()).is_connected());
  CHECK_FALSE(Client(server.port(), INADDR_LOOPBACK + 1).is_connected());
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
