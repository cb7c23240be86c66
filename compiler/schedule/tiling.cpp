// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tiling.hpp"

#include "compiler/schedule/access.hpp"
#include "hw/base/error.hpp"
#include "hw/timing/unit_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace vernier::schedule {
namespace {

using passes::AddressField;

/// What a command costs beside its cycles on the unit: issue of the next one, and for a slice the wait for the one before.
constexpr int64_t kCommandOverheadCycles = 8;

bool mac_depends(const spec::MacCommand& mac, const passes::Operand& operand, Axis axis) {
  switch (operand.field) {
    case AddressField::Input:
      if (axis == kChannels) return mac.mode == spec::MacMode::Depthwise;
      return axis != kReduction || mac.kernel_rows * mac.kernel_columns == 1;
    case AddressField::Weights: return axis == kChannels || axis == kReduction;
    case AddressField::Parameters: return axis == kChannels;
    default: return axis != kReduction;
  }
}

/// Whether another part along that axis touches other bytes of the operand.
bool depends(const passes::Step& step, const passes::Operand& operand, Axis axis) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) return mac_depends(*mac, operand, axis);
  const auto loop = static_cast<size_t>(axis);
  if (const auto* vec = std::get_if<spec::VectorCommand>(&step.command.body)) {
    const spec::VectorStream& stream = vec->streams[static_cast<size_t>(operand.stream_idx)];
    return (axis == kInnermost ? stream.lane_stride_bytes : stream.strides_bytes[loop]) != 0;
  }
  if (const auto* dma = std::get_if<spec::DmaCommand>(&step.command.body)) {
    if (operand.field == AddressField::Indices) return axis == spec::kNumDmaLoops - 1 || axis == spec::kNumDmaLoops - 2;
    const spec::DmaSide& side = operand.field == AddressField::Source ? dma->src : dma->dst;
    return axis == kInnermost || side.strides_bytes[loop] != 0;
  }
  return true;
}

int64_t compute_cycles_of(const passes::Step& step, const config::MachineConfig& config) {
  const timing::Profile profile = timing::profile(step.command, config);
  return std::max(profile.main.cycles, profile.drain.cycles) + kCommandOverheadCycles;
}

/// Parts of 1, 1/2, 1/3, 1/4, 1/6, .. of the extent, in whole granules.
std::vector<int64_t> sizes_of(int64_t extent, int64_t granule) {
  std::vector<int64_t> sizes;
  const int64_t granules = base::ceil_div(extent, granule);
  for (int64_t power = 1; power <= 2 * granules; power *= 2) {
    for (const int64_t parts : {power, power + power / 2}) {
      const int64_t size = std::min(extent, base::ceil_div(granules, std::min(parts, granules)) * granule);
      if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
    }
  }
  return sizes;
}

class Search {
 public:
  Search(const passes::Step& step, const IsOutside& is_outside, const config::MachineConfig& config, int64_t budget_bytes,
         Ends ends, std::vector<Tiling>* tried)
      : step_(step),
        is_outside_(is_outside),
        config_(config),
        budget_(budget_bytes),
        ends_(ends),
        tried_(tried),
        divisor_(step_divisor(step)) {
    for (size_t i = 0; i < step.operands.size(); ++i)
      copies_maps_ = copies_maps_ || (is_outside[i] && is_map(step.operands[i]));
  }

  Tiling run() {
    if (std::find(is_outside_.begin(), is_outside_.end(), true) == is_outside_.end()) {
      try_all({});
    } else if (std::holds_alternative<spec::MacCommand>(step_.command.body)) {
      search_mac();
    } else {
      search_loops({});
    }
    return best_;
  }

 private:
  static bool is_map(const passes::Operand& operand) {
    return operand.field != AddressField::Weights && operand.field != AddressField::Parameters;
  }
  [[nodiscard]] int64_t extent(const passes::Step& step, Axis axis) const { return extent_of(step, axis, config_.datapath); }

  void search_mac() {
    // Rows of maps that stay in SRAM gain nothing from being apart; stripes for overlap come later.
    std::vector<int64_t> rows{extent(step_, kRows)};
    if (copies_maps_) rows = sizes_of(extent(step_, kRows), 1);
    const std::vector<int64_t> channels = sizes_of(extent(step_, kChannels), granule_of(step_, kChannels, config_.datapath));
    for (const int64_t block : channels) {
      for (const bool channels_outside : {false, true}) {
        if (channels_outside && block == extent(step_, kChannels)) continue;
        int64_t good = 0;
        for (const int64_t stripe : rows) {
          if (good >= 3) break;  // smaller ones re-read more
          const auto with = [&](std::vector<Cut> inner) {
            std::vector<Cut> cuts{{kRows, stripe}};
            cuts.insert(cuts.end(), inner.begin(), inner.end());
            cuts.insert(channels_outside ? cuts.begin() : cuts.end(), Cut{kChannels, block});
            return cuts;
          };
          if (try_all(with({}))) ++good;
          if (stripe > 1 || !copies_maps_) continue;
          for (const int64_t columns : sizes_of(extent(step_, kColumns), granule_of(step_, kColumns, config_.datapath))) {
            if (good >= 3) break;
            if (columns < extent(step_, kColumns) && try_all(with({{kColumns, columns}}))) ++good;
          }
        }
      }
    }
    search_slices(rows, channels.back());
  }

