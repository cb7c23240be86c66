// SPDX-License-Identifier: Apache-2.0
// Layers worked by hand, but the depthwise ones.
#include "tests/unit/hw_timing/layers.hpp"

namespace vernier::timing {
namespace {

using base::ElementType;

TEST_CASE("1x1 convolution, 64 to 64 channels, 25x5") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes, tiles = 64 / n, steps = 64 / n;
    const Profile result = profile(command_of({}, n), config);
    const Phase& main = result.main;
    CHECK(main.busy_cycles == tiles * steps * 125);
    CHECK(main.datapath_cycles == kLatencies + n / kWords + tiles * steps * 125);
    CHECK(stall_of(main, Stall::WeightLoad) == n / kWords + spec::kTileSwapCycles);
    // Parameters, 10 words, come beside the first weights; those of later channel tiles beside rows.
    CHECK(without_banks(main) == main.datapath_cycles + kFirstParameters);
    CHECK(stall_of(main, Stall::BankConflict) <= kStartWords);
    CHECK(stall_of(main, Stall::PortContention) == kFirstParameters);
    // A word a row and step; a tile of n words for each channel tile, row tile (64 + 61 rows) and step; 10 n bytes a channel
    // tile.
    CHECK(demand_of(main, Resource::SramRead) == tiles * (steps * 125 + 2 * steps * n + spec::kChannelParameterBytes));
    // The last row tile of 61 rows drains by itself.
    CHECK(result.drain.cycles == 61 + kDrainLatencies);
    CHECK(demand_of(result.drain, Resource::SramWrite) == 61);
    CHECK(demand_of(result.drain, Resource::RescaleLanes) == 61);
    CHECK(demand_of(main, Resource::SramWrite) == tiles * 125 - 61);
    CHECK(demand_of(main, Resource::RescaleLanes) == tiles * 125 - 61);
    check_sums(result);
  }
  CHECK(without_banks(profile(command_of({}, 16), machine("v256")).main) == 2010);
}

TEST_CASE("the lead of a command is its first row tile, as far as the drains behind it have the time that they need") {
  const config::MachineConfig config = machine("v256");
  // 4 steps of 64 rows, with the first load, the parameters beside it and the swap, before the first drain.
  const Phase main = profile(command_of({}, 16), config).main;
  CHECK(main.lead_cycles == kLatencies + 16 / kWords + kFirstParameters + 4 * 64);
  // One step: 64 + 61 rows of int32 for 4 channel tiles, each 2 cycles of the write port: all but the last drain, 61 rows.
  spec::MacCommand wide = command_of({.in_channels = 16}, 16);
  wide.output.type = ElementType::Int32;
  wide.output.pixel_pitch_bytes *= 4;
  wide.output.row_pitch_bytes *= 4;
  wide.output.block_pitch_bytes *= 4;
  wide.rescale = false;
  const Phase drained = profile(wide, config).main;
  CHECK(demand_of(drained, Resource::SramWrite) == 4 * (4 * 125 - 61));
  CHECK(drained.cycles - drained.lead_cycles >= demand_of(drained, Resource::SramWrite) / 2);
  // A single row tile is all lead: what it writes is its drain's.
  const Phase single = profile(command_of({.rows = 8, .columns = 8, .out_channels = 16}, 16), config).main;
  CHECK(single.lead_cycles == single.cycles);
  CHECK(demand_of(single, Resource::SramWrite) == 0);
}

TEST_CASE("the output of a slice stays in the accumulators") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.rows = 8, .columns = 8, .out_channels = 16}, 16);
  command.reduction_end = 32;
  command.last = false;
  const Profile result = profile(command, config);
  CHECK(result.main.cycles == kLatencies + 4 + 2 * 64 + spec::kMacPipelineCycles);  // on its sums the next slice builds
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

