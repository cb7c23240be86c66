// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/array_coverage.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

using spec::MacCommand;
using spec::WeightOrder;

constexpr std::array<std::string_view, 3> kOrderNames{"tiles", "lane major", "tap major"};
constexpr std::array<std::string_view, 4> kRoundings{"single", "double", "inexact", "half_even"};
constexpr std::array<std::string_view, 5> kEnds{"raw", "rescaled", "table", "residual", "table + residual"};
constexpr std::array<std::string_view, 3> kMappings{"convolution", "depthwise", "fully connected"};
constexpr size_t kNumClassPairs = kOperandClasses.size() * kOperandClasses.size();
constexpr size_t kNumEnds = kEnds.size();
constexpr size_t kNumSplits = spec::kMaxLaneSplitLog2 + 1;
constexpr std::array<std::string_view, kNumSplits> kSplitNames{"", ", 2 pixels a row", ", 4 pixels a row"};

size_t end_of(const MacCommand& command) {
  return !command.rescale ? 0 : 1 + (command.table ? 1U : 0U) + (command.residual ? 2U : 0U);
}
size_t types_of(const MacCommand& m) {
  const auto is_types = [&m](const ArrayOperandTypes& t) {
    return t.activations == m.input.type && t.weights == m.weight_type;
  };
  return static_cast<size_t>(std::ranges::find_if(kArrayOperandTypes, is_types) - kArrayOperandTypes.begin());
}
size_t mapping_of(const MacCommand& m) {
  if (m.mode == spec::MacMode::Depthwise) return 1;
  return m.in_rows * m.in_columns * m.out_rows * m.out_columns * m.kernel_rows * m.kernel_columns == 1 ? 2 : 0;
}
size_t order_of(const MacCommand& command) { return static_cast<size_t>(command.weight_order); }
size_t split_of(const MacCommand& command) { return static_cast<size_t>(command.lane_split_log2); }

}  // namespace

ArrayCoverage::ArrayCoverage(const spec::Datapath& datapath) : datapath_(datapath), families_(array_bin_families()) {
  for (const ArrayBinFamily& family : families_) {
    first_bins_.push_back(bins_.size());
    size_t num_bins = 1;
    for (const ArrayBinAxis& axis : family.axes) num_bins *= axis.names.size();
    for (size_t number = 0; number < num_bins; ++number) {
      const MacCommand example = family.example(number, datapath);
      const bool is_possible = family.is_counted(example) && family.number_of(example, datapath) == number;
      bins_.push_back({family.name_of(number), is_possible && is_legal(example, datapath_), false});
    }
  }
  first_operand_bin_ = bins_.size();
  for (const std::string_view mapping : kMappings) {
    for (const ArrayOperandTypes& types : kArrayOperandTypes) {
      // Weights of a depthwise command have at most 8 bits.
      const bool is_legal = mapping != kMappings[1] || types.weights != base::ElementType::Int16;
      for (const std::string_view activations : kOperandClasses) {
        for (const std::string_view weights : kOperandClasses)
          bins_.push_back({fmt::format("{}, {}, {} activations, {} weights", mapping, types.name, activations, weights),
                           is_legal, false});
      }
    }
  }
}

void ArrayCoverage::count_drawn(const DrawnWork& drawn) {
  const size_t classes = static_cast<size_t>(drawn.first) * kOperandClasses.size() + static_cast<size_t>(drawn.second);
  const size_t operation = mapping_of(drawn.work.mac()) * kArrayOperandTypes.size() + types_of(drawn.work.mac());
  bins_[first_operand_bin_ + operation * kNumClassPairs + classes].is_hit = true;
}

void ArrayCoverage::count(const MacCommand& command) {
  for (size_t i = 0; i < families_.size(); ++i) {
    if (!families_[i].is_counted(command)) continue;
    Bin& bin = bins_[first_bins_[i] + families_[i].number_of(command, datapath_)];
    VERNIER_CHECK(bin.is_legal, "a command of '{}' ran, but the example of that bin is not legal", bin.name);
    bin.is_hit = true;
  }
}

std::span<const ArrayCoverage::Bin> ArrayCoverage::bins() const {
  return std::span(bins_).first(counts_operands_ ? bins_.size() : first_operand_bin_);
}

int64_t ArrayCoverage::num_legal() const { return std::ranges::count(bins(), true, &Bin::is_legal); }
int64_t ArrayCoverage::num_hit() const { return std::ranges::count(bins(), true, &Bin::is_hit); }

std::vector<std::string> ArrayCoverage::missing() const {
  std::vector<std::string> names;
  for (const Bin& bin : bins()) {
    if (bin.is_legal && !bin.is_hit) names.push_back(bin.name);
  }
  return names;
}

MacCommand ArrayCoverage::example(size_t bin) const {
  size_t family = families_.size() - 1;
  while (first_bins_[family] > bin) --family;
  return families_[family].example(bin - first_bins_[family], datapath_);
}

std::optional<DrawnWork> ArrayCoverage::draw_missing(Random& random) const {
  std::vector<size_t> missing;
  for (size_t i = 0; i < bins().size(); ++i) {
    if (bins_[i].is_legal && !bins_[i].is_hit) missing.push_back(i);
  }
  if (missing.empty()) return {};
  const size_t bin = missing[static_cast<size_t>(random.within(0, std::ssize(missing) - 1))];
  if (bin >= first_operand_bin_) {
    const size_t number = bin - first_operand_bin_, operation = number / kNumClassPairs, pair = number % kNumClassPairs;
    return draw_operands_of(operation / kArrayOperandTypes.size(), operation % kArrayOperandTypes.size(),
                            static_cast<OperandClass>(pair / kOperandClasses.size()),
                            static_cast<OperandClass>(pair % kOperandClasses.size()), datapath_, random);
  }
  // A slice goes on from another command.
  const MacCommand like = example(bin);
  if (!like.first || !like.last) return {};
  return draw_like(like, draw_operand_class(random), draw_operand_class(random), datapath_, random);
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
                  order_name(m.weight_order), kSplitNames[split_of(m)], kArrayOperandTypes[types_of(m)].name,
                  m.input_is_unsigned ? "unsigned" : "signed", m.accumulator_is_48 ? 48 : 32);
  if (m.rescale) {
    text += fmt::format(", {} {} bits, to {}{}", kRoundings[static_cast<size_t>(m.rounding)], m.scale32 ? 32 : 16,
                        m.output_is_unsigned ? "u" : "", base::to_string(m.output.type));
  }
  return text + (m.table ? ", table" : "") + (m.residual ? ", residual" : "");
}

}  // namespace vernier::cosim
