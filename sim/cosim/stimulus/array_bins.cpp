// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/array_bins.hpp"

#include "hw/sequence/mac_order.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"

#include <algorithm>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::Datapath;
using spec::MacCommand;
using spec::MacMode;

constexpr std::array kWeightTypes{ElementType::Int4, ElementType::Int8, ElementType::Int16};

/// An axis of two places: a flag of the command.
ArrayBinAxis flag(std::string name, bool MacCommand::*member) {
  return {{"", std::move(name)},
          [member](const MacCommand& m, const Datapath&) { return m.*member ? size_t{1} : size_t{0}; },
          [member](MacCommand& m, size_t place, const Datapath&) { m.*member = place != 0; }};
}

ArrayBinAxis orders() {
  return {{"tiles", "lane major", "tap major"},
          [](const MacCommand& m, const Datapath&) { return static_cast<size_t>(m.weight_order); },
          [](MacCommand& m, size_t place, const Datapath&) { m.weight_order = kArrayOrders[place]; }};
}

ArrayBinAxis output_types() {
  ArrayBinAxis axis;
  for (const ElementType type : kArrayOutTypes) axis.names.push_back("to " + std::string(base::to_string(type)));
  axis.of = [](const MacCommand& m, const Datapath&) {
    return static_cast<size_t>(std::ranges::find(kArrayOutTypes, m.output.type) - kArrayOutTypes.begin());
  };
  axis.put = [](MacCommand& m, size_t place, const Datapath&) { m.output.type = kArrayOutTypes[place]; };
  return axis;
}

ArrayBinAxis roundings() {
  return {{"single", "double", "inexact", "half_even"},
          [](const MacCommand& m, const Datapath&) { return m.rescale ? static_cast<size_t>(m.rounding) : 0; },
          [](MacCommand& m, size_t place, const Datapath&) { m.rounding = static_cast<spec::Rounding>(place); }};
}

ArrayBinAxis activation_types() {
  return {{"int8 activations", "int16 activations"},
          [](const MacCommand& m, const Datapath&) { return m.input.type == ElementType::Int16 ? size_t{1} : size_t{0}; },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.input.type = place == 0 ? ElementType::Int8 : ElementType::Int16;
          }};
}

ArrayBinAxis weight_types() {
  return {{"int4 weights", "int8 weights", "int16 weights"},
          [](const MacCommand& m, const Datapath&) {
            return static_cast<size_t>(std::ranges::find(kWeightTypes, m.weight_type) - kWeightTypes.begin());
          },
          [](MacCommand& m, size_t place, const Datapath&) { m.weight_type = kWeightTypes[place]; }};
}

ArrayBinAxis ends() {
  return {{"raw", "rescaled", "table", "residual", "table + residual"},
          [](const MacCommand& m, const Datapath&) {
            return m.rescale ? 1 + (m.table ? size_t{1} : 0) + (m.residual ? size_t{2} : 0) : 0;
          },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.rescale = place > 0;
            m.table = place == 2 || place == 4;
            m.residual = place > 2;
            m.output.type = m.rescale ? ElementType::Int8 : ElementType::Int32;
          }};
}

ArrayBinAxis splits() {
  return {{"1 pixel a row", "2 pixels a row", "4 pixels a row"},
          [](const MacCommand& m, const Datapath&) { return static_cast<size_t>(m.lane_split_log2); },
          [](MacCommand& m, size_t place, const Datapath&) { m.lane_split_log2 = static_cast<int64_t>(place); }};
}

/// After the axis of pixels.
ArrayBinAxis last_groups() {
  return {{"", "the last group filled up"},
          [](const MacCommand& m, const Datapath&) {
            return m.out_columns % (int64_t{1} << m.lane_split_log2) != 0 ? size_t{1} : size_t{0};
          },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.out_columns = (int64_t{1} << m.lane_split_log2) + static_cast<int64_t>(place);
          }};
}

/// MacMode; a convolution of a single position is a fully connected layer.
ArrayBinAxis mappings() {
  return {{"convolution", "depthwise", "fully connected"},
          [](const MacCommand& m, const Datapath&) -> size_t {
            if (m.mode == MacMode::Depthwise) return 1;
            const bool is_position = m.in_rows == 1 && m.in_columns == 1 && m.out_rows == 1 && m.out_columns == 1 &&
                                     m.kernel_rows == 1 && m.kernel_columns == 1;
            return is_position ? 2 : 0;
          },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.mode = place == 1 ? MacMode::Depthwise : MacMode::Conv;
            if (place == 2) m.out_rows = m.out_columns = 1;
          }};
}

ArrayBinAxis steps() {
  return {
      {"a single step", "several steps"},
      [](const MacCommand& m, const Datapath& d) { return sequence::MacOrder(m, d).num_steps > 1 ? size_t{1} : size_t{0}; },
      [](MacCommand& m, size_t place, const Datapath& d) { m.kernel_rows = place == 0 ? 1 : d.lanes + 1; }};
}

ArrayBinAxis dilations() {
  return {{"", "dilation along the line"},
          [](const MacCommand& m, const Datapath&) {
            return (m.slide_rows ? m.dilation_rows : m.dilation_columns) > 1 ? size_t{1} : size_t{0};
          },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.kernel_columns = 2;
            m.dilation_columns = 1 + static_cast<int64_t>(place);
          }};
}

ArrayBinAxis lines() {
  return {{"", "the last group filled up, lines to and fro"},
          [](const MacCommand& m, const Datapath&) {
            const bool is_filled_up = m.out_columns % (int64_t{1} << m.lane_split_log2) != 0;
            return is_filled_up && !m.slide_rows && m.out_rows > 1 ? size_t{1} : size_t{0};
          },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.lane_split_log2 = static_cast<int64_t>(place);
            m.out_columns = 3;
          }};
}

