// SPDX-License-Identifier: Apache-2.0
// choose_input_copy(): how the copy lies, and its parts.
#include "compiler/cost/copy_overlap.hpp"
#include "compiler/cost/input_copy.hpp"
#include "compiler/cost/least.hpp"
#include "compiler/cost/mac_choice.hpp"
#include "compiler/cost/operands_apart.hpp"
#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace vernier::cost {
namespace {

using base::ceil_div;
using base::round_up;
using spec::MacCommand;

/// What a copy has to gain, for all that its estimate leaves out.
constexpr int64_t kLeastGainCycles = 30;
constexpr size_t kMostParts = 16;
/// Such a part of all rows, columns or channels is a part's size.
constexpr std::array<int64_t, 9> kParts{24, 16, 12, 8, 6, 4, 3, 2, 1};
constexpr std::array<int64_t, 7> kRowTiles{spec::kAccumulatorRows, 48, 32, 24, 16, 12, 8};

int64_t extent_of(const MacCommand& command, CopyAxis axis) {
  switch (axis) {
    case CopyAxis::Rows: return command.out_rows;
    case CopyAxis::Columns: return command.out_columns;
    default: return command.out_channels;
  }
}

int64_t words_read(const timing::Phase& phase) { return phase.demand[static_cast<size_t>(timing::Resource::SramRead)]; }

class Search {
 public:
  Search(const MacCommand& command, InputCopy copy, const config::MachineConfig& config)
      : command_(command),
        copy_(std::move(copy)),
        config_(config),
        extent_(extent_of(command, copy_.axis)),
        granule_(granule_of_axis()),
        granules_(ceil_div(extent_, granule_)) {
    for (const int64_t parts : kParts) {
      const int64_t size = ceil_div(granules_, parts);
      if (sizes_.empty() || sizes_.back() != size) sizes_.push_back(size);
    }
  }

  /// `best` becomes the copy in those parts that take the fewest cycles, if they are fewer than its own: one on the map, one
  /// of another size, the rest of one size but for the last. Then row tiles and slides, part by part.
  void run(InputCopy& best) {
    std::vector<int64_t> firsts{0};
    firsts.insert(firsts.end(), sizes_.begin(), sizes_.end());
    InputCopy found = best;
    for (const int64_t as_it_lies : firsts) {
      for (const int64_t second : sizes_) {
        if (as_it_lies < granules_) consider_rest(as_it_lies, second, found);
      }
    }
    if (found.cycles < best.cycles) best = tuned(std::move(found));
  }

 private:
  [[nodiscard]] int64_t granule_of_axis() const {
    if (copy_.axis == CopyAxis::Channels) return config_.datapath.lanes;
    return copy_.axis == CopyAxis::Columns ? int64_t{1} << copy_.command.lane_split_log2 : 1;
  }

  /// Here, and in `sizes_`, parts are counted in granules.
  void consider_rest(int64_t as_it_lies, int64_t second, InputCopy& best) {
    const int64_t rest = granules_ - as_it_lies - second;
    if (rest < 0) return;
    if (rest == 0) return consider({as_it_lies, second}, best);
    for (const int64_t size : sizes_) {
      if (size > rest) break;
      for (const int64_t last : {size, sizes_[0]}) {
        std::vector<int64_t> counts{as_it_lies, second};
        int64_t left = rest;
        for (; left > last && counts.size() <= kMostParts; left -= counts.back())
          counts.push_back(std::min(size, left - last));
        if (counts.size() > kMostParts) break;
        counts.push_back(left);
        consider(counts, best);
        if (size == sizes_[0]) break;
      }
    }
  }

  /// Parts of so many granules; the first reads the map as it lies, and may be empty. The very last granule may be a part of
  /// one.
  void consider(const std::vector<int64_t>& counts, InputCopy& best) {
    copy_.parts.clear();
    int64_t begin = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const int64_t count = std::min(counts[i] * granule_, extent_ - begin);
      copy_.parts.push_back({begin, count, i > 0});
      begin += count;
    }
    std::vector<const PartWork*> works;
    int64_t least = 0, copying = 0;  // no sharing, no waiting
    for (size_t i = 0; i < copy_.parts.size(); ++i) {
      works.push_back(&work_of(i));
      least += works.back()->array.main.cycles;
      for (const timing::Phase& phase : works.back()->copies) copying += phase.cycles;
    }
    if (std::max(least, copying) >= best.cycles) return;
    copy_.cycles = cycles_together(works, config_);
    if (copy_.cycles < best.cycles) best = copy_;
  }

