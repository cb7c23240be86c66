// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::schedule {
namespace {

using passes::AddressField;

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

/// Cycles of the copies that a tiling makes at a level.
PartCosts::CopyCycles copies_at(PartCosts& parts, const Tiling& tiling, size_t level, PartCosts::Part& part) {
  PartCosts::CopyCycles sum;
  for (size_t i = 0; i < tiling.level.size(); ++i) {
    if (tiling.level[i] != static_cast<int32_t>(level)) continue;
    const PartCosts::CopyCycles cycles = parts.copy_cycles(part, i);
    sum.load += cycles.load;
    sum.store += cycles.store;
  }
  return sum;
}

using Nest = std::vector<PartCosts::Part*>;
using CostByEnds = std::array<int64_t, kNumEnds>;

/// Fills in what a tiling takes, all but cost_cycles, which it returns.
CostByEnds add_cycles(PartCosts& parts, Tiling& tiling, const Nest& nest) {
  const size_t levels = tiling.cuts.size();
  constexpr size_t kMostLevels = kNumAxes + 1;
  std::array<double, kMostLevels> entered{1.0};  // how often a level is entered, smaller parts at the edge as fractions
  std::array<PartCosts::CopyCycles, kMostLevels> at;
  int64_t entries = 1;
  tiling.num_commands = tiling.load_cycles = tiling.store_cycles = 0;
  for (size_t l = 0; l <= levels; ++l) {
    if (l > 0) {
      const Cut& cut = tiling.cuts[l - 1];
      const int64_t extent = nest[l - 1]->extent(cut.axis);
      entered[l] = entered[l - 1] * static_cast<double>(extent) / static_cast<double>(cut.size);
      entries *= base::ceil_div(extent, cut.size);
    }
    tiling.num_commands += entries * std::count(tiling.level.begin(), tiling.level.end(), static_cast<int32_t>(l));
    at[l] = copies_at(parts, tiling, l, *nest[l]);
  }
  const auto times = [](double n, int64_t cycles) { return static_cast<int64_t>(n * static_cast<double>(cycles)); };
  const int64_t leaf_cycles = parts.compute_cycles(*nest[levels]);
  tiling.compute_cycles = times(entered[levels], leaf_cycles);
  tiling.num_commands += entries;
  int64_t exposed = 0, hidden_loads = 0, hidden_stores = 0, head = 0, tail = 0;
  for (size_t l = 0; l <= levels; ++l) {
    const int64_t loads = times(entered[l], at[l].load), stores = times(entered[l], at[l].store);
    tiling.load_cycles += loads;
    tiling.store_cycles += stores;
    if (l > 0 && static_cast<int32_t>(l) < tiling.doubled_from) {
      exposed += loads + stores;
    } else {
      hidden_loads += loads;
      hidden_stores += stores;
    }
    head += at[l].load;
    tail += at[l].store;
  }
  const bool is_shared = !parts.config().external.is_full_duplex;
  const int64_t memory = is_shared ? hidden_loads + hidden_stores : std::max(hidden_loads, hidden_stores);
  const int64_t whole = std::max(tiling.compute_cycles, memory) + exposed;
  // The first load and the last store overlap with the neighbours in part; what waits for the last load computes alone.
  const int64_t alone = memory > tiling.compute_cycles ? leaf_cycles : 0;
  const int64_t ends = (std::min(head, hidden_loads) + std::min(tail, hidden_stores) + alone) / 4;
  // The loads of the last step go ahead of their use as far as the queue holds them; one part is computed after all loads.
  const auto ahead = static_cast<double>(std::max<int64_t>(1, parts.config().queue_depth - 2));
  const double late = 1.0 - std::min(1.0, ahead / entered[levels]);
  const int64_t last = std::max(tiling.compute_cycles, times(late, memory)) + exposed + leaf_cycles;
  // Less traffic is better where time is equal.
  const int64_t traffic = (tiling.load_cycles + tiling.store_cycles) / 16;
  static_assert(static_cast<size_t>(Ends::Exposed) == 0 && static_cast<size_t>(Ends::Last) + 1 == kNumEnds);
  return {whole + ends + traffic, whole + traffic, last + traffic};
}

class Search {
 public:
  Search(PartCosts& parts, OperandSet outside, int64_t budget_bytes)
      : parts_(parts), step_(parts.step()), config_(parts.config()), outside_(outside), budget_(budget_bytes) {
    for (size_t i = 0; i < step_.operands.size(); ++i) {
      copies_maps_ = copies_maps_ || (outside.has(i) && is_map(step_.operands[i]));
      uint32_t axes = 0;
      for (Axis axis = 0; axis < kNumAxes; ++axis) axes |= uint32_t{depends_on(step_, step_.operands[i], axis)} << axis;
      depends_on_.push_back(axes);
    }
  }