TEST_CASE("fully connected 640 to 128: four cycles a step for the weights, and the port pays for the rest") {
  const config::MachineConfig config = machine("v256");
  const Layer layer{.rows = 1, .columns = 1, .in_channels = 640, .out_channels = 128};
  const Profile result = profile(command_of(layer, 16), config);
  const int64_t steps = 8 * 40;
  CHECK(result.main.busy_cycles == steps);
  // Each load but the first runs under a step of one row; nothing is loaded under the last step.
  CHECK(result.main.datapath_cycles == kLatencies + 4 + (steps - 1) * 4 + 1);
  const int64_t words = steps * (16 + 1) + 8 * spec::kChannelParameterBytes;
  CHECK(demand_of(result.drain, Resource::SramRead) == 0);
  CHECK(demand_of(result.main, Resource::SramRead) == words);
  // The port gives all words but that of the last row, which came beside the load before; then the swap, and the row.
  CHECK(result.main.cycles == spec::kSramReadLatencyCycles + (words - 1 + 3) / 4 + spec::kTileSwapCycles + 1);
  CHECK(result.drain.cycles == 1 + kDrainLatencies);
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

TEST_CASE("two pixels of three channels share segments: a run of each out of one") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of(
      {.rows = 48, .columns = 48, .in_channels = 3, .out_channels = 8, .kernel = 3, .stride = 2, .is_dense = true}, 16);
  command.lane_split_log2 = 1;
  // Step 0: bytes 0..8 and 6..14 of kernel row 0, 0..6 and 6..12 of row 1. Step 1: 7..8 and 13..14 of row 1, then row 2.
  CHECK(profile(command, config).main.busy_cycles == 2 * 48 * 24);
  // Further apart than a segment reaches (5 pixels, 15 bytes), the two runs of 2 bytes take two.
  command.stride_columns = 5;
  command.in_columns = 5 * 47 + 3;
  CHECK(profile(command, config).main.busy_cycles == (2 + 2) * 48 * 24);
}

TEST_CASE("small row tiles: a shorter drain, more loads of weights") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({}, 16);
  const Profile large = profile(command, config);
  command.row_tile_rows = 25;
  const Profile small = profile(command, config);
  CHECK(without_banks(small.main) == without_banks(large.main));
  CHECK(small.drain.cycles == 25 + kDrainLatencies);
  CHECK(demand_of(small.main, Resource::SramRead) - demand_of(large.main, Resource::SramRead) == 4 * 4 * 16 * (5 - 2));
  // 24: the last tile has 5 rows, 20 cycles in 4 steps, and the drain before it 24.
  command.row_tile_rows = 24;
  CHECK(profile(command, config).drain.cycles == 5 + kDrainLatencies);
  CHECK(without_banks(profile(command, config).main) ==
        without_banks(large.main) + 4 * (24 - 4 * 5));  // in each channel tile
  check_sums(profile(command, config));
}

TEST_CASE("row tiles of a single step and a byte of weights share one weight tile") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.in_channels = 16}, 16);
  const auto weight_words = [&] {  // of 4 channel tiles
    return demand_of(profile(command, config).main, Resource::SramRead) - 4 * (125 + spec::kChannelParameterBytes);
  };
  for (const int64_t rows : {64, 25, 8}) {
    command.row_tile_rows = rows;
    CAPTURE(rows);
    CHECK(weight_words() == 4 * 16);
    CHECK(profile(command, config).main.busy_cycles == 4 * 125);
  }
  command.row_tile_rows = 25;
  command.weight_type = ElementType::Int16;  // a tile for each byte: 5 row tiles load both
  command.input.type = ElementType::Int16;
  command.input.pixel_pitch_bytes *= 2;
  command.input.row_pitch_bytes *= 2;
  command.input.block_pitch_bytes *= 2;
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) ==
        4 * (2 * 2 * 125 + 5 * 2 * 32 + spec::kChannelParameterBytes));
}

TEST_CASE("the weights of the next channels load beside all row tiles") {
  const config::MachineConfig config = machine("v1024");
  // A tile loads in 8 cycles. Row tiles of 8, 8 and 1 rows: behind them it is there.
  spec::MacCommand command = command_of({.rows = 17, .columns = 1, .in_channels = 32}, 32);
  command.row_tile_rows = 8;
  const Profile small = profile(command, config);
  CHECK(stall_of(small.main, Stall::WeightLoad) == 8 + spec::kTileSwapCycles);
  // Five rows alone wait for three cycles.
  command.out_rows = command.in_rows = 5;
  CHECK(stall_of(profile(command, config).main, Stall::WeightLoad) == 8 + spec::kTileSwapCycles + 3);
}