  /// One channel tile, at most a bank of accumulator rows, and slices of the reduction.
  void search_slices(const std::vector<int64_t>& rows, int64_t tile) {
    const auto& mac = std::get<spec::MacCommand>(step_.command.body);
    if (mac.mode != spec::MacMode::Conv) return;
    for (const int64_t stripe : rows) {
      for (const int64_t columns : sizes_of(mac.out_columns, granule_of(step_, kColumns, config_.datapath))) {
        if (columns < mac.out_columns && stripe > 1) break;
        const std::vector<Cut> outer{{kRows, stripe}, {kColumns, columns}, {kChannels, tile}};
        const passes::Step part = first_part(outer, outer.size());
        if (extent(part, kReduction) == 1) continue;
        int64_t good = 0;
        for (const int64_t slice : sizes_of(extent(part, kReduction), config_.datapath.lanes)) {
          if (slice == extent(part, kReduction) || good >= 2) continue;
          std::vector<Cut> cuts = outer;
          cuts.push_back({kReduction, slice});
          if (try_all(cuts)) ++good;
        }
      }
    }
  }

  /// Loops and lanes: one axis after the other down to its least part, until the rest fits.
  void search_loops(const std::vector<Cut>& outer) {
    const passes::Step part = first_part(outer, outer.size());
    if (outer.empty()) try_all({});
    for (Axis axis = 0; axis < kNumAxes; ++axis) {
      const int64_t extent_bytes = extent(part, axis), granule = granule_of(part, axis, config_.datapath);
      if (extent_bytes <= granule) continue;
      bool fits = false;
      int64_t good = 0;
      const std::vector<int64_t> sizes = sizes_of(extent_bytes, granule);
      std::vector<Cut> cuts = outer;
      cuts.push_back({axis, 0});
      for (const int64_t size : sizes) {
        if (size == extent_bytes || good >= 4) continue;
        cuts.back().size = size;
        if (try_all(cuts)) {
          ++good;
          fits = true;
        }
      }
      if (!fits && outer.size() + 1 < kNumAxes) {
        cuts.back().size = sizes.back();
        if (is_new_prefix(cuts)) search_loops(cuts);
      }
    }
  }

  /// The same axes cut to their least in another order need not be tried again.
  bool is_new_prefix(const std::vector<Cut>& cuts) {
    uint32_t axes = 0;
    for (const Cut& cut : cuts) axes |= uint32_t{1} << cut.axis;
    if (std::find(prefixes_.begin(), prefixes_.end(), axes) != prefixes_.end()) return false;
    prefixes_.push_back(axes);
    return true;
  }

  [[nodiscard]] passes::Step first_part(const std::vector<Cut>& cuts, size_t levels, Slice slice = Slice::Middle) const {
    return largest_part(step_, {cuts.data(), levels}, config_.datapath, slice);
  }

  /// Whether the weights of each slice begin where those of the first do: a copy for the last one has room for all.
  [[nodiscard]] bool grows_with_slices() const {
    const auto* mac = std::get_if<spec::MacCommand>(&step_.command.body);
    return mac != nullptr && mac->weight_order != spec::WeightOrder::Tiles && mac->kernel_rows * mac->kernel_columns != 1;
  }

  /// True when one of the ways to do these cuts fits.
  bool try_all(const std::vector<Cut>& cuts) {
    // A cut into one part is none.
    passes::Step part = step_;
    std::vector<Cut> real;
    for (const Cut& cut : cuts) {
      if (cut.size >= extent(part, cut.axis)) continue;
      real.push_back(cut);
      part = part_of(part, cut.axis, 0, cut.size, config_.datapath);
    }
    Tiling tiling;
    tiling.cuts = real;
    for (size_t i = 0; i < step_.operands.size(); ++i) tiling.level.push_back(is_outside_[i] ? level_of(real, i) : -1);
    bool fits = consider(tiling);
    if (!std::holds_alternative<spec::MacCommand>(step_.command.body)) return fits;
    // With channels inside of stripes: what several blocks of them write, stored together, in longer runs; and the input
    // kept for all of them, though slices of the reduction would do with less of it.
    const auto channels = std::find_if(real.begin(), real.end(), [](const Cut& cut) { return cut.axis == kChannels; });
    if (channels == real.end() || channels == real.begin()) return fits;
    const auto outside = static_cast<int32_t>(channels - real.begin());
    const bool has_slices = real.back().axis == kReduction;
    for (const uint32_t held : {1U, 2U, 3U}) {
      Tiling other = tiling;
      for (size_t i = 0; i < step_.operands.size(); ++i) {
        const AddressField field = step_.operands[i].field;
        const bool is_held = field == AddressField::Input ? has_slices && (held & 1U) != 0
                             : field == AddressField::Output || field == AddressField::Addend ? (held & 2U) != 0
                                                                                              : false;
        if (is_held && other.level[i] > outside) other.level[i] = outside;
      }
      if (other.level != tiling.level) fits = consider(other) || fits;
    }
    return fits;
  }

