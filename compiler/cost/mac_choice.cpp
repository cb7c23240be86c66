// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/mac_choice.hpp"

#include "compiler/cost/least.hpp"
#include "compiler/cost/operands_apart.hpp"
#include "hw/base/division.hpp"
#include "hw/spec/machine.hpp"
#include "hw/timing/unit_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vernier::cost {

int64_t accumulator_rows(const spec::MacCommand& command) {
  return command.out_rows * base::ceil_div(command.out_columns, int64_t{1} << command.lane_split_log2);
}

int64_t cycles_alone(const spec::MacCommand& command, const config::MachineConfig& config) {
  return timing::profile(operands_apart(command, config.datapath), config).cycles_alone();
}

namespace {

/// The size of tiles with which `rows` make as few as they can, all but equal.
int64_t even_tile(int64_t rows) { return base::ceil_div(rows, base::ceil_div(rows, int64_t{spec::kAccumulatorRows})); }

bool is_slice(const spec::MacCommand& command) { return !command.first || !command.last; }

std::string slide_name(bool slide_rows) { return slide_rows ? "windows slide along rows" : "windows slide along columns"; }

}  // namespace

int64_t cycles_alone(const spec::Command& command, const config::MachineConfig& config) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body))
    return cycles_alone(with_best_slide(*mac, config), config);
  return timing::profile(command, config).cycles_alone();
}

spec::MacCommand with_best_lane_split(spec::MacCommand command, const config::MachineConfig& config, Alternatives* told) {
  constexpr int64_t kWholeRows = 4 * spec::kAccumulatorRows;  // longer ones will be stripes, most of them without a tail
  const int64_t lanes = config.datapath.lanes;
  const auto is_open = [&](int64_t pixels) {
    return command.out_channels <= lanes / 2 || command.out_channels % (lanes / pixels) == 0;
  };
  command.lane_split_log2 = 0;
  if (command.out_channels % lanes == 0 || command.out_columns == 1) return command;
  spec::MacCommand best = command;
  int64_t best_cycles = 0;
  for (int64_t split = 0; split <= spec::kMaxLaneSplitLog2; ++split) {
    const int64_t pixels = int64_t{1} << split;
    if (split > 0 && base::ceil_div(command.out_columns, pixels) == base::ceil_div(command.out_columns, pixels / 2)) break;
    if (!is_open(pixels) && split > 0) continue;
    command.lane_split_log2 = split;
    spec::MacCommand candidate = with_best_slide(command, config);
    if (accumulator_rows(candidate) <= kWholeRows) candidate = with_best_row_tile(candidate, config);
    const int64_t cycles = cycles_alone(candidate, config);
    if (told != nullptr) told->add(fmt::format("{} x {}", pixels, lanes / pixels), cycles);
    if (split > 0 && cycles >= best_cycles) continue;
    best = command;
    best_cycles = cycles;
    if (told != nullptr) told->chosen = told->ways.size() - 1;
  }
  return best;
}

spec::MacCommand with_best_slide(spec::MacCommand command, const config::MachineConfig& config, Alternatives* told) {
  if (!is_slice(command)) command.row_tile_rows = even_tile(accumulator_rows(command));
  if (command.mode != spec::MacMode::Depthwise) return command;
  command.slide_rows = false;
  spec::MacCommand down = command;
  down.slide_rows = true;
  const int64_t along_columns = cycles_alone(command, config), along_rows = cycles_alone(down, config);
  if (told != nullptr) {
    for (const bool slide_rows : {false, true}) told->add(slide_name(slide_rows), slide_rows ? along_rows : along_columns);
    told->chosen = along_rows < along_columns ? 1 : 0;
  }
  return along_rows < along_columns ? down : command;
}

spec::MacCommand with_best_row_tile(const spec::MacCommand& command, const config::MachineConfig& config,
                                    Alternatives* told) {
  if (is_slice(command)) return command;
  constexpr int64_t kShortTail = 8;
  const int64_t rows = accumulator_rows(command), even = even_tile(rows);
  // Besides sizes that leave short drains: large ones with a short last tile, whose steps can hide the drain before it.
  std::vector<int64_t> sizes{even};
  for (const int64_t size :
       {rows > kShortTail ? even_tile(rows - kShortTail) : even, int64_t{32}, int64_t{16}, int64_t{12}, int64_t{8}}) {
    if (size < rows && std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  std::vector<spec::MacCommand> candidates;
  for (const int64_t size : sizes) {
    candidates.push_back(command);
    candidates.back().row_tile_rows = size;
    if (command.mode != spec::MacMode::Depthwise) continue;
    candidates.push_back(candidates.back());
    candidates.back().slide_rows = !command.slide_rows;
  }
  if (told == nullptr) {
    const auto at_least = [&](size_t i) {
      return timing::profile_before_banks(operands_apart(candidates[i], config.datapath), config).cycles_alone();
    };
    const auto cycles = [&](size_t i) { return cycles_alone(candidates[i], config); };
    return candidates[index_of_least(candidates.size(), at_least, cycles)];
  }
  std::vector<int64_t> cycles;
  for (const spec::MacCommand& candidate : candidates) {
    const std::string slide = command.mode == spec::MacMode::Depthwise ? ", " + slide_name(candidate.slide_rows) : "";
    cycles.push_back(cycles_alone(candidate, config));
    told->add(fmt::format("{} rows{}", candidate.row_tile_rows, slide), cycles.back());
  }
  const auto best = static_cast<size_t>(std::ranges::min_element(cycles) - cycles.begin());
  told->chosen = told->ways.size() - cycles.size() + best;
  return candidates[best];
}

}  // namespace vernier::cost