TEST_CASE("a weight tile takes at most four of its rows a cycle") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      command_of({.rows = 8, .columns = 8, .in_channels = 5, .out_channels = 5, .kernel = 3, .is_depthwise = true}, 16);
  const auto load = [&] { return stall_of(profile(command, config).main, Stall::WeightLoad) - spec::kTileSwapCycles; };
  // 9 taps of 5 lanes lie in 45 bytes, 3 words.
  CHECK(load() == 3);
  const auto words = [&] { return demand_of(profile(command, config).main, Resource::SramRead); };
  const int64_t words_of_five = words() - (5 * spec::kChannelParameterBytes + 15) / 16;
  command.weight_base = 0;
  command.in_channels = command.out_channels = 16;  // 9 words
  CHECK(load() == 3);
  CHECK(words() - spec::kChannelParameterBytes - words_of_five == 9 - 3);
  // int4: two lanes a word.
  spec::MacCommand pointwise = command_of({.in_channels = 16, .out_channels = 16}, 16);
  pointwise.weight_type = ElementType::Int4;
  CHECK(stall_of(profile(pointwise, config).main, Stall::WeightLoad) == 4 + spec::kTileSwapCycles);
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
  CHECK(hidden.main.cycles == kLatencies + 4 + kFirstParameters + 4 * 4 * 128);
  CHECK(stall_of(hidden.main, Stall::RescaleContention) == 0);
  CHECK(hidden.drain.cycles == 4 * 64 + spec::kMacPipelineCycles + 3 * spec::kRescalePipelineCycles);
  CHECK(demand_of(hidden.main, Resource::RescaleLanes) + demand_of(hidden.drain, Resource::RescaleLanes) == 4 * 4 * 128);
  CHECK(demand_of(hidden.drain, Resource::SramRead) == 64);  // the addend

  // Row tiles of 64 and 61: the third waits for its bank until the first one's drain of 256 is over, and so on: the short
  // tile's 12 cycles are lost each time.
  spec::MacCommand command = with_residual({});
  const Profile uneven = profile(command, config);
  CHECK(uneven.main.cycles == kLatencies + 4 + kFirstParameters + 4 * (256 + 256));
  CHECK(stall_of(uneven.main, Stall::RescaleContention) == 4 * (64 - 61) * 4);

  command.reduction_end = command.in_channels = 48;
  const Profile exposed = profile(command, config);
  // Row tiles of 64 and 61; the first has 3 x 64 cycles of its own, then drains of 256 and 244 follow each other without a
  // gap; the last one is the drain phase.
  const int64_t accumulation = 3 * 64 + 4 * 256 + 3 * 244;
  CHECK(exposed.main.busy_cycles == 3 * 4 * 125);
  CHECK(exposed.main.datapath_cycles == kLatencies + 4 + accumulation);
  CHECK(stall_of(exposed.main, Stall::RescaleContention) == accumulation - 3 * 4 * 125);
  CHECK(exposed.main.cycles == exposed.main.datapath_cycles + kFirstParameters);
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
  CHECK(result.main.cycles == kLatencies + 4 + kFirstParameters + 64 + 128);
  CHECK(stall_of(result.main, Stall::RescaleContention) == 64 - 61);  // at a cycle a row the drain would end at 128, not 125
  CHECK(stall_of(result.main, Stall::PortContention) == kFirstParameters + 64);
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

TEST_CASE("int16 activations take two passes on one weight tile, int16 weights four on two, int4 weights half the words") {
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
  CHECK(weight_words() == 4 * 125 * 2 + 2 * 4 * 16);  // activations and weights once
  CHECK(without_banks(profile(command, config).main) == kLatencies + 4 + kFirstParameters + 2 * 4 * 125);
  command.weight_type = ElementType::Int16;
  CHECK(profile(command, config).main.busy_cycles == 4 * 4 * 125);
  // The words of both bytes are read for the tile of either; the activations are read for each tile.
  CHECK(weight_words() == 2 * (4 * 125 * 2 + 2 * 4 * 32));
}

