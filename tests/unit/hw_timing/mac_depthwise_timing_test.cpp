// SPDX-License-Identifier: Apache-2.0
// Depthwise layers worked by hand: windows, what they fetch ahead, and banks.
#include "tests/unit/hw_timing/layers.hpp"

namespace vernier::timing {
namespace {

using base::ElementType;

/// The map has what the windows of a layer of stride 1 read beyond its outputs: no position is padding.
spec::MacCommand without_padding(spec::MacCommand command) {
  command.in_rows += command.kernel_rows - 1;
  command.in_columns += command.kernel_columns - 1;
  return command;
}

TEST_CASE("depthwise 3x3, stride 1, planes, sliding along the rows: a cycle an output, two more at the start") {
  // 125 rows, 5 lines of 25, down and up in turn, through row tiles of 64 and 61. The first window's 9 words are 3 cycles,
  // the last of them the first output's; then 3 words a row, at a line's end too, which come beside the row
  // before, so that a channel tile's last row leaves a whole cycle for the next one's window: 5 of its words are left, 2
  // cycles.
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = without_padding(command_of({.kernel = 3, .is_depthwise = true}, 16));
  command.slide_rows = true;
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 4 * 125 + 2 + 3 * 1);
  // 9 words of weights. The array keeps pace with its drain: the tile behind the one of 61 rows waits for that of 64.
  CHECK(result.main.datapath_cycles == kLatencies + 3 + 4 * 125 + 2 + 3 * 1 + 4 * (64 - 61));
  CHECK(result.main.cycles ==
        result.main.datapath_cycles + 2);  // 9 + 10 words of weights and parameters are 5 cycles, not 3
  CHECK(stall_of(result.main, Stall::RescaleContention) == 4 * (64 - 61));
  CHECK(stall_of(result.main, Stall::BankConflict) == 0);
  CHECK(demand_of(result.main, Resource::SramRead) == 4 * (9 + 124 * 3 + 9 + 10));
  check_sums(result);
  // Whatever the row tiles: neither the window nor the weights begin anew.
  command.row_tile_rows = 12;
  CHECK(profile(command, config).main.busy_cycles == result.main.busy_cycles);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == demand_of(result.main, Resource::SramRead));

  // v64: nine taps are two steps, so that each step of a row tile begins with a window. Eight taps: 8 words, 2 cycles, no
  // tap free; then 3 words a row. One tap: 1 word a row, and beside the last one 4 of the next window.
  const Profile small = profile(
      [&] {
        spec::MacCommand eight = without_padding(command_of({.kernel = 3, .is_depthwise = true}, 8));
        eight.slide_rows = true;
        return eight;
      }(),
      machine("v64"));
  CHECK(small.main.busy_cycles == 8 * (125 + 125) + 1);

  const Profile large = profile(
      [&] {
        spec::MacCommand two = without_padding(command_of({.kernel = 3, .is_depthwise = true}, 32));
        two.slide_rows = true;
        return two;
      }(),
      machine("v1024"));
  CHECK(large.main.cycles == kLatencies + 5 + 2 * 125 + 2 + 1 + 2 * (64 - 61));
}

TEST_CASE("depthwise 3x3, positions in padding are not fetched") {
  const config::MachineConfig config = machine("v256");
  // 4 x 4 pixels, padded by 1, lines to and fro: 4 words in the corner, then 2 for each of two columns, none for the last
  // one; down to rows of 3 words: 2, then 3 for each of two columns; the last line's next row is padding, and its columns
  // have 2.
  spec::MacCommand command = command_of({.rows = 4, .columns = 4, .kernel = 3, .is_depthwise = true}, 16);
  command.input = planes(1 << 20, 4, 4, 16, 7);  // rows of 11 words
  command.origin_row = command.origin_column = -1;
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 4 * 16);
  CHECK(demand_of(result.main, Resource::SramRead) == 4 * (4 + 2 * 2 + 2 * (2 + 2 * 3) + 2 * 2 + 9) + 4 * 10);
  CHECK(stall_of(result.main, Stall::BankConflict) == 0);
  // The same outputs of a map of 6 x 6: 9 words, 3 cycles, then 3 each; 5 of the next window's are left.
  command.in_rows = command.in_columns = 6;
  command.origin_row = command.origin_column = 0;
  CHECK(profile(command, config).main.busy_cycles == 4 * 16 + 2 + 3 * 1);
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 4 * (9 + 15 * 3 + 9) + 4 * 10);
  check_sums(result);
}

