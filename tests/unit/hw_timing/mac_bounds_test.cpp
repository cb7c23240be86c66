// SPDX-License-Identifier: Apache-2.0
// Random MAC commands: bounds that share no code with hw/timing, and a byte-by-byte count of the assembler's work.
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"
#include "tests/unit/hw_timing/pick.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace vernier::timing {
namespace {

using base::ElementType;

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

spec::MacCommand random_command(std::mt19937& random, int64_t n) {
  spec::MacCommand command;
  command.mode = random() % 2 == 0 ? spec::MacMode::Conv : spec::MacMode::Depthwise;
  command.in_channels = pick(random, 1, 80);
  command.kernel_rows = pick(random, 1, 5);
  command.kernel_columns = pick(random, 1, 5);
  command.stride_rows = pick(random, 1, 2);
  command.stride_columns = pick(random, 1, 2);
  command.dilation_rows = pick(random, 1, 2);
  command.dilation_columns = pick(random, 1, 2);
  command.origin_row = -pick(random, 0, 2);
  command.origin_column = -pick(random, 0, 2);
  command.out_rows = pick(random, 1, 12);
  command.out_columns = pick(random, 1, 20);
  command.in_rows = command.out_rows * command.stride_rows;
  command.in_columns = command.out_columns * command.stride_columns;
  const ElementType type = random() % 4 == 0 ? ElementType::Int16 : ElementType::Int8;
  const bool is_depthwise = command.mode == spec::MacMode::Depthwise;
  command.out_channels = is_depthwise ? command.in_channels : pick(random, 1, 80);
  command.input = dense(100000 + pick(random, 0, 300), command.in_columns, command.in_channels, n, type);
  if (type == ElementType::Int16 && random() % 2 == 0) command.weight_type = ElementType::Int16;
  const ElementType wide = random() % 2 == 0 ? ElementType::Int32 : ElementType::Int48;
  command.output =
      dense(900000 + pick(random, 0, 300), command.out_columns, command.out_channels, n, random() % 3 == 0 ? wide : type);
  command.reduction_end = command.kernel_rows * command.kernel_columns * (is_depthwise ? 1 : command.in_channels);
  command.rescale = random() % 4 != 0;
  command.table = random() % 3 == 0;
  command.residual = random() % 4 == 0;
  if (command.residual) command.addend = command.output;
  command.lane_split_log2 = pick(random, 0, 2);
  command.slide_rows = is_depthwise && random() % 2 == 0;
  if (random() % 3 == 0) {
    command.weight_order = random() % 2 == 0 ? spec::WeightOrder::LaneMajor : spec::WeightOrder::TapMajor;
    command.weight_pitch_bytes = pick(random, 80, 600);
  }
  return command;
}

TEST_CASE("no random command beats its multiplications, its words or its epilogue, every cycle has one name") {
  const uint32_t seed = 31337;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 600; ++i) {
    const config::MachineConfig config =
        machine(std::array{"v64", "v256", "v1024", "v256-sram48"}[static_cast<size_t>(i) % 4]);
    const int64_t n = config.datapath.lanes;
    const spec::MacCommand command = random_command(random, n);
    CAPTURE(i, n);
    const Profile result = profile(command, config);
    const int64_t element_bytes = base::stored_bytes(command.input.type),
                  out_bytes = base::stored_bytes(command.output.type);
    const int64_t weight_bytes = base::stored_bytes(command.weight_type), passes = element_bytes * weight_bytes;
    const int64_t split = int64_t{1} << command.lane_split_log2;
    const bool is_depthwise = command.mode == spec::MacMode::Depthwise;
    const int64_t channel_tiles = up(command.out_channels, n / split);
    const int64_t rows = command.out_rows * up(command.out_columns, split);
    const int64_t steps = up(command.reduction_end, n);

    CHECK(result.main.busy_cycles >= channel_tiles * rows * steps * passes);
    const int64_t outputs = command.out_rows * command.out_columns * command.out_channels;
    int64_t write_words = 0, read_words = 0, vectors = 0, tables = 0;
    for (const Phase* phase : {&result.main, &result.drain}) {
      CHECK(phase->cycles == phase->busy_cycles + sum_of_stalls(*phase));
      CHECK(phase->datapath_cycles == phase->busy_cycles + stall_of(*phase, Stall::PipelineFill) +
                                          stall_of(*phase, Stall::WeightLoad) + stall_of(*phase, Stall::RescaleContention));
      for (const int64_t cycles : phase->stall_cycles) CHECK(cycles >= 0);
      CHECK(phase->cycles * config.datapath.sram_read_words >= demand_of(*phase, Resource::SramRead));
      CHECK(phase->cycles * config.datapath.sram_write_words >= demand_of(*phase, Resource::SramWrite));
      CHECK(phase->cycles >= demand_of(*phase, Resource::RescaleLanes));
      CHECK(phase->cycles >= demand_of(*phase, Resource::TableLanes));
      read_words += demand_of(*phase, Resource::SramRead);
      write_words += demand_of(*phase, Resource::SramWrite);
      vectors += demand_of(*phase, Resource::RescaleLanes);
      tables += demand_of(*phase, Resource::TableLanes);
    }
    CHECK(write_words * n >= outputs * out_bytes);
    CHECK(vectors == channel_tiles * rows * ((command.rescale ? 1 : 0) + (command.residual ? 3 : 0)));
    CHECK(tables == (command.table ? channel_tiles * rows : 0));
    const int64_t weights = command.out_channels * command.reduction_end * weight_bytes;
    const int64_t outputs_touched = command.residual ? outputs * out_bytes : 0;
    // A depthwise row may lie in padding as a whole.
    const int64_t of_rows = is_depthwise ? 0 : channel_tiles * rows * element_bytes;
    CHECK(read_words * n >= weights + command.out_channels * spec::kChannelParameterBytes + outputs_touched + of_rows);
  }
}

