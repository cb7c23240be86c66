// SPDX-License-Identifier: Apache-2.0
// Layers worked by hand. Each main phase is
//   SRAM latency + first load + swap + accumulation (what the test states) + MAC pipeline.
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

namespace vernier::timing {
namespace {

using base::ElementType;

constexpr int64_t kLatencies = spec::kSramReadLatencyCycles + spec::kTileSwapCycles + spec::kMacPipelineCycles;
constexpr int64_t kWords = spec::kWeightLoadWords;

struct Layer {
  int64_t rows = 25, columns = 5, in_channels = 64, out_channels = 64, kernel = 1, stride = 1;
  bool is_depthwise = false, is_dense = false;
};

/// Stride-1 layers keep their size (padding as needed); others have an input of stride x (size - 1) + kernel.
spec::MacCommand command_of(const Layer& layer, int64_t n) {
  spec::MacCommand command;
  const auto extent = [&](int64_t out) { return layer.stride == 1 ? out : layer.stride * (out - 1) + layer.kernel; };
  command.in_rows = extent(layer.rows);
  command.in_columns = extent(layer.columns);
  command.in_channels = layer.in_channels;
  command.mode = layer.is_depthwise ? spec::MacMode::Depthwise : spec::MacMode::Conv;
  command.input = layer.is_dense ? dense(1 << 20, command.in_columns, layer.in_channels, n)
                                 : planes(1 << 20, command.in_rows, command.in_columns, n);
  command.output =
      layer.is_dense ? dense(2 << 20, layer.columns, layer.out_channels, n) : planes(2 << 20, layer.rows, layer.columns, n);
  command.kernel_rows = command.kernel_columns = layer.kernel;
  command.stride_rows = command.stride_columns = layer.stride;
  command.out_rows = layer.rows;
  command.out_columns = layer.columns;
  command.out_channels = layer.out_channels;
  command.reduction_end = layer.kernel * layer.kernel * (layer.is_depthwise ? 1 : layer.in_channels);
  command.rescale = true;
  return command;
}

void check_sums(const Profile& profile) {
  for (const Phase* phase : {&profile.main, &profile.drain}) {
    CHECK(phase->cycles == phase->busy_cycles + sum_of_stalls(*phase));
    CHECK(phase->datapath_cycles <= phase->cycles);
  }
}

TEST_CASE("1x1 convolution, 64 to 64 channels, 25x5") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes, tiles = 64 / n, steps = 64 / n;
    const Profile result = profile(command_of({}, n), config);
    const Phase& main = result.main;
    CHECK(main.busy_cycles == tiles * steps * 125);
    CHECK(main.cycles == kLatencies + n / kWords + tiles * steps * 125);
    CHECK(stall_of(main, Stall::WeightLoad) == n / kWords + spec::kTileSwapCycles);
    CHECK(main.datapath_cycles == main.cycles);
    // A word a row and step; a tile of n words for each channel tile, row tile (64 + 61 rows) and step; 10 n bytes a channel
    // tile.
    CHECK(demand_of(main, Resource::SramRead) == tiles * (steps * 125 + 2 * steps * n + spec::kChannelParameterBytes));
    // The last row tile of 61 rows drains by itself.
    CHECK(result.drain.cycles == 61 + spec::kRescalePipelineCycles);
    CHECK(demand_of(result.drain, Resource::SramWrite) == 61);
    CHECK(demand_of(result.drain, Resource::RescaleLanes) == 61);
    CHECK(demand_of(main, Resource::SramWrite) == tiles * 125 - 61);
    CHECK(demand_of(main, Resource::RescaleLanes) == tiles * 125 - 61);
    check_sums(result);
  }
  CHECK(profile(command_of({}, 16), machine("v256")).main.cycles == 2012);
}

TEST_CASE("the output of a slice stays in the accumulators") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.rows = 8, .columns = 8, .out_channels = 16}, 16);
  command.reduction_end = 32;
  command.last = false;
  const Profile result = profile(command, config);
  CHECK(result.main.cycles == kLatencies + 4 + 2 * 64);
  CHECK(result.drain.cycles == 0);
  CHECK(demand_of(result.main, Resource::SramWrite) == 0);
  CHECK(demand_of(result.main, Resource::SramRead) == 2 * 64 + 2 * 16);  // no parameters
  check_sums(result);
}

