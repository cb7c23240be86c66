// SPDX-License-Identifier: Apache-2.0
// How far a command's cycles can be off: words counted by hand, and random commands against a look at every position.
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/layers.hpp"
#include "tests/unit/hw_timing/pick.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace vernier::timing {
namespace {

const config::MachineConfig kMachine = machine("v256");

TEST_CASE("possible error of a 1x1 convolution: all words but those of the activations") {
  // 25 x 5 positions, 64 to 64 channels, planes: 4 channel tiles of two row tiles (64 and 61 rows) of 4 steps.
  const PossibleError error = profile(command_of({}, 16), kMachine).possible_error;
  // Weights 4 x 2 x 4 tiles of 16 words, parameters 4 x 160 bytes, results a word for each row; activations are 2,000 words.
  CHECK(error.streams_cycles == 4 * 2 * 4 * 16 + 4 * 10 + 4 * 125);
  CHECK(error.padding_cycles == 0);
}

TEST_CASE("possible error of a slice: it writes nothing and reads no parameters") {
  spec::MacCommand command = command_of({.rows = 4, .columns = 4, .out_channels = 16}, 16);
  command.last = false;
  // 4 steps: 16 rows of one word against 16 words of weights, each.
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 4 * 16);
}

TEST_CASE("possible error of a fully connected layer: its weights are the greatest stream") {
  const spec::MacCommand command = command_of({.rows = 1, .columns = 1, .in_channels = 640, .out_channels = 128}, 16);
  // 8 channel tiles: 40 words of activations, 10 of parameters and one of results each; 40 x 16 words of weights.
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 8 * (40 + 10 + 1));
}

TEST_CASE("possible error of padding: the positions outside, a cycle a step") {
  spec::MacCommand command = command_of({.kernel = 3}, 16);
  command.origin_row = command.origin_column = -1;
  // Kernel rows find 24, 25 and 24 of 25 rows inside, kernel columns 4, 5 and 4 of 5 columns.
  const int64_t outside = 9 * 125 - (24 + 25 + 24) * (4 + 5 + 4);
  CHECK(outside == 176);
  // 64 channels are 4 steps of a tap, and there are 4 channel tiles.
  CHECK(profile(command, kMachine).possible_error.padding_cycles == outside * 4 * 4);
  command.stride_rows = command.stride_columns = 2;
  command.in_rows = 49;
  command.in_columns = 9;
  // Now kernel rows find 24, 25, 24 inside (input rows -1 to 47, 0 to 48, 1 to 49), columns 4, 5, 4.
  CHECK(profile(command, kMachine).possible_error.padding_cycles == outside * 4 * 4);
}

TEST_CASE("possible error of padding: a step of several taps counts for a row as soon as one of them is outside") {
  // 3 channels, 3x3: step 0 is the elements 0 to 15, taps (0, 0) to (1, 2); step 1 the taps (1, 2) to (2, 2).
  spec::MacCommand command = command_of({.rows = 8, .columns = 8, .in_channels = 3, .kernel = 3, .is_dense = true}, 16);
  command.origin_row = command.origin_column = -1;
  command.out_channels = 16;
  // Both steps meet the left and the right edge, in 2 columns of 8; step 0 the upper edge, step 1 the lower one.
  const int64_t rows_of_step = 64 - 7 * 6;
  const Profile result = profile(command, kMachine);
  CHECK(result.main.busy_cycles == 2 * 64);  // a cycle a row and step: what each of them can cost too much
  CHECK(result.possible_error.padding_cycles == 2 * rows_of_step);
}

TEST_CASE("possible error of pixels that fill up a last group") {
  // Two pixels a row: 5 columns are 3 groups, of which the last has a pixel too many.
  spec::MacCommand command = command_of({.rows = 7, .in_channels = 16, .out_channels = 8}, 16);
  command.lane_split_log2 = 1;
  command.in_columns = 6;  // so that it is no padding
  CHECK(profile(command, kMachine).possible_error.padding_cycles == 7);
  command.out_columns = 6;
  CHECK(profile(command, kMachine).possible_error.padding_cycles == 0);
}

