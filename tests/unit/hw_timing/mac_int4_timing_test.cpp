// SPDX-License-Identifier: Apache-2.0
// Weights of int4, worked by hand: half the words, the tile rows of int8.
#include "tests/unit/hw_timing/layers.hpp"

namespace vernier::timing {
namespace {

using base::ElementType;

int64_t load_cycles(const spec::MacCommand& command, const config::MachineConfig& config) {
  return stall_of(profile(command, config).main, Stall::WeightLoad) - spec::kTileSwapCycles;
}

/// All words but those of parameters, of a single channel tile.
int64_t read_words(const spec::MacCommand& command, const config::MachineConfig& config) {
  const int64_t lanes = config.datapath.lanes, parameters = command.out_channels * spec::kChannelParameterBytes;
  return demand_of(profile(command, config).main, Resource::SramRead) - (parameters + lanes - 1) / lanes;
}

/// What int4 saves.
int64_t saved_words(spec::MacCommand command, const config::MachineConfig& config) {
  const int64_t words = read_words(command, config);
  command.weight_type = ElementType::Int4;
  return words - read_words(command, config);
}

TEST_CASE("a convolution's tile of int4 has half the words, and loads four of its rows a cycle") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes;
    spec::MacCommand command = command_of({.in_channels = n, .out_channels = n}, n);
    CHECK(saved_words(command, config) == n / 2);
    command.weight_type = ElementType::Int4;
    CHECK(load_cycles(command, config) == n / 4);
    // Three lanes: two words, of which the second one has the third lane and half of what follows.
    command.out_channels = 3;
    CHECK(load_cycles(command, config) == 1);
    command.weight_type = ElementType::Int8;
    CHECK(saved_words(command, config) == 1);
  }
}

TEST_CASE("the narrow port of v256-sram48 takes as long for 8 words of int4 as for 16 rows, half of what int8 takes") {
  const config::MachineConfig config = machine("v256-sram48");
  spec::MacCommand command = command_of({.in_channels = 16, .out_channels = 16}, 16);
  CHECK(load_cycles(command, config) == 8);
  command.weight_type = ElementType::Int4;
  CHECK(load_cycles(command, config) == 4);
}

TEST_CASE("a fully connected layer of int4 takes the cycles of its rows, not of its words") {
  const config::MachineConfig config = machine("v256");
  // 8 channel tiles of 40 steps of one row: a load of four cycles for each but the first, which is seen with its swap.
  spec::MacCommand command =
      command_of({.rows = 1, .columns = 1, .in_channels = 640, .out_channels = 128, .is_dense = true}, 16);
  const auto port_cycles = [&] { return stall_of(profile(command, config).main, Stall::PortContention); };
  const int64_t steps = 8 * 40;
  // int8: a word of activations and 16 of weights a step, on a port of four.
  CHECK(port_cycles() >= steps / 4);
  command.weight_type = ElementType::Int4;
  const int64_t parameters = 8 * spec::kChannelParameterBytes;
  CHECK(port_cycles() <= parameters / 4 + 8);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == steps * (8 + 1) + parameters);
}

TEST_CASE("taps of a depthwise layer begin with a byte") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      command_of({.rows = 8, .columns = 8, .in_channels = 5, .out_channels = 5, .kernel = 3, .is_depthwise = true}, 16);
  command.weight_base = 0;
  // 9 taps of 5 lanes lie in 45 bytes, 3 words; of int4 in 27, 2 words. Four taps a cycle.
  CHECK(saved_words(command, config) == 1);
  command.weight_type = ElementType::Int4;
  CHECK(load_cycles(command, config) == 3);
  command.weight_type = ElementType::Int8;
  command.in_channels = command.out_channels = 16;  // 9 words; of int4 two taps a word
  CHECK(saved_words(command, config) == 9 - 5);
}

}  // namespace
}  // namespace vernier::timing