TEST_CASE("17 output channels cost twice the cycles of 16, and one lane's weights more") {
  const config::MachineConfig config = machine("v256");
  const Phase sixteen = profile(command_of({.out_channels = 16}, 16), config).main;
  const Phase seventeen = profile(command_of({.out_channels = 17}, 16), config).main;
  CHECK(sixteen.busy_cycles == 4 * 125);
  CHECK(seventeen.busy_cycles == 2 * 4 * 125);
  // 4 steps in 2 row tiles load 1 word each instead of 16; 10 bytes of parameters; the activations again.
  CHECK(demand_of(seventeen, Resource::SramRead) - demand_of(sixteen, Resource::SramRead) == 4 * 125 + 2 * 4 * 1 + 1);
}

TEST_CASE("depthwise 3x3, stride 1, planes, sliding along the rows: two cycles a line more than its outputs") {
  // 125 rows in row tiles of 64 and 61 are pieces of 25, 25, 14, 11, 25, 25; each line: 9 words are 3 cycles, the last of
  // them the first output's; then 3 words a row.
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.kernel = 3, .is_depthwise = true}, 16);
  command.slide_rows = true;
  command.origin_row = command.origin_column = -1;
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 4 * (125 + 6 * 2));
  CHECK(result.main.cycles == kLatencies + 3 + 4 * (125 + 6 * 2));  // 9 words of weights
  CHECK(stall_of(result.main, Stall::BankConflict) == 0);
  CHECK(demand_of(result.main, Resource::SramRead) == 4 * (6 * 9 + 119 * 3 + 2 * 9 + 10));
  check_sums(result);

  // v64: nine taps are two passes. Eight taps: 8 words, 2 cycles a first window; then one tap: 1 word a row.
  const Profile small = profile(
      [&] {
        spec::MacCommand eight = command_of({.kernel = 3, .is_depthwise = true}, 8);
        eight.slide_rows = true;
        return eight;
      }(),
      machine("v64"));
  CHECK(small.main.busy_cycles == 8 * ((125 + 6) + 125));

  const Profile large = profile(
      [&] {
        spec::MacCommand two = command_of({.kernel = 3, .is_depthwise = true}, 32);
        two.slide_rows = true;
        return two;
      }(),
      machine("v1024"));
  CHECK(large.main.cycles == kLatencies + 3 + 2 * (125 + 6 * 2));
}

TEST_CASE("depthwise 3x3, stride 2, planes: one and a half cycles an output") {
  const config::MachineConfig config = machine("v256");
  const spec::MacCommand command =
      command_of({.rows = 5, .columns = 25, .kernel = 3, .stride = 2, .is_depthwise = true}, 16);
  const Profile result = profile(command, config);
  // 6 words an output, 4 a cycle: a line of n takes 3 - 1 + 1 + ceil(6 (n - 1) / 4).
  const auto line = [](int64_t outputs) { return 3 + (6 * (outputs - 1) + 3) / 4; };
  CHECK(line(25) == 39);
  CHECK(result.main.busy_cycles == 4 * (4 * line(25) + line(14) + line(11)));
  CHECK(stall_of(result.main, Stall::BankConflict) == 0);  // rows of 51 words: 3 modulo 8
  check_sums(result);
}

TEST_CASE("depthwise 3x3, dense: the three words of a row lie in two banks") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.kernel = 3, .is_depthwise = true, .is_dense = true}, 16);
  command.slide_rows = true;
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 4 * (125 + 6 * 2));  // the datapath is the same
  // Pixels are 4 words apart, rows 20: a first window's 9 words are banks 0404 0404 0, each later row's 0 4 0.
  CHECK(stall_of(result.main, Stall::BankConflict) == 4 * (6 * 2 + 119 * 1));
  check_sums(result);
}

TEST_CASE("planes whose rows are a multiple of 4 words apart collide across the slide") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      command_of({.rows = 1, .columns = 24, .out_channels = 16, .kernel = 3, .is_depthwise = true}, 16);
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) > 23);  // 24 words: bank 0 three times
  // 25 words: the first window's words are in banks 0121 2323 4, two collisions; later rows have none.
  command.input = planes(0, 3, 24, 16, 1);
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) == 2);
}