TEST_CASE("depthwise 3x3, stride 2, planes: one and a half cycles an output") {
  const config::MachineConfig config = machine("v256");
  const spec::MacCommand command =
      command_of({.rows = 5, .columns = 25, .kernel = 3, .stride = 2, .is_depthwise = true}, 16);
  const Profile result = profile(command, config);
  // 9 words, then 6 an output, at a line's end too, 4 a cycle, of the next output and channel tile too: 753 words each.
  CHECK(result.main.busy_cycles == 4 * (9 + 124 * 6) / 4);
  CHECK(stall_of(result.main, Stall::BankConflict) <= kStartWords);  // rows of 51 words: 3 modulo 8
  check_sums(result);
}

TEST_CASE("depthwise 3x3, windows that slide down rows of 24 words: results in their banks cost nearly a cycle a row") {
  // The second layer of vww_96_int8: RTL behind banks takes 2,198 cycles where all starts in one bank, 1,176 apart from that
  // (docs/decisions/0024).
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of(
      {.rows = 48, .columns = 48, .in_channels = 8, .out_channels = 8, .kernel = 3, .is_depthwise = true, .is_dense = true},
      16);
  command.lane_split_log2 = 1;
  command.row_tile_rows = 8;
  command.slide_rows = true;
  command.origin_row = command.origin_column = -1;
  command.input.base = 0x42300;
  command.output.base = 0x46b40;
  const Profile apart = profile(command, config);
  CHECK(stall_of(apart.main, Stall::BankConflict) <= apart.main.cycles / 50);
  command.output.base = 0x46b00;
  const Profile together = profile(command, config);
  const int64_t cycles = together.main.cycles + together.drain.cycles;
  CHECK(cycles > 98 * 2198 / 100);
  CHECK(cycles < 102 * 2198 / 100);
  check_sums(together);
}

TEST_CASE("depthwise 3x3, dense: the three words of a row lie in two banks") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = without_padding(command_of({.kernel = 3, .is_depthwise = true, .is_dense = true}, 16));
  command.slide_rows = true;
  command.row_tile_rows = 25;
  command.output.base += 2 * 16;  // results in two other banks
  const Profile result = profile(command, config);
  CHECK(result.main.busy_cycles == 4 * 125 + 2 + 3 * 1);  // the datapath is the same
  // Pixels are 4 words apart, rows 20: all words lie in two banks, 0 4 0, then 4 0 4: 381 of a channel tile, two a cycle at
  // most. In each of 5 lines the order of the banks turns once or twice, which costs a word's place. The next
  // channel tile's words lie in two other banks: beside a tile's last words come two of them at most.
  const int64_t cycles = result.main.busy_cycles + stall_of(result.main, Stall::BankConflict);
  CHECK(cycles >= (4 * 381 - 3 * 2) / 2);
  CHECK(cycles <= 4 * (381 + 2 * 5 + 4) / 2);
  check_sums(result);
}

TEST_CASE("planes whose rows are a multiple of 4 words apart collide across the slide") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      without_padding(command_of({.rows = 1, .columns = 24, .out_channels = 16, .kernel = 3, .is_depthwise = true}, 16));
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) == 23);  // 24 words: 0 0 0, 1 1 1: two cycles a row
  // 25 words: the first window's words are in banks 012 123 234, three cycles as without banks; later rows' differ.
  command.input = planes(0, 3, 24, 16, 1);
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) == 0);
}

TEST_CASE("depthwise at stride 2 with no tap free: the words of a row come one row after the other") {
  // 5x5 on v256 are steps of 16 and 9 taps. Of 16 positions 7 or 8 of a row enter, 4 in the cycle in which the row before
  // leaves, the others in one of their own: two cycles. The second step's 9 taps leave 7 free: 4 words a row, a cycle.
  spec::MacCommand command =
      command_of({.rows = 1, .columns = 60, .out_channels = 16, .kernel = 5, .stride = 2, .is_depthwise = true}, 16);
  command.input = planes(1 << 20, 5, 123, 16, 0);  // rows of 123 words: 3 modulo 8
  const Phase main = profile(command, machine("v256")).main;
  CHECK(main.busy_cycles >= 60 * 3);
  CHECK(main.busy_cycles <= 60 * 3 + 4);
}

