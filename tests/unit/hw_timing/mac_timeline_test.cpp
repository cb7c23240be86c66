// SPDX-License-Identifier: Apache-2.0
// The time line of the array, case by case; against a machine that is looked at in every cycle in tests/unit/hw_sequence.
#include "hw/timing/mac_timeline.hpp"

#include "hw/timing/mac_edges.hpp"
#include "tests/unit/hw_timing/layers.hpp"

namespace vernier::timing {
namespace {

TEST_CASE("a load begins when the tile before becomes the active one, whatever its rows wait for") {
  MacTimeline line;
  line.take_bank();
  line.take_weights(5);
  line.multiply(3);
  CHECK(line.now() == 8);
  line.take_weights(10);  // begun at 5, there at 15
  CHECK(line.now() == 15);
  CHECK(line.weight_waits() == 5 + 7);
  line.multiply(20);
  line.take_weights(10);  // has long been there
  CHECK(line.now() == 35);
  CHECK(line.bank_waits() == 0);
}

TEST_CASE("a row tile waits for the drain two before it, its drain for the one before it") {
  MacTimeline line;
  line.take_weights(1);
  line.take_bank();
  line.multiply(2);
  line.drain(10);  // 3 to 13
  line.take_bank();
  CHECK(line.now() == 3);
  line.multiply(4);
  line.drain(10);
  CHECK(line.drain_start() == 13);
  line.take_bank();  // the first one's
  CHECK(line.now() == 13);
  CHECK(line.bank_waits() == 6);
  line.multiply(1);
  line.drain(2);
  CHECK(line.drain_start() == 23);
  line.wait_for_last_drain();
  CHECK(line.now() == 23);
  CHECK(line.drain_end() == 25);
  CHECK(line.bank_waits() == 6 + 9);
}

TEST_CASE("a cycle without bank and weights counts for the bank, and the load goes on in it") {
  MacTimeline line(20);  // the bank of the second row tile is held
  line.take_bank();
  line.take_weights(4);
  line.multiply(1);
  line.drain(1);
  CHECK(line.drain_start() == 20);
  line.take_bank();
  CHECK(line.now() == 20);
  line.take_weights(18);  // begun at 4
  CHECK(line.now() == 22);
  CHECK(line.bank_waits() == 15);
  CHECK(line.weight_waits() == 4 + 2);
}

TEST_CASE("the edges of a command are those of its phases") {
  const config::MachineConfig config = machine("v256");
  const spec::MacCommand command = command_of({}, 16);
  const Profile alone = profile(command, config);
  const CommandEdges edges = mac_edges(std::span(&command, 1), config.datapath).front();
  CHECK(edges.taken == 0);
  CHECK(edges.next_command == alone.main.datapath_cycles);
  REQUIRE(edges.results.size() == 4 * 125);
  CHECK(edges.results.back() == alone.main.datapath_cycles + alone.drain.datapath_cycles);
  // Row tiles of 64 and 61 rows, 4 steps: the first drain begins behind 4 x 64 rows.
  CHECK(edges.results[0] == kLatencies + 4 + 4 * 64 + kDrainLatencies + 1);
  CHECK(edges.results[63] == edges.results[0] + 63);
  CHECK(edges.results[64] == edges.results[0] + 4 * 61);
}

TEST_CASE("a command waits for the bank that the one before it still drains") {
  const config::MachineConfig config = machine("v256");
  // A residual takes 4 cycles a row, of a last row tile of 64 rows.
  spec::MacCommand residual = command_of({.rows = 64, .columns = 1, .out_channels = 16}, 16);
  residual.residual = true;
  residual.addend = residual.output;
  spec::MacCommand next = command_of({.rows = 24, .columns = 1, .out_channels = 16}, 16);
  next.row_tile_rows = 12;
  const std::vector<spec::MacCommand> commands{residual, next};
  const std::vector<CommandEdges> edges = mac_edges(commands, config.datapath);
  const int64_t alone = mac_edges(std::span(&next, 1), config.datapath).front().next_command;
  CHECK(edges[1].taken == edges[0].next_command);
  // Its own drains begin when the last result of the older one has left, of which the drain takes 4 x 64 cycles.
  CHECK(edges[0].results.back() > edges[0].next_command + 4 * 64);
  CHECK(edges[1].results.front() == edges[0].results.back() + kDrainLatencies + 1);
  CHECK(edges[1].next_command > edges[1].taken + alone + 150);
}

}  // namespace
}  // namespace vernier::timing