TEST_CASE("depthwise with half the lanes' channels: two pixels a cycle") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of(
      {.rows = 2, .columns = 24, .in_channels = 8, .out_channels = 8, .kernel = 3, .is_depthwise = true, .is_dense = true},
      16);
  command.lane_split_log2 = 1;
  const Profile result = profile(command, config);
  // Two new pixels of 8 bytes in each of three rows, a word each: 12 groups a line. Four pixels a row of the first window,
  // two words each: 6 words, 2 cycles, the second of them the first output's.
  CHECK(result.main.busy_cycles == 2 * (2 - 1 + 12));
  CHECK(demand_of(result.drain, Resource::SramWrite) == 24);  // 24 rows of 16 bytes
}

TEST_CASE("fully connected 640 to 128: four cycles a step for the weights, and the port pays for the rest") {
  const config::MachineConfig config = machine("v256");
  const Layer layer{.rows = 1, .columns = 1, .in_channels = 640, .out_channels = 128};
  const Profile result = profile(command_of(layer, 16), config);
  const int64_t steps = 8 * 40;
  CHECK(result.main.busy_cycles == steps);
  // Each load but the first runs under a step of one row; nothing is loaded under the last step.
  CHECK(result.main.datapath_cycles == kLatencies + 4 + (steps - 1) * 4 + 1);
  const int64_t words = steps * (16 + 1) + 8 * spec::kChannelParameterBytes;
  CHECK(demand_of(result.main, Resource::SramRead) == words);
  CHECK(result.main.cycles == words / 4);
  CHECK(result.drain.cycles == 1 + spec::kRescalePipelineCycles);
  check_sums(result);
  // With half the port a tile takes 8 cycles.
  CHECK(profile(command_of(layer, 16), machine("v256-sram48")).main.datapath_cycles == kLatencies + 8 + (steps - 1) * 8 + 1);
}

TEST_CASE("first layer: three channels, 3x3, dense: two segments a step, one cycle a row") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      command_of({.rows = 32, .columns = 32, .in_channels = 3, .out_channels = 16, .kernel = 3, .is_dense = true}, 16);
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 2 * 1024);  // ceil(27 / 16) steps: runs of 9 + 7 and of 2 + 9 bytes
  check_sums(result);
  // As planes the three channels of a pixel are a run by themselves: 6 and 5 runs a step, 3 cycles each.
  command.input = planes(1 << 20, 32, 32, 16);
  CHECK(profile(command, config).main.busy_cycles == (3 + 2) * 1024);
}

TEST_CASE("KWS first layer: kernel 10x4, one channel, rows of 10 bytes") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({}, 16);
  command.input = dense(1 << 20, 10, 1, 16);
  command.in_rows = 49;
  command.in_columns = 10;
  command.in_channels = 1;
  command.kernel_rows = 10;
  command.kernel_columns = 4;
  command.stride_rows = command.stride_columns = 2;
  command.origin_row = -4;
  command.origin_column = -1;
  command.reduction_end = 40;
  // 16 elements are 4 kernel rows of 4 bytes: 2 cycles; the last 8 are 2: 1 cycle.
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 4 * 125 * (2 + 2 + 1));
  check_sums(result);
}

TEST_CASE("a lane split puts 2 and 4 pixels in a row") {
  const config::MachineConfig config = machine("v256");
  const Layer layer{.rows = 4, .columns = 26, .in_channels = 16, .out_channels = 8, .is_dense = true};
  spec::MacCommand command = command_of(layer, 16);
  CHECK(profile(command, config).main.busy_cycles == 4 * 26);
  command.lane_split_log2 = 1;  // two pixels of 16 bytes: two segments
  CHECK(profile(command, config).main.busy_cycles == 4 * 13);
  command.lane_split_log2 = 2;  // 7 groups of four pixels, four segments, two channel tiles
  CHECK(profile(command, config).main.busy_cycles == 2 * 4 * 7 * 2);
  command = command_of({.rows = 4, .columns = 26, .in_channels = 4, .out_channels = 4, .is_dense = true}, 16);
  command.lane_split_log2 = 2;  // four pixels of 4 bytes: one segment
  const Profile split = profile(command, config);
  CHECK(split.main.busy_cycles == 4 * 7);
  CHECK(demand_of(split.drain, Resource::RescaleLanes) == 4 * 7);
}