/// Cycles and words of a step for one accumulator row, from the set of bytes that it needs.
struct RowCount {
  int64_t cycles = 0, words = 0;
  int64_t beats = 0;  // of the assembler
  void add(const RowCount& other) {
    cycles += other.cycles;
    words += other.words;
  }
};
RowCount count_row(const spec::MacCommand& command, int64_t n, int64_t y, int64_t group, int64_t step) {
  const int64_t split = int64_t{1} << command.lane_split_log2, element_bytes = base::stored_bytes(command.input.type);
  std::vector<std::vector<std::deque<int64_t>>> missing(static_cast<size_t>(split));  // by pixel, runs of bytes
  const spec::FeatureMap& map = command.input;
  // Runs end with a block, a tap or a line of taps, the first of these behind which the next one does not follow.
  const bool blocks_meet = command.in_channels <= n || map.block_pitch_bytes == n * element_bytes;
  const bool is_column = command.kernel_columns == 1;
  const bool taps_meet = blocks_meet && (is_column ? command.dilation_rows : command.dilation_columns) == 1 &&
                         (is_column ? map.row_pitch_bytes : map.pixel_pitch_bytes) == command.in_channels * element_bytes;
  for (int64_t p = 0; p < split; ++p) {
    for (int64_t r = step * n; r < std::min((step + 1) * n, command.reduction_end); ++r) {
      const int64_t c = r % command.in_channels, kw = r / command.in_channels % command.kernel_columns;
      const int64_t kh = r / command.in_channels / command.kernel_columns;
      const int64_t row = command.origin_row + y * command.stride_rows + kh * command.dilation_rows;
      const int64_t column =
          command.origin_column + (group * split + p) * command.stride_columns + kw * command.dilation_columns;
      auto& runs = missing[static_cast<size_t>(p)];
      const bool is_tap = c == 0, is_block = c % n == 0;
      const bool goes_on = is_tap ? taps_meet && (is_column || kw > 0) : blocks_meet || !is_block;
      if (r == step * n || !goes_on) runs.emplace_back();
      for (int64_t b = 0; b < element_bytes; ++b) {
        const int64_t byte = command.input.base + row * command.input.row_pitch_bytes +
                             column * command.input.pixel_pitch_bytes + c / n * command.input.block_pitch_bytes +
                             c % n * element_bytes + b;
        runs.back().push_back(byte);
      }
    }
  }
  std::vector<std::set<int64_t>> segments;  // words of each
  const auto is_done = [](const auto& runs) { return runs.empty(); };
  while (!std::all_of(missing.begin(), missing.end(), is_done)) {
    int64_t begin = INT64_MAX, last = 0;
    size_t most_runs = 0;  // no pixel goes on to the next run before all have this one
    for (const auto& runs : missing) most_runs = std::max(most_runs, runs.size());
    for (const auto& runs : missing) {
      if (runs.size() == most_runs) begin = std::min(begin, runs.front().front());
    }
    for (auto& runs : missing) {  // of each pixel that lacks bytes of it, as far as they lie within n bytes
      if (runs.size() != most_runs) continue;
      const auto run = runs.begin();
      for (; !run->empty() && run->front() < begin + n; run->pop_front()) last = std::max(last, run->front());
      if (run->empty()) runs.erase(run);
    }
    segments.emplace_back();
    for (int64_t byte = begin; byte <= last; ++byte) segments.back().insert(byte / n);
  }
  RowCount count;
  for (size_t s = 0; s < segments.size(); s += 2) {
    std::set<int64_t> words = segments[s];
    if (s + 1 < segments.size()) words.insert(segments[s + 1].begin(), segments[s + 1].end());
    count.cycles += 1;
    count.words += static_cast<int64_t>(words.size());
  }
  // Each byte of the activations is a pass over the row, under which the assembler works on the next one.
  count.beats = count.cycles;
  count.cycles = std::max(count.cycles, element_bytes);
  return count;
}

