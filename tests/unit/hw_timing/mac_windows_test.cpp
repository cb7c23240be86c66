// SPDX-License-Identifier: Apache-2.0
// Random depthwise commands against a walk that knows where the window is and what it holds, position by position. It
// shares no code with hw/timing.
#include "hw/spec/latency.hpp"
#include "hw/timing/mac_activation.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"
#include "tests/unit/hw_timing/pick.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace vernier::timing {
namespace {

using At = std::pair<int64_t, int64_t>;  // row and column of the map

int64_t rounded_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct WindowCase {
  int64_t rows = 1, columns = 1, kernel_rows = 3, kernel_columns = 3, stride = 1, pad = 1, row_tile_rows = 64;
  bool slide_rows = false;
};

/// Planes of N channels with one word a pixel, so that words and positions are the same; rows 3 words apart modulo 8 banks,
/// so that no window meets itself.
spec::MacCommand window_command(const WindowCase& layer, int64_t n) {
  spec::MacCommand command;
  command.mode = spec::MacMode::Depthwise;
  command.in_rows = layer.stride * (layer.rows - 1) + layer.kernel_rows - 2 * layer.pad;
  command.in_columns = layer.stride * (layer.columns - 1) + layer.kernel_columns - 2 * layer.pad;
  command.in_channels = command.out_channels = 3 * n;
  command.input = planes(1 << 20, command.in_rows, command.in_columns, n, (8 + 3 - command.in_columns % 8) % 8);
  command.output = planes(2 << 20, layer.rows, layer.columns, n);
  command.origin_row = command.origin_column = -layer.pad;
  command.kernel_rows = layer.kernel_rows;
  command.kernel_columns = layer.kernel_columns;
  command.stride_rows = command.stride_columns = layer.stride;
  command.out_rows = layer.rows;
  command.out_columns = layer.columns;
  command.reduction_end = layer.kernel_rows * layer.kernel_columns;
  command.row_tile_rows = layer.row_tile_rows;
  command.slide_rows = layer.slide_rows;
  command.rescale = true;
  return command;
}

/// Outputs in the order of the sequence: lines to and fro.
std::vector<At> outputs_in_order(const WindowCase& layer) {
  std::vector<At> order;
  const int64_t lines = layer.slide_rows ? layer.columns : layer.rows,
                length = layer.slide_rows ? layer.rows : layer.columns;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t i = 0; i < length; ++i) {
      const int64_t along = line % 2 == 0 ? i : length - 1 - i;
      order.push_back(layer.slide_rows ? At{along, line} : At{line, along});
    }
  }
  return order;
}

/// Positions of the map that the taps [begin, end) of an output read.
std::set<At> taps_of(const WindowCase& layer, const spec::MacCommand& command, const At& output, int64_t begin,
                     int64_t end) {
  std::set<At> taps;
  for (int64_t tap = begin; tap < end; ++tap) {
    const int64_t row = output.first * layer.stride - layer.pad + tap / layer.kernel_columns;
    const int64_t column = output.second * layer.stride - layer.pad + tap % layer.kernel_columns;
    if (row >= 0 && row < command.in_rows && column >= 0 && column < command.in_columns) taps.insert({row, column});
  }
  return taps;
}

/// Words of the windows of one channel tile: a window holds what the output before it read.
int64_t words_of_windows(const WindowCase& layer, const spec::MacCommand& command, int64_t n) {
  const std::vector<At> order = outputs_in_order(layer);
  const auto num_outputs = static_cast<int64_t>(order.size());
  const int64_t taps = command.reduction_end;
  int64_t words = 0;
  for (int64_t tile = 0; tile < num_outputs; tile += layer.row_tile_rows) {
    for (int64_t step = 0; step < rounded_up(taps, n); ++step) {
      const bool goes_on = taps <= n && tile > 0;
      std::set<At> held;
      for (int64_t i = goes_on ? tile - 1 : tile; i < std::min(tile + layer.row_tile_rows, num_outputs); ++i) {
        const std::set<At> needed =
            taps_of(layer, command, order[static_cast<size_t>(i)], step * n, std::min(taps, (step + 1) * n));
        for (const At& at : needed) words += i >= tile && !held.contains(at) ? 1 : 0;
        held = needed;
      }
    }
  }
  return words;
}

TEST_CASE("random depthwise commands: the words of the windows equal a walk over every position") {
  const uint32_t seed = 1618;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 600; ++i) {
    const config::MachineConfig config = machine(std::array{"v64", "v256", "v1024"}[static_cast<size_t>(i) % 3]);
    const int64_t n = config.datapath.lanes;
    WindowCase layer{.kernel_rows = pick(random, 1, 5),
                     .kernel_columns = pick(random, 1, 5),
                     .stride = pick(random, 1, 3),
                     .slide_rows = pick(random, 0, 1) == 1};
    layer.pad = std::min(pick(random, 0, 2), std::min(layer.kernel_rows, layer.kernel_columns) / 2);
    layer.rows = pick(random, 1, 14);
    layer.columns = pick(random, 1, 14);
    layer.row_tile_rows = pick(random, 1, 64);
    const spec::MacCommand command = window_command(layer, n);
    CAPTURE(i, n, layer.rows, layer.columns, layer.kernel_rows, layer.kernel_columns, layer.stride, layer.pad,
            layer.row_tile_rows, layer.slide_rows);
    const Profile result = profile(command, config);
    const int64_t steps = rounded_up(command.reduction_end, n),
                  row_tiles = rounded_up(layer.rows * layer.columns, layer.row_tile_rows);
    const int64_t loads = steps == 1 ? 1 : row_tiles;
    const int64_t others = command.reduction_end * loads + spec::kChannelParameterBytes;  // weights, parameters
    CHECK(demand_of(result.main, Resource::SramRead) + demand_of(result.drain, Resource::SramRead) ==
          3 * (words_of_windows(layer, command, n) + others));
  }
}

