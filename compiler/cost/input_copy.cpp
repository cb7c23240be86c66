// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/input_copy.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "hw/base/element_type.hpp"
#include "hw/base/quantity.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace vernier::cost {
namespace {

using base::ceil_div;
using timing::Profile;
using timing::Resource;

/// What a copy has to gain: commands that wait for each other begin up to so much later than the estimate has it.
constexpr int64_t kLeastGainCycles = 30;

int64_t demand_of(const Profile& profile, Resource resource) {
  const auto i = static_cast<size_t>(resource);
  return profile.main.demand[i] + profile.drain.demand[i];
}

/// Pitches with which a channel tile takes the fewest cycles: pixels an odd number of words apart, so that neighbours along
/// a row never meet, and rows a few words longer than their pixels.
InputCopy best_pitches(const spec::MacCommand& command, const config::MachineConfig& config) {
  const int64_t word = config.datapath.word_bytes();
  const int64_t pixel_words = ceil_div(command.in_channels * base::stored_bytes(command.input.type), word) | 1;
  spec::MacCommand tile = command;
  tile.out_channels = tile.in_channels = std::min<int64_t>(command.in_channels, config.datapath.lanes);
  InputCopy best;
  int64_t best_cycles = 0;
  for (int64_t extra = 0; extra < spec::kNumSramBanks; ++extra) {
    InputCopy copy;
    copy.pixel_pitch_bytes = pixel_words * word;
    copy.row_pitch_bytes = (command.in_columns * pixel_words + extra) * word;
    const int64_t cycles = cycles_alone(with_best_slide(on_copy(tile, copy), config), config);
    if (extra > 0 && cycles >= best_cycles) continue;
    best = copy;
    best_cycles = cycles;
  }
  return best;
}

/// Rows of the input before the first one that no output row before `out_row` reads.
int64_t input_rows_before(const spec::MacCommand& command, int64_t out_row) {
  const int64_t end =
      command.origin_row + (out_row - 1) * command.stride_rows + (command.kernel_rows - 1) * command.dilation_rows + 1;
  return std::clamp<int64_t>(end, 0, command.in_rows);
}

/// So much of the command, not at an edge.
spec::MacCommand part_of(spec::MacCommand command, bool is_by_channels, int64_t count) {
  if (is_by_channels) {
    command.out_channels = command.in_channels = count;
  } else if (count < command.out_rows) {
    command.out_rows = count;
    command.origin_row = 0;
  }
  return command;
}

/// How long the two units take together, block after block.
class Pipeline {
 public:
  /// What the array does on the map as it lies (`first`, empty if nothing), and for a block on the copy.
  Pipeline(const spec::MacCommand& command, const InputCopy& copy, const config::MachineConfig& config, const Profile& first,
           const Profile& block)
      : command_(command), copy_(copy), config_(config), first_(first), block_(block) {}

  [[nodiscard]] int64_t cycles() {
    // The drain of a block stands in the way of the next one's: both want the rescale lanes all the time.
    const int64_t of_block = cycles_of(block_);
    computed_ = cycles_of(first_);
    for (int64_t at = copy_.first; at < copy_.extent(command_); at += copy_.block) {
      const int64_t count = std::min(copy_.block, copy_.extent(command_) - at);
      if (const auto dma = copy_for_block(command_, copy_, at, count)) add_copy(timing::profile(*dma, config_));
      computed_ = std::max(computed_, copied_ + spec::kTokenCycles) + of_block * count / copy_.block;
    }
    return computed_;
  }

 private:
  static constexpr int64_t kWhole = 65536;

  static int64_t cycles_of(const Profile& profile) { return profile.main.cycles + profile.drain.cycles; }

  /// Beside the array, as long as that has work, the DMA has what it leaves of the ports.
  void add_copy(const Profile& dma) {
    int64_t left = kWhole;
    const auto run = [&](int64_t until, int64_t cycles) {
      if (until <= copied_ || left == 0) return;
      const int64_t some = std::min(until - copied_, ceil_div(left * cycles, kWhole));
      copied_ += some;
      left = std::max<int64_t>(0, left - some * kWhole / cycles);
    };
    run(cycles_of(first_), cycles_beside(dma, first_));
    run(computed_, cycles_beside(dma, block_));
    copied_ += left * dma.main.cycles / kWhole;
  }

  [[nodiscard]] int64_t cycles_beside(const Profile& dma, const Profile& array) const {
    const auto shared = [&](Resource resource, int64_t port_words) {
      const int64_t left = std::max<int64_t>(1, port_words * array.main.cycles - demand_of(array, resource));
      return ceil_div(demand_of(dma, resource) * array.main.cycles, left);
    };
    return std::max({dma.main.cycles, shared(Resource::SramRead, config_.datapath.sram_read_words),
                     shared(Resource::SramWrite, config_.datapath.sram_write_words)});
  }

