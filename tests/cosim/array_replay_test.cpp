// SPDX-License-Identifier: Apache-2.0
// The part of a command of the array that a replay has: it makes the same results, and it is small where its map is large.
#include "sim/cosim/replay/array_replay.hpp"

#include "hw/base/division.hpp"
#include "sim/cosim/replay/replay_file.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/array_model_block.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr int64_t kFaultyRow = 40;

/// 1 x 1 over 64 x 32 pixels of 8 channel blocks that lie 16,408 bytes apart. All results above row kFaultyRow are zero.
Work with_far_blocks() {
  const int64_t blocks = 8, channels = blocks * kN8.lanes, rows = 64, columns = 32;
  Work array = pointwise(kN8, channels, 2 * kN8.lanes);
  spec::MacCommand& m = array.mac();
  m.in_rows = m.out_rows = rows;
  m.in_columns = m.out_columns = columns;
  m.input.pixel_pitch_bytes = kN8.lanes;
  m.input.row_pitch_bytes = columns * kN8.lanes;
  m.input.block_pitch_bytes = rows * m.input.row_pitch_bytes + 3 * kN8.lanes;
  m.output.row_pitch_bytes = columns * m.output.pixel_pitch_bytes;
  for (int64_t channel = 0; channel < m.out_channels; ++channel)
    std::fill_n(array.bytes.begin() + m.parameter_base + channel * spec::kChannelParameterBytes, 4, std::byte{0});
  m.input.base = std::ssize(array.bytes);
  Random random(9);
  for (int64_t byte = 0; byte < blocks * m.input.block_pitch_bytes; ++byte) {
    const bool is_above = byte % m.input.block_pitch_bytes < kFaultyRow * m.input.row_pitch_bytes;
    array.bytes.push_back(static_cast<std::byte>(is_above ? m.input_zero_point : static_cast<int64_t>(random.bits())));
  }
  return array;
}

/// By line of the output and first column of the row: lanes, values and addresses.
using Values = std::map<std::tuple<int64_t, int64_t>, std::array<std::vector<int64_t>, 3>>;

/// Values of lines [first, end) of a channel tile, which a command makes with the slices before it.
Values values_of(const std::vector<Work>& slices, int64_t channel_tile, int64_t first, int64_t end,
                 const kernels::TableMemory& tables) {
  kernels::Accumulators accumulators;
  Values values;
  for (const Work& slice : slices) {
    ArrayTraffic traffic(slice, kN8, tables, accumulators);
    const sequence::MacOrder order(slice.mac(), kN8);
    ArrayRow row;
    while (traffic.next_row(row)) {
      const sequence::MacRow at = order.row(row.row);
      if (row.place.channel_tile != channel_tile || at.y < first || at.y >= end) continue;
      values[{at.y - first, at.first_column}] = {row.lanes, row.values, row.addresses};
    }
  }
  return values;
}

}  // namespace

TEST_CASE("a part of a command of the array makes the results of its lines and its channel tile") {
  Random random(21);
  const kernels::TableMemory tables = draw_array_tables(random);
  int parts = 0, sliced = 0;
  for (int i = 0; i < 400; ++i) {
    const ArraySizes sizes{.most_rows = 300, .has_long = false};
    const std::vector<Work> slices =
        i % 4 == 0 ? works_of(draw_array_slices(kN8, random, sizes)) : std::vector{draw_array_command(kN8, random, sizes)};
    const spec::MacCommand& m = slices.front().mac();
    const sequence::MacOrder order(m, kN8);
    const int64_t channel_tile = random.within(0, order.num_channel_tiles - 1);
    const int64_t first = random.within(0, m.out_rows - 1) / 2 * 2, end = random.within(first + 1, m.out_rows);
    std::vector<Work> cut;
    for (const Work& slice : slices) cut.push_back(part_of(slice, kN8, channel_tile, first, end));
    if (!std::ranges::all_of(cut, [](const Work& part) { return is_legal(part, kN8); })) continue;
    ++parts;
    if (slices.size() > 1) ++sliced;
    INFO("command " << i << ", channel tile " << channel_tile << ", lines " << first << " to " << end);
    const Values values = values_of(cut, 0, 0, end - first, tables);
    CHECK_FALSE(values.empty());
    CHECK(values == values_of(slices, channel_tile, first, end, tables));
  }
  CHECK(parts > 200);
  CHECK(sliced > 20);
}

TEST_CASE("channel blocks that lie closer keep the banks of their words") {
  const Work command = with_far_blocks();
  const Work part = part_of(command, kN8, 0, 0, command.mac().out_rows / 2);
  CHECK(part.mac().input.block_pitch_bytes < command.mac().input.block_pitch_bytes);
  sequence::ConvStream whole(command.mac(), kN8), stream(part.mac(), kN8);
  sequence::ActivationBeat expected, beat;
  int64_t beats = 0;
  while (stream.next(beat)) {
    do REQUIRE(whole.next(expected));
    while (expected.row >= part.mac().out_rows * part.mac().out_columns);
    ++beats;
    REQUIRE(beat.row == expected.row);
    REQUIRE(beat.place.step == expected.place.step);
    REQUIRE(beat.words.size() == expected.words.size());
    for (size_t i = 0; i < beat.words.size(); ++i)
      REQUIRE(base::floor_mod(beat.words[i] - expected.words[i], spec::kNumSramBanks) == 0);
  }
  CHECK(beats > 0);
}

TEST_CASE("the replay of a map with far blocks has the rows and blocks that its line reads") {
  const BlockMaker make = [](std::string_view, int lanes) { return make_array_model(lanes, ArrayFlaw::Zeros); };
  ClockedBlock block(make("datapath", kN8.lanes), datapath(), kN8.lanes);
  ArrayLockStep lock_step(block, kN8, {.seed = 3, .keeps_fault = true});
  lock_step.run_sequence({{with_far_blocks()}, ArrayPace::Ideal});
  const std::optional<FirstFault> fault = first_fault("datapath", lock_step.take_fault());
  REQUIRE(fault);
  INFO(fault->mismatch.print());
  REQUIRE(fault->commands->place);
  CHECK(fault->commands->place->y == kFaultyRow);
  const Replay replay = make_replay(*fault, "v64", kN8, true, make);
  CHECK(replay.is_reproduced);
  CHECK_FALSE(replay.is_whole);
  // A line of each block and the weights of a channel tile are 8 * 256 + 8 * 64 bytes, of two digits each.
  CHECK(replay_text(replay, "test").size() < 20'000);
  const auto shown = run_replay(replay, make("datapath", kN8.lanes), false, true, "r").result.first_mismatches;
  REQUIRE_FALSE(shown.empty());
  CHECK(shown.front().same_fault(fault->mismatch));
}