TEST_CASE("pixels that share the lanes share words where a lane holds what all of them need") {
  // Two pixels of a 3x3 need 3 x 4 positions, which 16 taps hold: two columns enter, a word each. Four need 3 x 6: each lane
  // holds its own 9, and all 18 enter again.
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command =
      without_padding(command_of({.rows = 1, .columns = 24, .out_channels = 4, .kernel = 3, .is_depthwise = true}, 16));
  const auto words_with_pixels = [&](int64_t log2) {
    command.lane_split_log2 = log2;
    return demand_of(profile(command, config).main, Resource::SramRead);
  };
  const int64_t weights = 3, parameters = 3;  // 36 bytes, 40 bytes
  CHECK(words_with_pixels(1) == 3 * 4 + 11 * 3 * 2 + weights + parameters);
  CHECK(words_with_pixels(2) == 6 * 3 * 6 + weights + parameters);
}

TEST_CASE("depthwise with half the lanes' channels: two pixels a cycle") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of(
      {.rows = 2, .columns = 24, .in_channels = 8, .out_channels = 8, .kernel = 3, .is_depthwise = true, .is_dense = true},
      16);
  command = without_padding(command);
  command.lane_split_log2 = 1;
  const Profile result = profile(command, config);
  // Two new pixels of 8 bytes in each of three rows, a word each: 12 groups a line. Four pixels a row of the first window,
  // two words each: 6 words, 2 cycles, the second of them the first output's. The second line begins with two words. Rows of
  // 12 words: 0 4 0, then 1 5 1: the second of two words in a bank comes with the row behind.
  CHECK(result.main.busy_cycles == 2 - 1 + 2 * 12);
  CHECK(stall_of(result.main, Stall::BankConflict) == 0);
  CHECK(demand_of(result.main, Resource::SramRead) ==
        6 + 11 * 3 + 2 + 11 * 3 + 5 + 5);   // 72 bytes of weights, 80 of parameters
  command.input.row_pitch_bytes += 4 * 16;  // 16 words: 0 0 0, 1 1 1: two cycles a row
  CHECK(stall_of(profile(command, config).main, Stall::BankConflict) >= 22);
  CHECK(demand_of(result.drain, Resource::SramWrite) == 24);  // 24 rows of 16 bytes
}

TEST_CASE("depthwise: a short last row tile waits for its bank, even ones do not") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = command_of({.rows = 14, .columns = 14, .kernel = 3, .is_depthwise = true}, 16);
  command.input = planes(1 << 20, 14, 14, 16, 5);  // rows of 19 words: 3 modulo 8
  // 196 rows: 64, 64, 64, 4. The tile behind the one of 4 rows waits until the third one of 64 has drained.
  const Profile uneven = profile(command, config);
  CHECK(stall_of(uneven.main, Stall::RescaleContention) > 3 * 50);
  command.row_tile_rows = 49;
  const Profile even = profile(command, config);
  CHECK(stall_of(even.main, Stall::RescaleContention) <= 3);
  CHECK(stall_of(even.main, Stall::BankConflict) == 0);
  CHECK(even.main.busy_cycles == 4 * 196 + 2 + 3 * 1);
}

TEST_CASE("int16 depthwise 3x3, stride 1, planes: two cycles an output, two or three more for each window, one at the end") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command = without_padding(command_of({.kernel = 3, .is_depthwise = true}, 16));
  command.input.type = ElementType::Int16;
  command.input.pixel_pitch_bytes *= 2;
  command.input.row_pitch_bytes *= 2;
  command.input.block_pitch_bytes *= 2;
  command.slide_rows = true;
  const Profile result = profile(command, config);
  // 18 words, 5 cycles; 6 words a later output, 2 cycles as the passes of the one before, during which they come. A cycle
  // that has 2 words of an output has 2 of the next one: in every second row, so that every second window lacks 2 words,
  // a cycle. The last output's second pass has a cycle of its own.
  CHECK(result.main.busy_cycles == 2 * (5 + 4) + 4 * 2 * 124 + 1);
  CHECK(demand_of(result.main, Resource::SramRead) == 4 * (18 + 124 * 6 + 9 + 10));
  // Stride 2: 12 words an output, 3 cycles.
  spec::MacCommand strided =
      command_of({.rows = 1, .columns = 25, .out_channels = 16, .kernel = 3, .stride = 2, .is_depthwise = true}, 16);
  strided.input.type = ElementType::Int16;
  strided.input.pixel_pitch_bytes *= 2;
  strided.input.row_pitch_bytes *= 2;
  CHECK(profile(strided, config).main.busy_cycles == 5 + 3 * 24 + 1);
}

}  // namespace
}  // namespace vernier::timing
