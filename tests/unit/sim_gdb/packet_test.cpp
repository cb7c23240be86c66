// SPDX-License-Identifier: Apache-2.0
// Packets: checksums, escapes, what is damaged, too long, or between them.
#include "tests/support/random.hpp"
#include "tests/unit/sim_gdb/debugger.hpp"

using namespace vernier;
using namespace vernier::gdb;

namespace {

std::vector<Received> received(std::string_view bytes) {
  PacketReader reader;
  reader.put(bytes);
  std::vector<Received> all;
  while (const std::optional<Received> one = reader.next()) all.push_back(*one);
  return all;
}

Received one_received(std::string_view bytes) {
  const std::vector<Received> all = received(bytes);
  REQUIRE(all.size() == 1);
  return all.front();
}

using Kind = Received::Kind;

}  // namespace

TEST_CASE("Packets: the checksum is the sum of the payload's bytes") {
  CHECK(packet_of("") == "$#00");
  CHECK(packet_of("g") == "$g#67");
  CHECK(packet_of("OK") == "$OK#9a");  // of the manual's examples
  CHECK(packet_of("m10010000,4") == "$m10010000,4#4f");
  CHECK(one_received("$OK#9a").payload == "OK");
  CHECK(one_received("$OK#9A").payload == "OK");
  CHECK(one_received("$#00").kind == Kind::Packet);
}

TEST_CASE("Packets: bytes that the framing needs are escaped") {
  CHECK(packet_of("a}b") == "$a}]b#9d");
  CHECK(packet_of("#$*") == "$}\x03}\x04}\x0a#88");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(one_received(packet_of(all)).payload == all);
  CHECK(one_received(packet_of(all + all)).payload == all + all);
  CHECK(one_received("$a}#de").payload == "a");  // an escape of nothing
}

TEST_CASE("Packets: a wrong checksum, or one that is no number, is damage") {
  for (const char* bytes : {"$OK#9b", "$OK#0a", "$OK#zz", "$OK#9z", "$OK#z9", "$#01", "$OK##9"}) {
    INFO(bytes);
    CHECK(one_received(bytes).kind == Kind::Damaged);
  }
  CHECK(received("$OK#9").empty());
  CHECK(received("$OK").empty());
}

TEST_CASE("Packets: a packet that begins in another takes its place") {
  const std::vector<Received> all = received("$m1000,$g#67$?#3f");
  REQUIRE(all.size() == 2);
  CHECK(all[0].payload == "g");
  CHECK(all[1].payload == "?");
}

TEST_CASE("Packets: between packets are acknowledgements, interrupts and noise") {
  const std::vector<Received> all = received("++x#3\x03-$g#67\x03+");
  REQUIRE(all.size() == 4);
  CHECK(all[0].kind == Kind::Interrupt);
  CHECK(all[1].kind == Kind::Resend);
  CHECK(all[2].payload == "g");
  CHECK(all[3].kind == Kind::Interrupt);
  // In a packet these are bytes like others.
  CHECK(one_received(packet_of("a\x03-+")).payload == "a\x03-+");
}

TEST_CASE("Packets: they come in pieces") {
  const std::string packet = packet_of("Z0,10010000,4");
  for (size_t cut = 0; cut <= packet.size(); ++cut) {
    PacketReader reader;
    reader.put(packet.substr(0, cut));
    CHECK(reader.next().has_value() == (cut == packet.size()));
    reader.put(packet.substr(cut));
    if (cut < packet.size()) CHECK(reader.next().value().payload == "Z0,10010000,4");
  }
}

TEST_CASE("Packets: one that is too long is known as such, and the next one is not") {
  const std::string most(kMostPacketBytes, 'a');
  CHECK(one_received(packet_of(most)).payload == most);
  CHECK(one_received(packet_of(most + "a")).kind == Kind::TooLong);
  const std::vector<Received> all = received(packet_of(std::string(1'000'000, 'b')) + packet_of("g"));
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == Kind::TooLong);
  CHECK(all[1].payload == "g");
}

TEST_CASE("Packets: no bytes do harm to the reader, and it finds the packet after them") {
  constexpr uint64_t kSeed = 20261128;
  INFO("seed " << kSeed);
  const std::string_view likely =
      "$#}+-\x03"
      "09afgmMZ,:;";
  const std::vector<char> likely_bytes(likely.begin(), likely.end());
  tests::Random random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    PacketReader reader;
    std::string noise;
    const int64_t length = random.within(0, 60);
    for (int64_t k = 0; k < length; ++k)
      noise += random.chance(25) ? static_cast<char>(random.within(0, 255)) : random.pick(likely_bytes);
    reader.put(noise);
    while (reader.next()) {
    }
    reader.put(packet_of("g"));
    std::optional<Received> last;
    while (std::optional<Received> one = reader.next()) last = one;
    REQUIRE(last.has_value());
    CHECK(last->payload == "g");
  }
}