TEST_CASE("a residual of four rescales hides behind four steps, not behind three") {
  const config::MachineConfig config = machine("v256");
  const auto with_residual = [](const Layer& layer) {
    spec::MacCommand command = command_of(layer, 16);
    command.residual = true;
    command.addend = command.output;
    command.addend.base = 3 << 20;
    return command;
  };
  const Profile hidden = profile(with_residual({.rows = 16, .columns = 8}), config);  // row tiles of 64 and 64
  CHECK(hidden.main.cycles == kLatencies + 4 + 4 * 4 * 128);
  CHECK(stall_of(hidden.main, Stall::RescaleContention) == 0);
  CHECK(hidden.drain.cycles == 4 * 64 + 3 * spec::kRescalePipelineCycles);
  CHECK(demand_of(hidden.main, Resource::RescaleLanes) + demand_of(hidden.drain, Resource::RescaleLanes) == 4 * 4 * 128);
  CHECK(demand_of(hidden.drain, Resource::SramRead) == 64);  // the addend

  // Row tiles of 64 and 61: the third waits for its bank until the first one's drain of 256 is over, and so on: the short
  // tile's 12 cycles are lost each time.
  spec::MacCommand command = with_residual({});
  const Profile uneven = profile(command, config);
  CHECK(uneven.main.cycles == kLatencies + 4 + 4 * (256 + 256));
  CHECK(stall_of(uneven.main, Stall::RescaleContention) == 4 * (64 - 61) * 4);

  command.reduction_end = command.in_channels = 48;
  const Profile exposed = profile(command, config);
  // Row tiles of 64 and 61; the first has 3 x 64 cycles of its own, then drains of 256 and 244 follow each other without a
  // gap; the last one is the drain phase.
  const int64_t accumulation = 3 * 64 + 4 * 256 + 3 * 244;
  CHECK(exposed.main.busy_cycles == 3 * 4 * 125);
  CHECK(exposed.main.cycles == kLatencies + 4 + accumulation);
  CHECK(stall_of(exposed.main, Stall::RescaleContention) == accumulation - 3 * 4 * 125);
  CHECK(exposed.main.datapath_cycles == exposed.main.cycles);
  check_sums(exposed);
}

TEST_CASE("int32 outputs are four words a row, and the write port then holds up a single step") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.in_channels = 16, .out_channels = 16, .is_dense = true}, 16);
  command.rescale = false;
  command.output = dense(2 << 20, 5, 16, 16, ElementType::Int32);
  const Profile result = profile(command, config);
  CHECK(result.drain.busy_cycles == 61);
  CHECK(stall_of(result.drain, Stall::PortContention) == 61);
  CHECK(demand_of(result.drain, Resource::SramWrite) == 4 * 61);
  // Tile 0: 64 cycles, its drain 128; tile 1 accumulates under it, and its drain waits for the other 64.
  CHECK(result.main.cycles == kLatencies + 4 + 64 + 128);
  CHECK(stall_of(result.main, Stall::RescaleContention) == 64 - 61);  // at a cycle a row the drain would end at 128, not 125
  CHECK(stall_of(result.main, Stall::PortContention) == 64);
  command.output = dense(2 << 20, 5, 16, 16, ElementType::Int48);
  CHECK(demand_of(profile(command, config).drain, Resource::SramWrite) == 8 * 61);
  check_sums(result);
}

TEST_CASE("an unaligned output row touches two words") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.rows = 8, .columns = 8, .out_channels = 12, .is_dense = true}, 16);
  // Rows of 12 bytes at 12 i: within a word when 12 i mod 16 is 0 or 4, that is for half of them.
  CHECK(demand_of(profile(command, config).drain, Resource::SramWrite) == 32 * 1 + 32 * 2);
}