TEST_CASE("possible error of pixels that fill up a group of depthwise windows: the words that only they need") {
  spec::MacCommand command =
      command_of({.rows = 7, .in_channels = 8, .out_channels = 8, .kernel = 3, .is_depthwise = true}, 16);
  command.lane_split_log2 = 1;
  command.in_rows = 9;
  command.in_columns = 8;
  command.input = planes(1 << 20, 9, 8, 16);
  command.out_columns = 5;
  // Two pixels hold 3 x 4 positions, one 3 x 3: 3 words in each of 7 rows.
  CHECK(profile(command, kMachine).possible_error.padding_cycles == 7 * 3);
  command.out_columns = 6;
  CHECK(profile(command, kMachine).possible_error.padding_cycles == 0);
  // Depthwise windows do not fetch padding.
  command.origin_row = command.origin_column = -1;
  CHECK(profile(command, kMachine).possible_error.padding_cycles == 0);
}

TEST_CASE("possible error of a residual operand: its words are a stream") {
  spec::MacCommand command = command_of({.rows = 3, .columns = 4, .in_channels = 16, .out_channels = 24}, 16);
  command.residual = true;
  command.addend = planes(3 << 20, 3, 4, 16);
  // The addend's words are a stream: 24 rows of one word, less than the weights' 16 + 8, the results' 24, more than the
  // parameters' 10 + 5. All four of them have 24 or fewer; the activations 2 x 12.
  spec::MacCommand without = command;
  without.residual = false;
  CHECK(profile(command, kMachine).possible_error.streams_cycles ==
        profile(without, kMachine).possible_error.streams_cycles + 24);
}

TEST_CASE("possible error of a vector program: its loads or its stores") {
  spec::VectorCommand command;
  command.counts = {1, 1, 1, 1, 125};
  command.lanes = 16;
  command.streams.resize(3);
  for (int64_t i = 0; i < 3; ++i) {
    spec::VectorStream& stream = command.streams[static_cast<size_t>(i)];
    stream.base = i << 16;
    stream.strides_bytes = {0, 0, 0, 0, 16};
  }
  command.steps.resize(4);
  command.steps[1].stream = 1;
  command.steps[1].dst = 1;
  command.steps[0].op = command.steps[1].op = spec::VectorOp::Load;
  command.steps[2].op = spec::VectorOp::Add;
  command.steps[2].b = 1;
  command.steps[3].op = spec::VectorOp::Store;
  command.steps[3].stream = 2;
  CHECK(spec::schedule(command, kMachine.datapath));
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 125);  // stored, 250 are loaded
  command.streams[2].type = base::ElementType::Int32;
  command.streams[2].lane_stride_bytes = 4;
  command.streams[2].strides_bytes = {0, 0, 0, 0, 64};
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 250);  // loaded, 500 are stored
}

TEST_CASE("possible error of copies: within SRAM the lesser side, and the list") {
  spec::DmaCommand command;
  command.src.base = {base::MemorySpace::Sram, 0};
  command.dst.base = {base::MemorySpace::Sram, 65544};
  command.run_bytes = 4096;
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 256);  // 257 words are written
  command.dst.base.space = base::MemorySpace::External;
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 0);
  command.src.base.space = base::MemorySpace::External;
  command.dst.base.space = base::MemorySpace::Sram;
  CHECK(profile(command, kMachine).possible_error.streams_cycles == 0);

  spec::DmaCommand gather;
  gather.kind = spec::DmaKind::Gather;
  gather.counts = {1, 1, 1, 1, 100};
  gather.run_bytes = 16;
  gather.src.strides_bytes = gather.dst.strides_bytes = {0, 0, 0, 0, 16};
  gather.dst.base.offset = 1 << 16;
  gather.index_base = 1 << 17;
  gather.index_limit = 1000;
  CHECK(profile(gather, kMachine).possible_error.streams_cycles == 100 + 25);

  spec::DmaCommand turn;  // reads and writes by turns
  turn.kind = spec::DmaKind::Transpose;
  turn.counts = {1, 1, 1, 64, 48};
  turn.run_bytes = 1;
  turn.src.strides_bytes = {0, 0, 0, 48, 1};
  turn.dst.strides_bytes = {0, 0, 0, 1, 64};
  turn.dst.base.offset = 1 << 16;
  CHECK(profile(turn, kMachine).possible_error.streams_cycles == 0);
}

