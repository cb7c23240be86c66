// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/array_coverage.hpp"

#include "hw/sequence/mac_order.hpp"
#include "sim/cosim/array_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::MacCommand;
using spec::Rounding;
using spec::WeightOrder;

constexpr std::array<std::string_view, 3> kOrderNames{"tiles", "lane major", "tap major"};
constexpr std::array<std::string_view, 4> kRoundings{"single", "double", "inexact", "half_even"};
constexpr std::array<std::string_view, 5> kEnds{"raw", "rescaled", "table", "residual", "table + residual"};
constexpr int kNumFlags = 7;  // of a bin
/// Activations by weights.
constexpr std::array<std::string_view, 3> kTypeNames{"int8 x int8", "int16 x int8", "int16 x int16"};
constexpr size_t kNumTypes = kTypeNames.size(), kNumEnds = kEnds.size();
constexpr size_t kNumSplits = spec::kMaxLaneSplitLog2 + 1;
constexpr std::array<std::string_view, kNumSplits> kSplitNames{"", ", 2 pixels a row", ", 4 pixels a row"};
/// Depthwise commands go along columns or rows; what else their windows can have.
constexpr std::array<std::string_view, 2> kSlideNames{"", ", along rows"};
constexpr std::array<std::string_view, 3> kWindowNames{"several steps", "dilation along the line",
                                                       "the last group filled up, lines to and fro"};

size_t end_of(const MacCommand& command) {
  return !command.rescale ? 0 : 1 + (command.table ? 1U : 0U) + (command.residual ? 2U : 0U);
}
size_t types_of(const MacCommand& m) {
  return m.input.type == ElementType::Int8 ? 0 : m.weight_type == ElementType::Int8 ? 1 : 2;
}
/// Bits of the number of a bin.
unsigned flags_of(const MacCommand& m) {
  return (m.input_is_unsigned ? 1U : 0U) | (m.rescale ? 2U : 0U) | (m.table ? 4U : 0U) | (m.scale32 ? 8U : 0U) |
         (m.accumulator_is_48 ? 16U : 0U) | (m.output_is_unsigned ? 32U : 0U) | (m.residual ? 64U : 0U);
}
size_t order_of(const MacCommand& command) { return static_cast<size_t>(command.weight_order); }
size_t split_of(const MacCommand& command) { return static_cast<size_t>(command.lane_split_log2); }

}  // namespace

ArrayCoverage::ArrayCoverage(const spec::Datapath& datapath) : datapath_(datapath) {
  // Every bin with its name; a small command in it says whether it is legal.
  MacCommand m;
  m.input.block_pitch_bytes = m.input.pixel_pitch_bytes = m.input.row_pitch_bytes = datapath.lanes;
  m.weight_pitch_bytes = datapath.lanes;
  m.clamp_max = 1;
  for (size_t order = 0; order < kArrayOrders.size(); ++order) {
    for (unsigned flags = 0; flags < 1U << kNumFlags; ++flags) {
      for (size_t type = 0; type < kArrayOutTypes.size(); ++type) {
        for (size_t rounding = 0; rounding < kRoundings.size(); ++rounding) {
          m.weight_order = kArrayOrders[order];
          m.input_is_unsigned = (flags & 1) != 0;
          m.rescale = (flags & 2) != 0;
          m.table = (flags & 4) != 0;
          m.scale32 = (flags & 8) != 0;
          m.accumulator_is_48 = (flags & 16) != 0;
          m.output_is_unsigned = (flags & 32) != 0;
          m.residual = (flags & 64) != 0;
          m.output.type = kArrayOutTypes[type];
          m.rounding = static_cast<Rounding>(rounding);
          m.output_zero_point = m.output_is_unsigned && m.output.type == ElementType::Int16 ? 32768 : 0;
          const bool is_used = m.rescale || rounding == 0;
          bins_.push_back({describe(m), is_used && is_legal(m, datapath), false});
        }
      }
    }
  }
  first_type_bin_ = bins_.size();
  for (const std::string_view order : kOrderNames) {
    for (const std::string_view types : kTypeNames) {
      for (const std::string_view end : kEnds) bins_.push_back({fmt::format("{}, {}, {}", order, types, end), true, false});
    }
  }
  first_split_bin_ = bins_.size();
  for (size_t split = 0; split < kNumSplits; ++split) {
    for (const std::string_view order : kOrderNames) {
      for (const std::string_view types : kTypeNames) {
        bins_.push_back({fmt::format("{}, {}{}", order, types, kSplitNames[split]), true, false});
      }
    }
  }
  first_group_bin_ = bins_.size();
  for (size_t split = 0; split < kNumSplits; ++split) {
    for (const std::string_view end : kEnds) {
      bins_.push_back({fmt::format("{}{}", end, kSplitNames[split]), true, false});
      bins_.push_back({fmt::format("{}{}, the last group filled up", end, kSplitNames[split]), split > 0, false});
    }
  }
  first_window_bin_ = bins_.size();
  for (size_t split = 0; split < kNumSplits; ++split) {
    for (const std::string_view slide : kSlideNames) {
      for (size_t types = 0; types < kNumTypes; ++types) {
        bins_.push_back({fmt::format("depthwise, {}{}{}", kTypeNames[types], kSplitNames[split], slide), types < 2, false});
      }
    }
  }
  for (const std::string_view what : kWindowNames) bins_.push_back({fmt::format("depthwise, {}", what), true, false});
  for (const std::string_view order : kOrderNames) bins_.push_back({fmt::format("depthwise, {}", order), true, false});
  for (const std::string_view end : kEnds) bins_.push_back({fmt::format("depthwise, {}", end), true, false});
  first_tile_bin_ = bins_.size();
  for (int bin = 0; bin < 8; ++bin) {
    const bool first = (bin & 1) != 0, last = (bin & 2) != 0, odd = (bin & 4) != 0;
    // A slice that is not all of the reduction has one row tile.
    const bool is_possible = odd || (first && last);
    bins_.push_back(
        {fmt::format("{}first, {}last, {} row tiles", first ? "" : "not ", last ? "" : "not ", odd ? "odd" : "even"),
         is_possible, false});
  }
}