TEST_CASE("a table takes its lanes") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({}, 16);
  const Profile without = profile(command, config);
  command.table = true;
  const Profile with = profile(command, config);
  CHECK(demand_of(without.drain, Resource::TableLanes) == 0);
  CHECK(demand_of(with.drain, Resource::TableLanes) == 61);
  CHECK(demand_of(with.main, Resource::TableLanes) == 4 * 125 - 61);
  CHECK(with.drain.cycles == without.drain.cycles + spec::kTablePipelineCycles);
}

TEST_CASE("int16 activations take two passes, int16 weights four, int4 weights half the words") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.in_channels = 64, .out_channels = 16, .is_dense = true}, 16);
  const auto weight_words = [&] {
    return demand_of(profile(command, config).main, Resource::SramRead) - spec::kChannelParameterBytes;
  };
  CHECK(weight_words() == 4 * 125 + 2 * 4 * 16);
  command.weight_type = ElementType::Int4;
  CHECK(weight_words() == 4 * 125 + 2 * 4 * 8);
  command.weight_type = ElementType::Int8;
  command.input = dense(1 << 20, 5, 64, 16, ElementType::Int16);
  CHECK(profile(command, config).main.busy_cycles == 2 * 4 * 125);
  CHECK(weight_words() == 2 * (4 * 125 * 2 + 2 * 4 * 16));
  command.weight_type = ElementType::Int16;
  CHECK(profile(command, config).main.busy_cycles == 4 * 4 * 125);
}

TEST_CASE("48-bit accumulators leave 8 bytes an element: 8 words of 2 a cycle for each row") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes;
    spec::MacCommand command = command_of({.in_channels = 64, .out_channels = n, .is_dense = true}, n);
    command.input = dense(1 << 20, 5, 64, n, ElementType::Int16);
    command.output = dense(2 << 20, 5, n, n, ElementType::Int48);
    command.rescale = command.scale32 = false;
    command.accumulator_is_48 = true;
    const Profile result = profile(command, config);
    CHECK(result.main.busy_cycles == 2 * (64 / n) * 125);
    CHECK(result.drain.busy_cycles == 61);
    CHECK(result.drain.cycles == 61 * 8 / 2);
    CHECK(stall_of(result.drain, Stall::PortContention) == 61 * 3);
    CHECK(demand_of(result.drain, Resource::SramWrite) == 61 * 8);
    CHECK(demand_of(result.drain, Resource::RescaleLanes) == 0);
    command.rescale = true;  // 48 x 16 lanes: a vector a cycle, as 32 x 32
    command.output = dense(2 << 20, 5, n, n, ElementType::Int16);
    const Profile rescaled = profile(command, config);
    CHECK(rescaled.drain.cycles == 61 + spec::kRescalePipelineCycles);
    CHECK(demand_of(rescaled.drain, Resource::SramWrite) == 61 * 2);
    CHECK(demand_of(rescaled.drain, Resource::RescaleLanes) == 61);
  }
}

TEST_CASE("weights that are a matrix in memory: a run a lane or a run an element, and their bank conflicts") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.rows = 1, .columns = 1, .in_channels = 64, .out_channels = 16}, 16);
  const auto loads_with = [&](spec::WeightOrder order, int64_t pitch) {
    command.weight_order = order;
    command.weight_pitch_bytes = pitch;
    return profile(command, config).main;
  };
  const Phase lanes = loads_with(spec::WeightOrder::LaneMajor, 64 + 16);  // 5 words apart: no conflict
  CHECK(lanes.datapath_cycles == kLatencies + 4 + 3 * 4 + 1);
  CHECK(stall_of(lanes, Stall::BankConflict) == 0);
  const Phase same_bank = loads_with(spec::WeightOrder::LaneMajor, 128);  // 16 words of one bank: 16 cycles a tile, not 4
  CHECK(same_bank.datapath_cycles == lanes.datapath_cycles);
  CHECK(same_bank.cycles == kLatencies + 16 + 3 * 16 + 1);
  CHECK(loads_with(spec::WeightOrder::TapMajor, 64).cycles == kLatencies + 8 + 3 * 8 + 1);  // banks 0 4 0 4
  CHECK(loads_with(spec::WeightOrder::TapMajor, 16).cycles == lanes.cycles);
}

}  // namespace
}  // namespace vernier::timing