  /// Every tiling that fits goes there too, with its cost of those ends.
  void tell(std::vector<Tiling>& tried, Ends ends) {
    tried_ = &tried;
    tried_ends_ = static_cast<size_t>(ends);
  }

  /// The best for each kind of ends: all of them are looked at on the same way.
  const std::array<Tiling, kNumEnds>& run() {
    if (outside_.is_empty()) {
      try_all({});
    } else if (std::holds_alternative<spec::MacCommand>(step_.command.body)) {
      search_mac();
    } else {
      search_loops({});
    }
    for (size_t e = 0; e < kNumEnds; ++e) {
      Tiling& best = best_[e];
      if (best.need_bytes > budget_)  // it may fit all the same: budgets are rounded
        best.cost_cycles = add_cycles(parts_, best, parts_.nest(best.cuts))[e];
    }
    return best_;
  }

  /// The budgets with which the search takes the same way to the same end: it asks nothing else of a budget.
  [[nodiscard]] const Budgets& budgets() const { return budgets_; }

 private:
  static bool is_map(const passes::Operand& operand) {
    return operand.field != AddressField::Weights && operand.field != AddressField::Parameters;
  }
  /// Whether so many bytes are within the budget. Remembers the nearest that are and that are not.
  bool is_affordable(int64_t bytes) {
    if (bytes > budget_) {
      budgets_.below = std::min(budgets_.below, bytes);
      return false;
    }
    budgets_.from = std::max(budgets_.from, bytes);
    return true;
  }
  [[nodiscard]] int64_t extent(Axis axis) const { return extent_of(step_, axis, config_.datapath); }
  [[nodiscard]] int64_t granule(Axis axis) const { return granule_of(step_, axis, config_.datapath); }