/// Before that of the last slice, and that of the parity.
ArrayBinAxis firsts() {
  return {{"not first", "first"},
          [](const MacCommand& m, const Datapath&) { return m.first ? size_t{1} : size_t{0}; },
          [](MacCommand& m, size_t place, const Datapath& d) {
            m.first = place != 0;
            m.in_channels = 3 * d.lanes;
            m.reduction_begin = m.first ? 0 : d.lanes;
          }};
}

ArrayBinAxis lasts() {
  return {{"not last", "last"},
          [](const MacCommand& m, const Datapath&) { return m.last ? size_t{1} : size_t{0}; },
          [](MacCommand& m, size_t place, const Datapath& d) {
            m.last = place != 0;
            m.reduction_end = m.last ? m.in_channels : m.reduction_begin + d.lanes;
          }};
}

ArrayBinAxis parities() {
  return {{"even row tiles", "odd row tiles"},
          [](const MacCommand& m, const Datapath& d) {
            const sequence::MacOrder order(m, d);
            return order.num_row_tiles * order.num_channel_tiles % 2 != 0 ? size_t{1} : size_t{0};
          },
          [](MacCommand& m, size_t place, const Datapath&) {
            m.out_rows = place == 0 ? 2 : 1;
            m.out_columns = 1;
            m.row_tile_rows = 1;
          }};
}

MacCommand plain_command() {
  MacCommand m;
  m.out_rows = m.out_columns = 2;
  m.row_tile_rows = spec::kAccumulatorRows;
  m.output.type = ElementType::Int32;
  m.clamp_max = 1;
  return m;
}

/// What follows from the fields that the axes put.
void complete(MacCommand& m, const Datapath& datapath) {
  const int64_t element_bytes = base::stored_bytes(m.input.type);
  m.in_rows = m.out_rows;
  m.in_columns = m.out_columns;
  m.input.block_pitch_bytes = datapath.lanes * element_bytes;
  m.input.pixel_pitch_bytes = m.in_channels * element_bytes;
  m.input.row_pitch_bytes = m.in_columns * m.input.pixel_pitch_bytes;
  const int64_t channels = m.mode == MacMode::Depthwise ? 1 : m.in_channels;
  if (m.reduction_end <= m.reduction_begin || channels == 1) m.reduction_end = m.kernel_rows * m.kernel_columns * channels;
  m.weight_pitch_bytes = 2 * std::max(m.reduction_end, m.out_channels);
  m.output_zero_point = m.output_is_unsigned && m.output.type == ElementType::Int16 ? 32768 : 0;
}

}  // namespace

bool ArrayBinFamily::is_counted(const MacCommand& command) const {
  return (!is_of_results || command.last) && (!is_of_depthwise || command.mode == MacMode::Depthwise);
}

size_t ArrayBinFamily::number_of(const MacCommand& command, const Datapath& datapath) const {
  size_t number = 0;
  for (const ArrayBinAxis& axis : axes) number = number * axis.names.size() + axis.of(command, datapath);
  return number;
}

std::string ArrayBinFamily::name_of(size_t number) const {
  std::string name = is_of_depthwise ? "depthwise" : "";
  size_t bins = 1;
  for (const ArrayBinAxis& axis : axes) bins *= axis.names.size();
  for (const ArrayBinAxis& axis : axes) {
    bins /= axis.names.size();
    const std::string& place = axis.names[number / bins % axis.names.size()];
    if (!name.empty() && !place.empty()) name += ", ";
    name += place;
  }
  return name;
}

MacCommand ArrayBinFamily::example(size_t number, const Datapath& datapath) const {
  MacCommand m = plain_command();
  if (is_of_depthwise) m.mode = MacMode::Depthwise;
  size_t bins = 1;
  for (const ArrayBinAxis& axis : axes) bins *= axis.names.size();
  for (const ArrayBinAxis& axis : axes) {
    bins /= axis.names.size();
    axis.put(m, number / bins % axis.names.size(), datapath);
  }
  complete(m, datapath);
  return m;
}

std::vector<ArrayBinFamily> array_bin_families() {
  const auto of_results = [](std::vector<ArrayBinAxis> axes) { return ArrayBinFamily{std::move(axes), true, false}; };
  const auto of_depthwise = [](std::vector<ArrayBinAxis> axes) { return ArrayBinFamily{std::move(axes), false, true}; };
  std::vector<ArrayBinFamily> families;
  families.push_back(
      of_results({orders(), flag("unsigned input", &MacCommand::input_is_unsigned), flag("rescale", &MacCommand::rescale),
                  flag("table", &MacCommand::table), flag("32-bit multipliers", &MacCommand::scale32),
                  flag("accumulators of 48 bits", &MacCommand::accumulator_is_48),
                  flag("unsigned output", &MacCommand::output_is_unsigned), flag("residual", &MacCommand::residual),
                  output_types(), roundings()}));
  families.push_back(of_results({orders(), activation_types(), weight_types(), ends()}));
  families.push_back(of_results({ends(), splits(), last_groups()}));
  families.push_back({{mappings(), splits(), activation_types(), weight_types(), orders()}});
  families.push_back(
      of_depthwise({activation_types(), weight_types(), splits(), flag("along rows", &MacCommand::slide_rows)}));
  families.push_back(of_depthwise({steps()}));
  families.push_back(of_depthwise({dilations()}));
  families.push_back(of_depthwise({lines()}));
  families.push_back({{ends()}, true, true});
  families.push_back({{firsts(), lasts(), parities()}});
  return families;
}

}  // namespace vernier::cosim