/// Cycles of one channel tile in N registers a lane: words in the order of the outputs, four a cycle, and none of an output
/// after the next one. A word that comes ahead takes a register that the present output does not
/// need. An output is multiplied in the cycle of its last word. With banks a word waits, with all behind it, for the next
/// cycle if one of this cycle lies in its bank.
int64_t cycles_of_registers(const WindowCase& layer, const spec::MacCommand& command, int64_t n, bool with_banks) {
  const std::vector<At> order = outputs_in_order(layer);
  const auto num_outputs = static_cast<int64_t>(order.size());
  const int64_t taps = command.reduction_end, length = layer.slide_rows ? layer.rows : layer.columns;
  std::vector<std::vector<At>> words;  // of each output, in the order in which they come
  std::set<At> before;
  for (int64_t i = 0; i < num_outputs; ++i) {
    const std::set<At> needed = taps_of(layer, command, order[static_cast<size_t>(i)], 0, taps);
    words.emplace_back();
    for (const At& at : needed) {
      if (!before.contains(at)) words.back().push_back(at);
    }
    if (i / length % 2 == 1) std::reverse(words.back().begin(), words.back().end());
    before = needed;
  }
  int64_t cycles = 0;
  size_t ahead = 0;
  for (int64_t output = 0; output < num_outputs; ++output) {
    const auto now = static_cast<size_t>(output);
    const bool is_followed = output + 1 < num_outputs;
    size_t fetched = ahead;
    ahead = 0;
    bool is_complete = false;
    while (!is_complete) {
      ++cycles;
      std::set<int64_t> banks;
      for (int64_t word = 0; word < 4; ++word) {
        const bool is_own = fetched < words[now].size();
        if (!is_own && (!is_followed || ahead == words[now + 1].size() || taps + static_cast<int64_t>(ahead) == n)) break;
        const At at = is_own ? words[now][fetched] : words[now + 1][ahead];
        const int64_t bank = ((command.input.base + at.first * command.input.row_pitch_bytes) / n + at.second) % 8;
        if (with_banks && !banks.insert(bank).second) break;
        ++(is_own ? fetched : ahead);
      }
      is_complete = fetched == words[now].size();
    }
  }
  return cycles;
}

TEST_CASE("random depthwise commands: cycles, without banks and with them, equal a walk through N registers") {
  const uint32_t seed = 57721;
  CAPTURE(seed);
  std::mt19937 random(seed);
  int num_conflicts = 0;
  for (int i = 0; i < 300; ++i) {
    const config::MachineConfig config = machine(std::array{"v64", "v256", "v1024"}[static_cast<size_t>(i) % 3]);
    const int64_t n = config.datapath.lanes;
    WindowCase layer{.kernel_rows = pick(random, 1, 6),
                     .kernel_columns = pick(random, 1, 6),
                     .stride = pick(random, 1, 3),
                     .slide_rows = pick(random, 0, 1) == 1};
    if (layer.kernel_rows * layer.kernel_columns > n) continue;
    layer.pad = std::min(pick(random, 0, 2), std::min(layer.kernel_rows, layer.kernel_columns) / 2);
    layer.rows = pick(random, 1, 12);
    layer.columns = pick(random, 1, 12);
    layer.row_tile_rows = pick(random, 1, 64);
    spec::MacCommand command = window_command(layer, n);
    command.in_channels = command.out_channels = n;
    command.input.row_pitch_bytes += pick(random, 0, 7) * n;
    CAPTURE(i, n, layer.rows, layer.columns, layer.kernel_rows, layer.kernel_columns, layer.stride, layer.pad,
            layer.row_tile_rows, layer.slide_rows, command.input.row_pitch_bytes);
    const Profile result = profile(command, config);
    const Phase& main = result.main;
    CHECK(main.busy_cycles == cycles_of_registers(layer, command, n, false));
    const MacShape shape(command, config.datapath);
    MacActivation activation(command, config.datapath, shape);
    AccessCost cost;
    for (int64_t tile = 0; tile < shape.row_tiles; ++tile) cost.add(activation.cost(0, tile, 0));
    CHECK(cost.cycles == main.busy_cycles);
    CHECK(cost.cycles + cost.conflict_cycles == cycles_of_registers(layer, command, n, true));
    num_conflicts += cost.conflict_cycles > 0 ? 1 : 0;
  }
  CHECK(num_conflicts > 50);
}

TEST_CASE(
    "random depthwise commands: at stride 1 a cycle an output behind the first window, whatever the lines and row tiles") {
  const uint32_t seed = 141421;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const config::MachineConfig config = machine("v256");
  for (int i = 0; i < 300; ++i) {
    const WindowCase layer{.rows = pick(random, 2, 20),
                           .columns = pick(random, 2, 20),
                           .pad = pick(random, 0, 1),
                           .row_tile_rows = pick(random, 3, 64),
                           .slide_rows = pick(random, 0, 1) == 1};
    const spec::MacCommand command = window_command(layer, 16);
    CAPTURE(i, layer.rows, layer.columns, layer.pad, layer.row_tile_rows, layer.slide_rows);
    const Profile result = profile(command, config);
    // Windows begin with 4 or 9 words; 4 of those of the later channel tiles come beside the last output before.
    const int64_t fill = layer.pad > 0 ? 0 : 2 + 1 + 1;
    CHECK(result.main.busy_cycles == 3 * layer.rows * layer.columns + fill);
  }
}

}  // namespace
}  // namespace vernier::timing
