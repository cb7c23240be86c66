// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/mac_choice.hpp"

#include "hw/base/quantity.hpp"
#include "hw/spec/machine.hpp"
#include "hw/timing/unit_timing.hpp"

#include <vector>

namespace vernier::cost {

int64_t cycles_alone(const spec::MacCommand& command, const config::MachineConfig& config) {
  const timing::Profile profile = timing::profile(command, config);
  return profile.main.cycles + profile.drain.cycles;
}

namespace {

int64_t accumulator_rows(const spec::MacCommand& command) {
  return command.out_rows * base::ceil_div(command.out_columns, int64_t{1} << command.lane_split_log2);
}

/// The size of tiles with which `rows` make as few as they can, all but equal.
int64_t even_tile(int64_t rows) { return base::ceil_div(rows, base::ceil_div(rows, int64_t{spec::kAccumulatorRows})); }

bool is_slice(const spec::MacCommand& command) { return !command.first || !command.last; }

}  // namespace

spec::MacCommand with_best_slide(spec::MacCommand command, const config::MachineConfig& config) {
  if (!is_slice(command)) command.row_tile_rows = even_tile(accumulator_rows(command));
  if (command.mode != spec::MacMode::Depthwise) return command;
  command.slide_rows = false;
  spec::MacCommand down = command;
  down.slide_rows = true;
  return cycles_alone(down, config) < cycles_alone(command, config) ? down : command;
}

spec::MacCommand with_best_row_tile(const spec::MacCommand& command, const config::MachineConfig& config) {
  if (is_slice(command)) return command;
  constexpr int64_t kShortTail = 8;
  const int64_t rows = accumulator_rows(command), even = even_tile(rows);
  // Besides sizes that leave short drains: large ones with a short last tile, whose steps can hide the drain before it.
  std::vector<int64_t> sizes{even};
  if (rows > kShortTail) sizes.push_back(even_tile(rows - kShortTail));
  for (const int64_t size : {32, 16, 12, 8}) sizes.push_back(size);
  spec::MacCommand best = command;
  int64_t best_cycles = 0;
  for (const int64_t size : sizes) {
    if (size != even && size >= rows) continue;
    for (const bool turned : {false, true}) {
      if (turned && command.mode != spec::MacMode::Depthwise) continue;
      spec::MacCommand candidate = command;
      candidate.row_tile_rows = size;
      candidate.slide_rows = command.slide_rows != turned;
      const int64_t cycles = cycles_alone(candidate, config);
      if (best_cycles > 0 && cycles >= best_cycles) continue;
      best = candidate;
      best_cycles = cycles;
    }
  }
  return best;
}

}  // namespace vernier::cost