TEST_CASE("int16: the second pass hides what the assembler needs beyond a cycle, and bank conflicts") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      command_of({.rows = 8, .columns = 8, .in_channels = 4, .out_channels = 16, .kernel = 3, .is_dense = true}, 16);
  command.input = dense(1 << 20, 8, 4, 16, ElementType::Int16);
  // 36 elements. 16: runs of 24 and 8 bytes, 3 segments; 16: runs of 16 and 16, 2 segments; 4: 1. All at most 2 cycles; the
  // first row of all is multiplied from its second cycle on.
  CHECK(profile(command, config).main.busy_cycles == 1 + 2 * 3 * 64);
  command.weight_type = ElementType::Int16;  // four passes over a row, still one first row
  CHECK(profile(command, config).main.busy_cycles == 1 + 2 * 2 * 3 * 64);
  // With two pixels a row two runs of 16 bytes 128 bytes apart: one bank, and a conflict under each second pass.
  spec::MacCommand pointwise =
      command_of({.rows = 8, .columns = 8, .in_channels = 8, .out_channels = 8, .is_dense = true}, 16);
  pointwise.input = dense(1 << 20, 8, 8, 16, ElementType::Int16);
  pointwise.input.pixel_pitch_bytes = 128;
  pointwise.lane_split_log2 = 1;
  CHECK(profile(pointwise, config).main.busy_cycles == 2 * 32);
  CHECK(stall_of(profile(pointwise, config).main, Stall::BankConflict) <= kStartWords);
  // One pass: a row wants its bank twice a cycle. Results keep to other banks; three words are on their way anyhow.
  pointwise.input.type = ElementType::Int8;
  pointwise.output.base += 4 * 16;
  const int64_t conflicts = stall_of(profile(pointwise, config).main, Stall::BankConflict);
  CHECK(conflicts <= 32);
  CHECK(conflicts >= 32 - 2 * 3);
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
    const int64_t output_register = 1;
    CHECK(without_banks(result.drain) == spec::kMacPipelineCycles + output_register + 61 * 8 / 2);
    CHECK(stall_of(result.drain, Stall::PortContention) == 61 * 3);
    CHECK(demand_of(result.drain, Resource::SramWrite) == 61 * 8);
    CHECK(demand_of(result.drain, Resource::RescaleLanes) == 0);
    command.rescale = true;  // 48 x 16 lanes: a vector a cycle, as 32 x 32
    command.output = dense(2 << 20, 5, n, n, ElementType::Int16);
    const Profile rescaled = profile(command, config);
    CHECK(rescaled.drain.cycles == 61 + kDrainLatencies);
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
  CHECK(stall_of(lanes, Stall::BankConflict) <= kStartWords);
  // 16 words of one bank: 16 cycles a tile, not 4. The next tile lies in the next bank, so that its first words come beside
  // the last ones of this tile, up to a beat.
  const Phase same_bank = loads_with(spec::WeightOrder::LaneMajor, 128);
  CHECK(same_bank.datapath_cycles == lanes.datapath_cycles);
  CHECK(same_bank.cycles <= kLatencies + 16 + 3 * 16 + 1);
  CHECK(same_bank.cycles > kLatencies + 16 + 3 * (16 - 4) + 1);
  // Banks 0 4 0 4: 8 cycles a tile. The parameters come on top of that, although their banks are free (D-004).
  const int64_t two_banks = loads_with(spec::WeightOrder::TapMajor, 64).cycles;
  CHECK(two_banks >= kLatencies + 8 + 3 * 8 + 1);
  CHECK(two_banks <= kLatencies + 8 + 3 * 8 + 1 + stall_of(lanes, Stall::PortContention));
  CHECK(without_banks(loads_with(spec::WeightOrder::TapMajor, 16)) == without_banks(lanes));
}

}  // namespace
}  // namespace vernier::timing