  void search_mac() {
    // Rows of maps that stay in SRAM gain nothing from being apart; stripes for overlap come later.
    std::vector<int64_t> rows{extent(kRows)};
    if (copies_maps_) rows = sizes_of(extent(kRows), 1);
    const std::vector<int64_t> columns = sizes_of(extent(kColumns), granule(kColumns));
    const std::vector<int64_t> channels = sizes_of(extent(kChannels), granule(kChannels));
    std::vector<Cut> cuts;
    for (const int64_t block : channels) {
      for (const bool channels_outside : {false, true}) {
        if (channels_outside && block == extent(kChannels)) continue;
        int64_t good = 0;
        for (const int64_t stripe : rows) {
          if (good >= 3) break;  // smaller ones re-read more
          const auto try_with = [&](int64_t stripe_columns) {
            cuts.clear();
            if (channels_outside) cuts.push_back({kChannels, block});
            cuts.push_back({kRows, stripe});
            cuts.push_back({kColumns, stripe_columns});
            if (!channels_outside) cuts.push_back({kChannels, block});
            if (try_all(cuts)) ++good;
          };
          try_with(extent(kColumns));
          if (stripe > 1 || !copies_maps_) continue;
          for (const int64_t part : columns) {
            if (good >= 3) break;
            if (part < extent(kColumns)) try_with(part);
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
      for (const int64_t columns : sizes_of(mac.out_columns, granule(kColumns))) {
        if (columns < mac.out_columns && stripe > 1) break;
        const std::vector<Cut> outer{{kRows, stripe}, {kColumns, columns}, {kChannels, tile}};
        const int64_t reduction = parts_.nest(outer).back()->extent(kReduction);
        if (reduction == 1) continue;
        int64_t good = 0;
        for (const int64_t slice : sizes_of(reduction, config_.datapath.lanes)) {
          if (slice == reduction || good >= 2) continue;
          std::vector<Cut> cuts = outer;
          cuts.push_back({kReduction, slice});
          if (try_all(cuts)) ++good;
        }
      }
    }
  }

  /// Loops and lanes: one axis after the other down to its least part, until the rest fits.
  void search_loops(const std::vector<Cut>& outer) {
    const PartCosts::Part& part = *parts_.nest(outer).back();
    if (outer.empty()) try_all({});
    for (Axis axis = 0; axis < kNumAxes; ++axis) {
      const int64_t whole = part.extent(axis);
      if (whole <= granule(axis)) continue;
      bool fits = false;
      int64_t good = 0;
      const std::vector<int64_t> sizes = sizes_of(whole, granule(axis));
      std::vector<Cut> cuts = outer;
      cuts.push_back({axis, 0});
      for (const int64_t size : sizes) {
        if (size == whole || good >= 4) continue;
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

  /// True when one of the ways to do these cuts fits.
  bool try_all(const std::vector<Cut>& cuts) {
    const Nest& nest = parts_.nest(cuts);
    const std::vector<Cut>& real = nest.back()->cuts;
    tiling_.cuts = real;
    level_.clear();
    for (size_t i = 0; i < step_.operands.size(); ++i) level_.push_back(outside_.has(i) ? level_of(real, i) : -1);
    tiling_.level = level_;
    bool fits = consider(tiling_, nest);
    if (!std::holds_alternative<spec::MacCommand>(step_.command.body)) return fits;
    // With channels inside of stripes: what several blocks of them write, stored together, in longer runs; and the input
    // kept for all of them, though slices of the reduction would do with less of it.
    const auto channels = std::find_if(real.begin(), real.end(), [](const Cut& cut) { return cut.axis == kChannels; });
    if (channels == real.end() || channels == real.begin()) return fits;
    const auto outside = static_cast<int32_t>(channels - real.begin());
    const bool has_slices = real.back().axis == kReduction;
    for (const uint32_t held : {1U, 2U, 3U}) {
      tiling_.level = level_;
      for (size_t i = 0; i < step_.operands.size(); ++i) {
        const AddressField field = step_.operands[i].field;
        const bool is_held = field == AddressField::Input ? has_slices && (held & 1U) != 0
                             : field == AddressField::Output || field == AddressField::Addend ? (held & 2U) != 0
                                                                                              : false;
        if (is_held && level_[i] > outside) tiling_.level[i] = outside;
      }
      if (tiling_.level != level_) fits = consider(tiling_, nest) || fits;
    }
    return fits;
  }

  [[nodiscard]] int32_t level_of(const std::vector<Cut>& cuts, size_t operand) const {
    for (size_t i = cuts.size(); i > 0; --i) {
      if ((depends_on_[operand] >> cuts[i - 1].axis & 1U) != 0) return static_cast<int32_t>(i);
    }
    return 0;
  }

  /// Bytes of the copies that a tiling makes at a level.
  [[nodiscard]] static int64_t bytes_at(const Tiling& tiling, size_t level, const PartCosts::Part& part) {
    int64_t bytes = 0;
    for (size_t i = 0; i < tiling.level.size(); ++i) {
      if (tiling.level[i] == static_cast<int32_t>(level)) bytes += part.bytes[i];
    }
    return bytes;
  }

  /// Fills in what a tiling needs and costs; keeps it when it is the best so far.
  bool consider(Tiling& tiling, const Nest& nest) {
    const size_t levels = tiling.cuts.size();
    int64_t need = 0;
    for (size_t l = 0; l <= levels; ++l) need += bytes_at(tiling, l, *nest[l]);
    tiling.doubled_from = static_cast<int32_t>(levels) + 1;
    if (!is_affordable(need)) {
      // Until one fits, the one that needs least stands for all ends.
      if (!has_best_ && (best_.front().need_bytes == 0 || need < best_.front().need_bytes)) {
        tiling.need_bytes = need;
        best_.fill(tiling);
      }
      return false;
    }
    for (size_t l = levels; l > 0; --l) {
      const int64_t bytes = bytes_at(tiling, l, *nest[l]);
      if (!is_affordable(need + bytes)) break;
      need += bytes;
      tiling.doubled_from = static_cast<int32_t>(l);
    }
    tiling.need_bytes = need;
    const CostByEnds costs = add_cycles(parts_, tiling, nest);
    for (size_t e = 0; e < kNumEnds; ++e) {
      tiling.cost_cycles = costs[e];
      if (tried_ != nullptr && e == tried_ends_) tried_->push_back(tiling);
      if (!has_best_ || tiling.cost_cycles < best_[e].cost_cycles) best_[e] = tiling;
    }
    has_best_ = true;
    return true;
  }

  PartCosts& parts_;
  const passes::Step& step_;
  const config::MachineConfig& config_;
  OperandSet outside_;
  int64_t budget_;
  std::vector<Tiling>* tried_ = nullptr;
  size_t tried_ends_ = 0;
  bool copies_maps_ = false;          // feature maps, not only constants of the MAC array
  std::vector<uint32_t> depends_on_;  // by operand: the axes along which its parts touch other bytes
  Tiling tiling_;                     // at hand, and the levels of its cuts: kept, for there are many
  std::vector<int32_t> level_;
  Budgets budgets_;
  std::array<Tiling, kNumEnds> best_;  // by Ends
  bool has_best_ = false;              // that fit
  std::vector<uint32_t> prefixes_;
};

constexpr std::array<const char*, 4> kMacAxes{"rows", "columns", "channels", "reduction"};

}  // namespace

const Tiling& StepTilings::choose(OperandSet outside, int64_t budget_bytes, Ends ends) {
  std::map<int64_t, Chosen>& chosen = chosen_[outside];
  const auto above = chosen.upper_bound(budget_bytes);
  if (above != chosen.begin()) {
    const Chosen& known = std::prev(above)->second;
    if (budget_bytes < known.budgets.below) return known.by_ends[static_cast<size_t>(ends)];
  }
  Search search(parts_, outside, budget_bytes);
  const std::array<Tiling, kNumEnds>& best = search.run();
  const auto added = chosen.try_emplace(search.budgets().from, Chosen{search.budgets(), best}).first;
  return added->second.by_ends[static_cast<size_t>(ends)];
}

std::vector<Tiling> StepTilings::tried(OperandSet outside, int64_t budget_bytes, Ends ends) {
  std::vector<Tiling> tried;
  Search search(parts_, outside, budget_bytes);
  search.tell(tried, ends);
  search.run();
  return tried;
}

int64_t StepTilings::exposed_and_hidden_cycles(const Tiling& tiling) {
  const auto [cost, is_new] = costs_.try_emplace(&tiling, 0);
  if (is_new) {
    Tiling priced = tiling;
    const CostByEnds costs = add_cycles(parts_, priced, parts_.nest(tiling.cuts));
    cost->second = costs[static_cast<size_t>(Ends::Exposed)] + costs[static_cast<size_t>(Ends::Hidden)];
  }
  return cost->second;
}

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