  [[nodiscard]] int32_t level_of(const std::vector<Cut>& cuts, size_t operand) const {
    for (size_t i = cuts.size(); i > 0; --i) {
      if (depends(step_, step_.operands[operand], cuts[i - 1].axis)) return static_cast<int32_t>(i);
    }
    return 0;
  }

  struct LevelCost {
    int64_t bytes = 0, load_cycles = 0, store_cycles = 0;
  };

  /// Fills in what a tiling needs and costs; keeps it when it is the best so far.
  bool consider(Tiling tiling) {
    const size_t levels = tiling.cuts.size();
    std::vector<LevelCost> at(levels + 1);
    for (size_t l = 0; l <= levels; ++l) at[l].bytes = bytes_at(tiling, l);
    int64_t need = 0;
    for (const LevelCost& level : at) need += level.bytes;
    if (need > budget_) {
      if (best_.need_bytes == 0 || (best_.need_bytes > budget_ && need < best_.need_bytes)) {
        best_ = tiling;
        best_.need_bytes = need;
        best_.doubled_from = static_cast<int32_t>(levels) + 1;
      }
      return false;
    }
    tiling.doubled_from = static_cast<int32_t>(levels) + 1;
    for (size_t l = levels; l > 0 && need + at[l].bytes <= budget_; --l) {
      need += at[l].bytes;
      tiling.doubled_from = static_cast<int32_t>(l);
    }
    tiling.need_bytes = need;
    add_cycles(tiling, at);
    if (tried_ != nullptr) tried_->push_back(tiling);
    if (best_.need_bytes == 0 || best_.need_bytes > budget_ || !has_best_ || tiling.cost_cycles < best_.cost_cycles) {
      best_ = tiling;
      has_best_ = true;
    }
    return true;
  }

  [[nodiscard]] int64_t bytes_at(const Tiling& tiling, size_t level) const {
    if (std::find(tiling.level.begin(), tiling.level.end(), static_cast<int32_t>(level)) == tiling.level.end()) return 0;
    const passes::Step part = first_part(tiling.cuts, level, grows_with_slices() ? Slice::Last : Slice::Middle);
    const std::vector<package::Range> ranges = package::ranges_of(part.command, config_.datapath);
    int64_t bytes = 0;
    for (size_t i = 0; i < part.operands.size(); ++i) {
      if (tiling.level[i] != static_cast<int32_t>(level)) continue;
      const Access access = access_of(ranges, part, part.operands[i]);
      if (access.ranges.empty()) continue;
      bytes +=
          base::round_up(Compaction(access, config_.datapath, divisor_).size_bytes(), stage_align_bytes(config_.datapath));
    }
    return bytes;
  }