size_t ArrayCoverage::type_bin(const MacCommand& m) const {
  return first_type_bin_ + (order_of(m) * kNumTypes + types_of(m)) * kNumEnds + end_of(m);
}

size_t ArrayCoverage::split_bin(const MacCommand& m) const {
  return first_split_bin_ + (split_of(m) * kArrayOrders.size() + order_of(m)) * kNumTypes + types_of(m);
}

size_t ArrayCoverage::group_bin(const MacCommand& m) const {
  const bool is_filled_up = m.out_columns % (int64_t{1} << m.lane_split_log2) != 0;
  return first_group_bin_ + 2 * (split_of(m) * kNumEnds + end_of(m)) + (is_filled_up ? 1U : 0U);
}

void ArrayCoverage::count_windows(const MacCommand& m) {
  const sequence::MacOrder order(m, datapath_);
  const size_t slide = m.slide_rows ? 1 : 0;
  bins_[first_window_bin_ + (split_of(m) * kSlideNames.size() + slide) * kNumTypes + types_of(m)].is_hit = true;
  const size_t others = first_window_bin_ + kNumSplits * kSlideNames.size() * kNumTypes;
  const bool is_filled_up = m.out_columns % order.pixels != 0;
  const std::array<bool, kWindowNames.size()> has{order.num_steps > 1,
                                                  (m.slide_rows ? m.dilation_rows : m.dilation_columns) > 1,
                                                  is_filled_up && !m.slide_rows && m.out_rows > 1};
  for (size_t i = 0; i < has.size(); ++i) bins_[others + i].is_hit |= has[i];
  bins_[others + has.size() + order_of(m)].is_hit = true;
  if (m.last) bins_[others + has.size() + kArrayOrders.size() + end_of(m)].is_hit = true;
}

size_t ArrayCoverage::operand_bin(const MacCommand& m) const {
  const auto type = static_cast<size_t>(std::ranges::find(kArrayOutTypes, m.output.type) - kArrayOutTypes.begin());
  const size_t rounding = m.rescale ? static_cast<size_t>(m.rounding) : 0;
  return (((order_of(m) << kNumFlags) + flags_of(m)) * kArrayOutTypes.size() + type) * kRoundings.size() + rounding;
}

size_t ArrayCoverage::tile_bin(const MacCommand& m) const {
  const sequence::MacOrder order(m, datapath_);
  const size_t tiles = static_cast<size_t>(order.num_row_tiles * order.num_channel_tiles);
  return first_tile_bin_ + ((m.first ? 1U : 0U) | (m.last ? 2U : 0U) | (tiles % 2 != 0 ? 4U : 0U));
}

void ArrayCoverage::count(const MacCommand& command) {
  if (command.last) bins_[operand_bin(command)].is_hit = true;
  bins_[tile_bin(command)].is_hit = true;
  if (command.last) bins_[type_bin(command)].is_hit = true;
  bins_[split_bin(command)].is_hit = true;
  if (command.last) bins_[group_bin(command)].is_hit = true;
  if (command.mode == spec::MacMode::Depthwise) count_windows(command);
}

int64_t ArrayCoverage::num_legal() const { return std::ranges::count(bins_, true, &Bin::is_legal); }
int64_t ArrayCoverage::num_hit() const {
  return std::ranges::count_if(bins_, [](const Bin& bin) { return bin.is_legal && bin.is_hit; });
}
std::vector<std::string> ArrayCoverage::missing() const {
  std::vector<std::string> names;
  for (const Bin& bin : bins_) {
    if (bin.is_legal && !bin.is_hit) names.push_back(bin.name);
  }
  return names;
}

std::string_view order_name(WeightOrder order) { return kOrderNames[static_cast<size_t>(order)]; }

int group_of(const MacCommand& command) {
  const size_t mode = command.mode == spec::MacMode::Depthwise ? 1 : 0;
  return static_cast<int>(((mode * kNumSplits + split_of(command)) * kArrayOrders.size() + order_of(command)) * kNumEnds +
                          end_of(command));
}

std::vector<std::string> array_groups() {
  std::vector<std::string> names;
  for (const std::string_view mode : {"", "depthwise, "}) {
    for (const std::string_view split : kSplitNames) {
      for (const std::string_view order : kOrderNames) {
        for (const std::string_view end : kEnds) names.push_back(fmt::format("{}{}{}, {}", mode, order, split, end));
      }
    }
  }
  return names;
}

std::string describe(const MacCommand& m) {
  std::string text =
      fmt::format("{}{}{}, {}, {} input, accumulators of {} bits", m.mode == spec::MacMode::Depthwise ? "depthwise, " : "",
                  order_name(m.weight_order), kSplitNames[split_of(m)], kTypeNames[types_of(m)],
                  m.input_is_unsigned ? "unsigned" : "signed", m.accumulator_is_48 ? 48 : 32);
  if (m.rescale) {
    text += fmt::format(", {} {} bits, to {}{}", kRoundings[static_cast<size_t>(m.rounding)], m.scale32 ? 32 : 16,
                        m.output_is_unsigned ? "u" : "", base::to_string(m.output.type));
  }
  return text + (m.table ? ", table" : "") + (m.residual ? ", residual" : "");
}

}  // namespace vernier::cosim