/// Slots that rows take which wait for the read port alone.
int64_t slots_of_rows(const RowCount& rows, int64_t port) { return std::max(port * rows.cycles, rows.words); }

TEST_CASE("random convolutions of one channel tile: the assembler's cycles and words equal a count of every byte") {
  const uint32_t seed = 2718;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 150; ++i) {
    const config::MachineConfig config = machine(std::array{"v64", "v256", "v1024"}[static_cast<size_t>(i) % 3]);
    const int64_t n = config.datapath.lanes;
    spec::MacCommand command = random_command(random, n);
    command.mode = spec::MacMode::Conv;
    command.in_channels = pick(random, 1, 40);
    command.input.pixel_pitch_bytes = pick(random, 1, 3) * n;
    if (i % 2 == 0) command.input = dense(100000 + pick(random, 0, 300), command.in_columns, command.in_channels, n);
    command.reduction_end = command.kernel_rows * command.kernel_columns * command.in_channels;
    command.slide_rows = false;
    command.weight_order = spec::WeightOrder::Tiles;
    if (command.input.type == ElementType::Int8) command.weight_type = ElementType::Int8;
    const int64_t split = int64_t{1} << command.lane_split_log2;
    command.out_channels = n / split;
    command.residual = command.table = command.last = false;
    command.out_rows = pick(random, 1, 4);
    command.out_columns = pick(random, 1, 16);  // at most 64 accumulator rows
    CAPTURE(i, n, split);
    const Phase main = profile(command, config).main;
    CHECK(profile_before_banks(command, config).main.cycles == without_banks(main));
    const int64_t weight_bytes = base::stored_bytes(command.weight_type), steps = up(command.reduction_end, n);
    const int64_t tile_words = n / split * weight_bytes;
    // Where the passes of int16 begin after the first beat of segments, nothing is multiplied while the first row's comes.
    int64_t fill = count_row(command, n, 0, 0, 0).beats > 1 && command.input.type == ElementType::Int16 ? 1 : 0;
    int64_t cycles = 0, words = 0, waits = 0;
    const int64_t start = up(tile_words, 4) + spec::kTileSwapCycles;
    int64_t slots = 4 * start;
    for (int64_t step = 0; step < steps; ++step) {
      for (int64_t byte = 0; byte < weight_bytes; ++byte) {
        RowCount tile;
        tile.cycles = std::exchange(fill, 0);
        for (int64_t y = 0; y < command.out_rows; ++y) {
          for (int64_t group = 0; group < up(command.out_columns, split); ++group) {
            const RowCount row = count_row(command, n, y, group, step);
            tile.add(row);
          }
        }
        const int64_t next = byte + 1 < weight_bytes || step + 1 < steps ? tile_words : 0;
        cycles += tile.cycles;
        words += tile.words + next;
        waits += std::max(int64_t{0}, up(next, 4) - tile.cycles);
        const int64_t load = next > 0 ? std::max(4 * up(next, 4), tile.words + next) : 0;
        slots += std::max(slots_of_rows(tile, 4), load);
      }
    }
    CHECK(main.busy_cycles == cycles);
    CHECK(demand_of(main, Resource::SramRead) == words + tile_words);
    CHECK(stall_of(main, Stall::WeightLoad) == waits + up(tile_words, 4) + spec::kTileSwapCycles);
    CHECK(without_banks(main) == spec::kSramReadLatencyCycles + up(slots, 4) + spec::kMacPipelineCycles);
  }
}