  void add_cycles(Tiling& tiling, std::vector<LevelCost>& at) const {
    const size_t levels = tiling.cuts.size();
    std::vector<double> parts{1.0};  // how often a level is entered
    passes::Step part = step_;
    for (size_t l = 0;; ++l) {
      if (l > 0) {
        const Cut& cut = tiling.cuts[l - 1];
        parts.push_back(parts.back() * static_cast<double>(extent(part, cut.axis)) / static_cast<double>(cut.size));
        part = first_part(tiling.cuts, l);
      }
      add_copies(tiling, l, part, at[l]);
      if (l == levels) break;
    }
    const auto times = [](double n, int64_t cycles) { return static_cast<int64_t>(n * static_cast<double>(cycles)); };
    const int64_t leaf_cycles = compute_cycles_of(part, config_);
    tiling.compute_cycles = times(parts[levels], leaf_cycles);
    tiling.num_parts = times(parts[levels], 1);
    int64_t exposed = 0, hidden_loads = 0, hidden_stores = 0, head = 0, tail = 0;
    for (size_t l = 0; l <= levels; ++l) {
      const int64_t loads = times(parts[l], at[l].load_cycles), stores = times(parts[l], at[l].store_cycles);
      tiling.load_cycles += loads;
      tiling.store_cycles += stores;
      if (l > 0 && static_cast<int32_t>(l) < tiling.doubled_from) {
        exposed += loads + stores;
      } else {
        hidden_loads += loads;
        hidden_stores += stores;
      }
      head += at[l].load_cycles;
      tail += at[l].store_cycles;
    }
    const bool is_shared = !config_.external.is_full_duplex;
    const int64_t memory = is_shared ? hidden_loads + hidden_stores : std::max(hidden_loads, hidden_stores);
    const int64_t whole = std::max(tiling.compute_cycles, memory) + exposed;
    // The first load and the last store overlap with the neighbours in part; what waits for the last load computes alone.
    const int64_t alone = memory > tiling.compute_cycles ? leaf_cycles : 0;
    int64_t ends = 0;
    if (ends_ == Ends::Exposed) ends = (std::min(head, hidden_loads) + std::min(tail, hidden_stores) + alone) / 4;
    tiling.cost_cycles = whole + ends;
    if (ends_ == Ends::Last) {
      // Loads go ahead of their use as far as the queue holds them; one part computes behind the last.
      const auto ahead = static_cast<double>(std::max<int64_t>(1, config_.queue_depth - 2));
      const double late = 1.0 - std::min(1.0, ahead / parts[levels]);
      tiling.cost_cycles = std::max(tiling.compute_cycles, times(late, memory)) + exposed + leaf_cycles;
    }
    // Less traffic is better where time is equal.
    tiling.cost_cycles += (tiling.load_cycles + tiling.store_cycles) / 16;
  }

  void add_copies(const Tiling& tiling, size_t level, const passes::Step& part, LevelCost& cost) const {
    std::vector<package::Range> ranges;
    for (size_t i = 0; i < part.operands.size(); ++i) {
      if (tiling.level[i] != static_cast<int32_t>(level)) continue;
      if (ranges.empty()) ranges = package::ranges_of(part.command, config_.datapath);
      const Access access = access_of(ranges, part, part.operands[i]);
      if (access.ranges.empty()) continue;
      const Compaction compaction(access, config_.datapath, divisor_);
      for (const spec::DmaCommand& copy : copies_of(access, compaction, !access.is_write)) {
        (access.is_write ? cost.store_cycles : cost.load_cycles) += timing::profile(copy, config_).main.cycles;
      }
    }
  }

  const passes::Step& step_;
  const IsOutside& is_outside_;
  const config::MachineConfig& config_;
  int64_t budget_;
  Ends ends_;
  std::vector<Tiling>* tried_;
  int64_t divisor_;
  bool copies_maps_ = false;  // feature maps, not only constants of the MAC array
  Tiling best_;
  bool has_best_ = false;
  std::vector<uint32_t> prefixes_;
};

constexpr std::array<const char*, 4> kMacAxes{"rows", "columns", "channels", "reduction"};

}  // namespace

passes::Step largest_part(const passes::Step& step, std::span<const Cut> cuts, const spec::Datapath& datapath, Slice slice) {
  passes::Step part = step;
  for (const Cut& cut : cuts) {
    const int64_t whole = extent_of(part, cut.axis, datapath), size = std::min(cut.size, whole);
    // Not the first ones, which may lie in padding: what those in the middle read is whole, and they are as large.
    int64_t at = (base::ceil_div(whole, size) - 1) / 2 * size;
    if (slice == Slice::Last && cut.axis == kReduction) at = (whole - 1) / size * size;
    part = part_of(part, cut.axis, at, std::min(size, whole - at), datapath);
  }
  return part;
}

Tiling choose_tiling(const passes::Step& step, const IsOutside& is_outside, const config::MachineConfig& config,
                     int64_t budget_bytes, Ends ends, std::vector<Tiling>* tried) {
  return Search(step, is_outside, config, budget_bytes, ends, tried).run();
}

int64_t stage_align_bytes(const spec::Datapath& datapath) { return datapath.word_bytes() * spec::kNumSramBanks; }

std::string print(const Tiling& tiling, const passes::Step& step) {
  std::string text;
  const bool is_mac = std::holds_alternative<spec::MacCommand>(step.command.body);
  for (const Cut& cut : tiling.cuts) {
    const std::string name = is_mac                   ? kMacAxes.at(static_cast<size_t>(cut.axis))
                             : cut.axis == kInnermost ? "innermost"
                                                      : fmt::format("loop {}", cut.axis);
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", name, cut.size);
  }
  if (text.empty()) text = "whole";
  return fmt::format("{}: {} B, compute {}, load {}, store {}", text, tiling.need_bytes, tiling.compute_cycles,
                     tiling.load_cycles, tiling.store_cycles);
}

}  // namespace vernier::schedule