  /// Also sets how the part is computed.
  const PartWork& work_of(size_t index) {
    CopyPart& part = copy_.parts[index];
    const bool is_begun = index > 0 && copy_.parts[index - 1].is_copied;
    const auto [found, is_new] = works_.try_emplace({part.begin, part.count, part.is_copied, is_begun});
    auto& [as_computed, work] = found->second;
    if (is_new) {
      int64_t words = 0;
      for (const spec::DmaCommand& dma : copies_of_part(command_, copy_, index)) {
        work.copies.push_back(timing::profile(dma, config_).main);
        words += words_read(work.copies.back());
      }
      as_computed = likely_way(part, words);
      work.array = profile_of(as_computed);
    }
    part = as_computed;
    return work;
  }

  /// The ways to compute a part: row tiles, and for a window both slides.
  [[nodiscard]] std::vector<CopyPart> ways_of(CopyPart part) const {
    std::vector<CopyPart> ways;
    const int64_t rows = accumulator_rows(command_of_part(command_, copy_, part, config_.datapath));
    for (const int64_t most : kRowTiles) {
      part.row_tile_rows = ceil_div(rows, ceil_div(rows, most));
      if (!ways.empty() && ways.back().row_tile_rows == part.row_tile_rows) continue;
      for (const bool slide_rows : {false, true}) {
        part.slide_rows = slide_rows;
        if (!slide_rows || command_.mode == spec::MacMode::Depthwise) ways.push_back(part);
      }
    }
    return ways;
  }

  /// The way that is the best if a copy of about as many words as the part's own goes on beside it and its drain hides under
  /// the next part; behind the last one neither.
  CopyPart likely_way(const CopyPart& part, int64_t copied_words) {
    const bool is_last = part.begin + part.count == extent_;
    const auto cycles_of = [&](const timing::Profile& profile) {
      const int64_t words = words_read(profile.main) + copied_words;
      const int64_t beside = std::max(profile.main.cycles, ceil_div(words, config_.datapath.sram_read_words));
      return is_last ? profile.cycles_alone() : beside + profile.drain.cycles / 4;
    };
    const std::vector<CopyPart> ways = ways_of(part);
    return ways[index_of_least(
        ways.size(), [&](size_t i) { return cycles_of(profile_before_banks_of(ways[i])); },
        [&](size_t i) { return cycles_of(profile_of(ways[i])); })];
  }

  const timing::Profile& profile_of(const CopyPart& part) {
    const auto [found, is_new] = profiles_.try_emplace(key_of(part));
    if (is_new) found->second = timing::profile(placed(part), config_);
    return found->second;
  }
  const timing::Profile& profile_before_banks_of(const CopyPart& part) {
    const auto [found, is_new] = profiles_before_banks_.try_emplace(key_of(part));
    if (is_new) found->second = timing::profile_before_banks(placed(part), config_);
    return found->second;
  }

  using PartKey = std::tuple<int64_t, bool, bool, bool, int64_t, bool>;
  /// Parts of the same size that do not lie at an edge are alike.
  [[nodiscard]] PartKey key_of(const CopyPart& part) const {
    const bool is_last = part.begin + part.count == extent_;
    return {part.count, part.is_copied, part.begin == 0, is_last, part.row_tile_rows, part.slide_rows};
  }
  [[nodiscard]] spec::MacCommand placed(const CopyPart& part) const {
    return operands_apart(command_of_part(command_, copy_, part, config_.datapath), config_.datapath);
  }

  /// The copy with the ways to compute its parts that are the best beside each other, one part after the other.
  InputCopy tuned(InputCopy best) {
    copy_ = best;
    std::vector<PartWork> works;
    for (size_t i = 0; i < best.parts.size(); ++i) works.push_back(work_of(i));
    std::vector<const PartWork*> all;
    for (const PartWork& work : works) all.push_back(&work);
    for (size_t i = 0; i < works.size(); ++i) {
      for (const CopyPart& way : ways_of(best.parts[i])) {
        works[i].array = profile_of(way);
        const int64_t cycles = cycles_together(all, config_);
        if (cycles >= best.cycles) continue;
        best.cycles = cycles;
        best.parts[i] = way;
      }
      works[i].array = profile_of(best.parts[i]);
    }
    return best;
  }

  const MacCommand& command_;
  InputCopy copy_;
  const config::MachineConfig& config_;
  const int64_t extent_;
  const int64_t granule_, granules_;  // what parts begin at multiples of: a channel tile, pixels that share the lanes
  std::vector<int64_t> sizes_;        // ascending
  std::map<std::tuple<int64_t, int64_t, bool, bool>, std::pair<CopyPart, PartWork>> works_;
  std::map<PartKey, timing::Profile> profiles_, profiles_before_banks_;
};

/// One channel tile of some rows, by which ways to lay out the copy are compared.
int64_t sample_cycles(MacCommand command, const config::MachineConfig& config) {
  constexpr int64_t kRows = 16;
  command.out_rows = std::min(command.out_rows, kRows);
  command.out_channels = std::min<int64_t>(command.out_channels, config.datapath.lanes >> command.lane_split_log2);
  if (command.mode == spec::MacMode::Depthwise) command.in_channels = command.out_channels;
  return cycles_alone(with_best_slide(command, config), config);
}