  const spec::MacCommand& command_;
  const InputCopy& copy_;
  const config::MachineConfig& config_;
  const Profile& first_;
  const Profile& block_;
  int64_t copied_ = 0, computed_ = 0;  // when the last copy, and the last command of the array, end
};

/// Sizes that are such a part of `extent`, in `granules`, each once.
std::vector<int64_t> parts_of(int64_t extent, std::initializer_list<int64_t> parts, int64_t granule) {
  std::vector<int64_t> sizes;
  for (const int64_t part : parts) {
    const int64_t size = ceil_div(ceil_div(extent, granule), part) * granule;
    if (size <= extent && (sizes.empty() || sizes.back() != size)) sizes.push_back(size);
  }
  return sizes;
}

/// `best` becomes the copy in the blocks that take the fewest cycles, if they are fewer than its own.
void consider_blocks(const spec::MacCommand& command, InputCopy copy, const config::MachineConfig& config, InputCopy& best) {
  const int64_t granule = copy.is_by_channels ? config.datapath.lanes : 1;
  std::vector<std::pair<int64_t, Profile>> firsts{{0, {}}};
  for (const int64_t first : parts_of(copy.extent(command), {24, 16, 12, 8, 6, 4}, granule)) {
    const spec::MacCommand part = with_best_slide(part_of(command, copy.is_by_channels, first), config);
    firsts.emplace_back(first, timing::profile(with_best_row_tile(part, config), config));
  }
  const spec::MacCommand copied = on_copy(command, copy);
  for (const int64_t block : parts_of(copy.extent(command), {1, 2, 3, 4, 6, 8, 12, 16}, granule)) {
    for (const int64_t tile_rows : {spec::kAccumulatorRows, 32, 24, 16}) {
      for (const bool slide_rows : {false, true}) {
        copy.block = block;
        copy.most_tile_rows = tile_rows;
        copy.slide_rows = slide_rows;
        const spec::MacCommand part = part_of(copied, copy.is_by_channels, block);
        const Profile of_block = timing::profile(tuned_for_copies(part, copy), config);
        for (const auto& [first, of_first] : firsts) {
          if (first >= copy.extent(command)) continue;
          copy.first = first;
          copy.cycles = Pipeline(command, copy, config, of_first, of_block).cycles();
          if (copy.cycles < best.cycles) best = copy;
        }
      }
    }
  }
}

}  // namespace

spec::MacCommand on_copy(spec::MacCommand command, const InputCopy& copy) {
  command.input.base = 0;
  command.input.pixel_pitch_bytes = copy.pixel_pitch_bytes;
  command.input.row_pitch_bytes = copy.row_pitch_bytes;
  return command;
}

spec::MacCommand tuned_for_copies(spec::MacCommand block, const InputCopy& copy) {
  const int64_t rows = accumulator_rows(block);
  block.row_tile_rows = ceil_div(rows, ceil_div(rows, copy.most_tile_rows));
  block.slide_rows = copy.slide_rows;
  return block;
}

std::optional<spec::DmaCommand> copy_for_block(const spec::MacCommand& command, const InputCopy& copy, int64_t at,
                                               int64_t count) {
  const spec::FeatureMap& map = command.input;
  const int64_t element = base::stored_bytes(map.type);
  int64_t row = 0, end = input_rows_before(command, command.out_rows), channel = 0, channels = command.in_channels;
  if (copy.is_by_channels) {
    channel = at;
    channels = count;
  } else {
    row = std::max<int64_t>(0, command.origin_row + at * command.stride_rows);
    if (at > copy.first) row = std::max(row, input_rows_before(command, at));
    end = input_rows_before(command, at + count);
  }
  if (end <= row) return std::nullopt;
  spec::DmaCommand dma;
  dma.counts = {1, 1, 1, end - row, command.in_columns};
  dma.run_bytes = channels * element;
  dma.src.strides_bytes = {0, 0, 0, map.row_pitch_bytes, map.pixel_pitch_bytes};
  dma.dst.strides_bytes = {0, 0, 0, copy.row_pitch_bytes, copy.pixel_pitch_bytes};
  if (map.pixel_pitch_bytes == copy.pixel_pitch_bytes && map.pixel_pitch_bytes == dma.run_bytes) {
    dma.run_bytes *= command.in_columns;
    dma.counts.back() = 1;
  }
  dma.src.base.offset = static_cast<uint64_t>(map.base + row * map.row_pitch_bytes + channel * element);
  dma.dst.base.offset = static_cast<uint64_t>(row * copy.row_pitch_bytes + channel * element);
  return dma;
}

std::optional<InputCopy> choose_input_copy(const spec::MacCommand& command, const config::MachineConfig& config,
                                           int64_t most_bytes) {
  const int64_t lanes = config.datapath.lanes;
  const bool is_dense = command.input.block_pitch_bytes == lanes * base::stored_bytes(command.input.type);
  if (command.mode != spec::MacMode::Depthwise || command.depth_multiplier != 1 || !is_dense) return std::nullopt;
  const Profile as_it_is = timing::profile(with_best_row_tile(with_best_slide(command, config), config), config);
  InputCopy best;
  best.cycles_without = as_it_is.main.cycles + as_it_is.drain.cycles;
  best.cycles = best.cycles_without - kLeastGainCycles;
  const int64_t tiles = ceil_div(command.out_channels, lanes >> command.lane_split_log2);
  const int64_t least =
      accumulator_rows(command) * tiles * ceil_div(command.reduction_end, lanes) * base::stored_bytes(command.input.type);
  if (best.cycles_without < least + least / 8) return std::nullopt;  // a copy costs more than that
  InputCopy copy = best_pitches(command, config);
  if (copy.size_bytes(command) > most_bytes) return std::nullopt;
  copy.cycles_without = best.cycles_without;
  for (const bool is_by_channels : {false, true}) {
    copy.is_by_channels = is_by_channels;
    consider_blocks(command, copy, config, best);
  }
  if (best.block == 0) return std::nullopt;
  return best;
}

}  // namespace vernier::cost