/// Words of a weight tile by lanes or by elements as the order has them, of `width` words and four tile rows a cycle at
/// most, from the address of every byte.
RowCount count_tile(const spec::MacCommand& command, int64_t n, int64_t step, int64_t width) {
  const int64_t element = base::stored_bytes(command.weight_type);
  const int64_t first = step * n, elements = std::min(n, command.reduction_end - first);
  const bool is_lane_major = command.weight_order == spec::WeightOrder::LaneMajor;
  RowCount count;
  int64_t words = 0, last_word = -1, rows = 0, last_row = -1;  // of the beat
  int64_t last_read = -1;
  const auto end_beat = [&] {
    ++count.cycles;
    words = rows = 0;
    last_word = last_row = -1;
  };
  for (int64_t i = 0; i < (is_lane_major ? command.out_channels : elements); ++i) {
    for (int64_t k = 0; k < (is_lane_major ? elements : command.out_channels) * element; ++k) {
      const int64_t from = command.weight_base + (is_lane_major ? i * command.weight_pitch_bytes + first * element
                                                                : (first + i) * command.weight_pitch_bytes);
      const int64_t word = (from + k) / n;
      if ((last_word != word && words == width) || (last_row != i && rows == 4)) end_beat();
      rows += std::exchange(last_row, i) == i ? 0 : 1;
      words += std::exchange(last_word, word) == word ? 0 : 1;
      if (std::exchange(last_read, word) == word) continue;
      ++count.words;
    }
  }
  end_beat();
  return count;
}

TEST_CASE("random matrices of weights: the loads' cycles and words equal a count of every byte") {
  const uint32_t seed = 161803;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 300; ++i) {
    const config::MachineConfig config =
        machine(std::array{"v64", "v256", "v1024", "v256-sram48"}[static_cast<size_t>(i) % 4]);
    const int64_t n = config.datapath.lanes, port = config.datapath.sram_read_words;
    spec::MacCommand command;  // MATMUL: a few rows, one channel tile
    command.in_columns = command.out_columns = pick(random, 1, 5);
    command.in_channels = command.reduction_end = pick(random, 1, 5 * n);
    command.out_channels = pick(random, 1, n);
    const ElementType type = i % 3 == 0 ? ElementType::Int16 : ElementType::Int8;
    command.input = dense(100000 + pick(random, 0, 300), command.in_columns, command.in_channels, n, type);
    command.weight_type = type;
    command.weight_order = i % 2 == 0 ? spec::WeightOrder::LaneMajor : spec::WeightOrder::TapMajor;
    command.weight_base = pick(random, 0, 300);
    command.weight_pitch_bytes = random() % 2 == 0 ? pick(random, 1, 8) * n : pick(random, 1, 700);
    command.last = false;
    CAPTURE(i, n, command.weight_pitch_bytes);
    const Phase main = profile(command, config).main;
    const int64_t tiles = type == ElementType::Int16 ? 2 : 1, steps = up(command.reduction_end, n);
    const RowCount first = count_tile(command, n, 0, port);
    int64_t words = first.words;
    int64_t slots = std::max(port * first.cycles, first.words) + port * spec::kTileSwapCycles;  // the first load
    for (int64_t at = 0; at < tiles * steps; ++at) {
      RowCount rows;
      for (int64_t x = 0; x < command.out_columns; ++x) {
        const RowCount row = count_row(command, n, 0, x, at / tiles);
        rows.add(row);
      }
      const RowCount next = at + 1 < tiles * steps ? count_tile(command, n, (at + 1) / tiles, port) : RowCount{};
      words += rows.words + next.words;
      const int64_t load = next.words > 0 ? std::max(port * next.cycles, rows.words + next.words) : 0;
      slots += std::max(slots_of_rows(rows, port), load);
    }
    CHECK(demand_of(main, Resource::SramRead) == words);
    CHECK(without_banks(main) == spec::kSramReadLatencyCycles + up(slots, port) + spec::kMacPipelineCycles);
  }
}

}  // namespace
}  // namespace vernier::timing