/// The pitch of `field` becomes the one of spec::kNumSramBanks, a word apart from `least` on, with the fewest cycles.
void choose_pitch(MacCommand& command, int64_t spec::FeatureMap::*field, int64_t least,
                  const config::MachineConfig& config) {
  const int64_t word = config.datapath.word_bytes();
  int64_t best = 0, best_cycles = 0;
  for (int64_t extra = 0; extra < spec::kNumSramBanks; ++extra) {
    command.input.*field = round_up(least, word) + extra * word;
    const int64_t cycles = sample_cycles(command, config);
    if (extra > 0 && cycles >= best_cycles) continue;
    best = command.input.*field;
    best_cycles = cycles;
  }
  command.input.*field = best;
}

/// Pixels of a depthwise map an odd number of words apart, so that neighbours along a row never meet; of a convolution side
/// by side.
InputCopy with_other_pitches(const MacCommand& command, CopyAxis axis, const config::MachineConfig& config) {
  const int64_t word = config.datapath.word_bytes();
  const int64_t pixel_bytes = command.in_channels * base::stored_bytes(command.input.type);
  InputCopy copy{command, axis, 0, {}, 0, 0};
  copy.command.input.base = 0;
  const bool is_depthwise = command.mode == spec::MacMode::Depthwise;
  copy.command.input.pixel_pitch_bytes = is_depthwise ? (ceil_div(pixel_bytes, word) | 1) * word : pixel_bytes;
  choose_pitch(copy.command, &spec::FeatureMap::row_pitch_bytes, command.in_columns * copy.command.input.pixel_pitch_bytes,
               config);
  copy.size_bytes = command.in_rows * copy.command.input.row_pitch_bytes;
  return copy;
}

/// Of each output column the taps of a kernel row side by side, row under row: a kernel of one column.
InputCopy with_taps_together(const MacCommand& command, const config::MachineConfig& config) {
  InputCopy copy{command, CopyAxis::Columns, 0, {}, 0, 0};
  MacCommand& result = copy.command;
  result.in_channels = command.kernel_columns * command.in_channels;
  result.in_columns = command.out_columns;
  result.kernel_columns = result.stride_columns = result.dilation_columns = 1;
  result.origin_column = 0;
  result.input.base = 0;
  result.input.row_pitch_bytes = result.in_channels * base::stored_bytes(command.input.type);
  choose_pitch(result, &spec::FeatureMap::pixel_pitch_bytes, command.in_rows * result.input.row_pitch_bytes, config);
  result = with_best_lane_split(result, config);
  choose_pitch(result, &spec::FeatureMap::pixel_pitch_bytes, command.in_rows * result.input.row_pitch_bytes, config);
  copy.size_bytes = command.out_columns * result.input.pixel_pitch_bytes;
  return copy;
}

/// What no copy can do better than: a cycle for each row of accumulators and vector of the reduction, int16 two.
int64_t least_cycles(const MacCommand& command, const config::MachineConfig& config) {
  const int64_t lanes = config.datapath.lanes;
  const int64_t tiles = ceil_div(command.out_channels, lanes >> command.lane_split_log2);
  return accumulator_rows(command) * tiles * ceil_div(command.reduction_end, lanes) * base::stored_bytes(command.input.type);
}

}  // namespace

std::optional<InputCopy> choose_input_copy(const MacCommand& command, const config::MachineConfig& config,
                                           int64_t most_bytes) {
  const bool is_depthwise = command.mode == spec::MacMode::Depthwise;
  const bool is_dense = command.input.block_pitch_bytes == config.datapath.lanes * base::stored_bytes(command.input.type);
  if (!is_dense) return std::nullopt;
  const MacCommand as_it_is = with_best_row_tile(with_best_slide(command, config), config);
  InputCopy best;
  best.cycles_without = cycles_alone(as_it_is, config);
  best.cycles = best.cycles_without - kLeastGainCycles;
  const int64_t least = least_cycles(command, config);
  if (best.cycles_without < least + least / 8) return std::nullopt;  // a copy costs more than that
  std::vector<InputCopy> ways{with_other_pitches(command, CopyAxis::Rows, config)};
  if (is_depthwise) {
    ways.push_back(ways[0]);
    ways.back().axis = CopyAxis::Channels;
  } else {
    ways.push_back(with_taps_together(command, config));
  }
  for (InputCopy& way : ways) {
    way.cycles_without = best.cycles_without;
    if (way.size_bytes > most_bytes) continue;
    if (cycles_alone(with_best_slide(way.command, config), config) >= best.cycles) continue;
    Search(command, way, config).run(best);
  }
  if (best.parts.empty()) return std::nullopt;
  return best;
}

}  // namespace vernier::cost