/// Rows of steps with a tap outside of the map, or with a pixel that fills up a last group: a look at each position.
int64_t rows_that_meet_padding(const spec::MacCommand& command, int64_t n) {
  const int64_t pixels = int64_t{1} << command.lane_split_log2, groups = (command.out_columns + pixels - 1) / pixels;
  const auto is_outside = [&](int64_t y, int64_t x, int64_t tap) {
    if (x >= command.out_columns) return true;
    const int64_t row = command.origin_row + y * command.stride_rows + tap / command.kernel_columns * command.dilation_rows;
    const int64_t column =
        command.origin_column + x * command.stride_columns + tap % command.kernel_columns * command.dilation_columns;
    return row < 0 || row >= command.in_rows || column < 0 || column >= command.in_columns;
  };
  int64_t count = 0;
  for (int64_t y = 0; y < command.out_rows; ++y) {
    for (int64_t group = 0; group < groups; ++group) {
      for (int64_t begin = command.reduction_begin; begin < command.reduction_end; begin += n) {
        bool is_any = false;
        for (int64_t r = begin; r < std::min(begin + n, command.reduction_end); ++r) {
          for (int64_t p = 0; p < pixels; ++p) is_any = is_any || is_outside(y, group * pixels + p, r / command.in_channels);
        }
        count += is_any ? 1 : 0;
      }
    }
  }
  return count;
}

TEST_CASE("possible error of random convolutions: every row of a step that meets padding, and nothing without") {
  const uint32_t seed = 161803;
  CAPTURE(seed);
  std::mt19937 random(seed);
  int64_t padded = 0;
  for (int i = 0; i < 300; ++i) {
    const config::MachineConfig config = machine(std::array{"v64", "v256", "v256-sram48"}[static_cast<size_t>(i) % 3]);
    const int64_t n = config.datapath.lanes;
    spec::MacCommand command;
    command.in_channels = pick(random, 1, 3) == 1 ? pick(random, 1, 40) : n * pick(random, 1, 3);
    command.kernel_rows = pick(random, 1, 4);
    command.kernel_columns = pick(random, 1, 4);
    command.stride_rows = pick(random, 1, 3);
    command.stride_columns = pick(random, 1, 3);
    command.dilation_rows = pick(random, 1, 3);
    command.dilation_columns = pick(random, 1, 3);
    command.origin_row = -pick(random, 0, 4);
    command.origin_column = -pick(random, 0, 4);
    command.out_rows = pick(random, 1, 9);
    command.out_columns = pick(random, 1, 9);
    command.in_rows = pick(random, 1, 20);
    command.in_columns = pick(random, 1, 20);
    command.out_channels = pick(random, 1, 40);
    command.lane_split_log2 = pick(random, 0, 2);
    command.reduction_end = command.kernel_rows * command.kernel_columns * command.in_channels;
    command.input = dense(1 << 20, command.in_columns, command.in_channels, n);
    command.output = dense(2 << 20, command.out_columns, command.out_channels, n);
    command.row_tile_rows = pick(random, 1, 64);
    CAPTURE(i, n, command.in_channels, command.lane_split_log2, command.origin_row, command.origin_column);
    const Profile result = profile(command, config);
    const int64_t tile = n >> command.lane_split_log2, channel_tiles = (command.out_channels + tile - 1) / tile;
    const int64_t rows = rows_that_meet_padding(command, n) * channel_tiles;
    const int64_t cycles = result.possible_error.padding_cycles;
    CHECK((cycles == 0) == (rows == 0));
    CHECK(cycles >= rows);  // a row takes a cycle or more
    const bool is_cycle_a_row = command.in_channels % n == 0 && command.lane_split_log2 == 0;
    if (is_cycle_a_row) CHECK(cycles == rows);
    padded += is_cycle_a_row && rows > 0 ? 1 : 0;
  }
  CHECK(padded > 30);
}

}  // namespace
}  // namespace vernier::timing
