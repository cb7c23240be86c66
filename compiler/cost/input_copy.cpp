// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/input_copy.hpp"

#include "compiler/cost/mac_cut.hpp"
#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::cost {
namespace {

using base::ceil_div;
using spec::DmaCommand;
using spec::MacCommand;

/// Rows of the input before the first one that no output row before `out_row` reads.
int64_t input_rows_before(const MacCommand& command, int64_t out_row) {
  const int64_t end =
      command.origin_row + (out_row - 1) * command.stride_rows + (command.kernel_rows - 1) * command.dilation_rows + 1;
  return std::clamp<int64_t>(end, 0, command.in_rows);
}

/// A copy of rows [row, end) and of `channels` from `channel` on.
DmaCommand pixels_copy(const MacCommand& command, const InputCopy& copy, int64_t row, int64_t end, int64_t channel,
                       int64_t channels) {
  const spec::FeatureMap &from = command.input, &to = copy.command.input;
  const int64_t element = base::stored_bytes(from.type);
  DmaCommand dma;
  dma.counts = {1, 1, 1, end - row, command.in_columns};
  dma.run_bytes = channels * element;
  dma.src.strides_bytes = {0, 0, 0, from.row_pitch_bytes, from.pixel_pitch_bytes};
  dma.dst.strides_bytes = {0, 0, 0, to.row_pitch_bytes, to.pixel_pitch_bytes};
  if (from.pixel_pitch_bytes == to.pixel_pitch_bytes && from.pixel_pitch_bytes == dma.run_bytes) {
    dma.run_bytes *= command.in_columns;
    dma.counts.back() = 1;
  }
  dma.src.base.offset = static_cast<uint64_t>(from.base + row * from.row_pitch_bytes + channel * element);
  dma.dst.base.offset = static_cast<uint64_t>(row * to.row_pitch_bytes + channel * element);
  return dma;
}

/// The taps of a kernel row that lie in the map, [begin, end), for an output column.
std::pair<int64_t, int64_t> taps_inside(const MacCommand& command, int64_t column) {
  const int64_t origin = command.origin_column + column * command.stride_columns;
  const int64_t begin = std::clamp<int64_t>(ceil_div(-origin, command.dilation_columns), 0, command.kernel_columns);
  const int64_t end =
      std::clamp<int64_t>(ceil_div(command.in_columns - origin, command.dilation_columns), begin, command.kernel_columns);
  return {begin, end};
}

/// The taps [taps.first, taps.second) of `count` output columns, in all rows of the map.
DmaCommand taps_copy(const MacCommand& command, const InputCopy& copy, int64_t column, int64_t count,
                     std::pair<int64_t, int64_t> taps) {
  const spec::FeatureMap &from = command.input, &to = copy.command.input;
  const int64_t pixel_bytes = command.in_channels * base::stored_bytes(from.type);
  const int64_t tap_pitch = command.dilation_columns * from.pixel_pitch_bytes;
  DmaCommand dma;
  dma.counts = {1, 1, count, command.in_rows, taps.second - taps.first};
  dma.run_bytes = pixel_bytes;
  dma.src.strides_bytes = {0, 0, command.stride_columns * from.pixel_pitch_bytes, from.row_pitch_bytes, tap_pitch};
  dma.dst.strides_bytes = {0, 0, to.pixel_pitch_bytes, to.row_pitch_bytes, pixel_bytes};
  if (tap_pitch == pixel_bytes) dma.run_bytes *= std::exchange(dma.counts.back(), 1);
  const int64_t first = command.origin_column + column * command.stride_columns + taps.first * command.dilation_columns;
  dma.src.base.offset = static_cast<uint64_t>(from.base + first * from.pixel_pitch_bytes);
  dma.dst.base.offset = static_cast<uint64_t>(column * to.pixel_pitch_bytes + taps.first * pixel_bytes);
  return dma;
}

/// Padding where an output column's taps lie outside of the map.
DmaCommand column_fill(const MacCommand& command, const InputCopy& copy, int64_t column, int64_t count) {
  DmaCommand dma;
  dma.kind = spec::DmaKind::Fill;
  dma.fill_value = command.input_zero_point;
  dma.fill_bytes = base::stored_bytes(command.input.type);
  dma.run_bytes = count * copy.command.input.pixel_pitch_bytes;
  dma.dst.base.offset = static_cast<uint64_t>(column * copy.command.input.pixel_pitch_bytes);
  return dma;
}

std::vector<DmaCommand> columns_copies(const MacCommand& command, const InputCopy& copy, const CopyPart& part) {
  std::vector<DmaCommand> copies;
  const int64_t end = part.begin + part.count;
  for (int64_t column = part.begin; column < end;) {
    const auto taps = taps_inside(command, column);
    int64_t count = 1;
    while (column + count < end && taps_inside(command, column + count) == taps) ++count;
    if (taps.second - taps.first < command.kernel_columns) copies.push_back(column_fill(command, copy, column, count));
    if (taps.second > taps.first) copies.push_back(taps_copy(command, copy, column, count, taps));
    column += count;
  }
  return copies;
}

/// The command on the copy: `copy` may have been chosen for another image, whose addresses differ.
MacCommand on_copy(MacCommand command, const InputCopy& copy) {
  command.input = copy.command.input;
  command.in_columns = copy.command.in_columns;
  command.in_channels = copy.command.in_channels;
  command.kernel_columns = copy.command.kernel_columns;
  command.stride_columns = copy.command.stride_columns;
  command.dilation_columns = copy.command.dilation_columns;
  command.origin_column = copy.command.origin_column;
  return command;
}

constexpr const char* name_of(CopyAxis axis) {
  switch (axis) {
    case CopyAxis::Rows: return "rows";
    case CopyAxis::Columns: return "columns, taps side by side";
    default: return "channels";
  }
}

}  // namespace

MacCommand command_of_part(const MacCommand& command, const InputCopy& copy, const CopyPart& part,
                           const spec::Datapath& datapath) {
  MacCommand result = part.is_copied ? on_copy(command, copy) : command;
  result.lane_split_log2 = copy.command.lane_split_log2;
  switch (copy.axis) {
    case CopyAxis::Rows:
      if (part.count < result.out_rows) cut_rows(result, part.begin, part.count);
      break;
    case CopyAxis::Columns: cut_columns(result, part.begin, part.count); break;
    case CopyAxis::Channels: cut_channels(result, part.begin, part.count, datapath); break;
  }
  result.row_tile_rows = part.row_tile_rows;
  result.slide_rows = part.slide_rows;
  return result;
}

std::vector<DmaCommand> copies_of_part(const MacCommand& command, const InputCopy& copy, size_t index) {
  const CopyPart& part = copy.parts[index];
  if (!part.is_copied) return {};
  if (copy.axis == CopyAxis::Columns) return columns_copies(command, copy, part);
  int64_t row = 0, end = input_rows_before(command, command.out_rows), channel = 0, channels = command.in_channels;
  if (copy.axis == CopyAxis::Channels) {
    channel = part.begin;
    channels = part.count;
  } else {
    row = std::max<int64_t>(0, command.origin_row + part.begin * command.stride_rows);
    if (index > 0 && copy.parts[index - 1].is_copied) row = std::max(row, input_rows_before(command, part.begin));
    end = input_rows_before(command, part.begin + part.count);
  }
  if (end <= row) return {};
  return {pixels_copy(command, copy, row, end, channel, channels)};
}

std::string describe(const InputCopy& copy) {
  std::string sizes;
  for (const CopyPart& part : copy.parts) sizes += fmt::format("{}{}", sizes.empty() ? "" : " + ", part.count);
  const std::string_view first = copy.parts[0].is_copied ? "" : ", the first as it lies";
  const std::string_view parts = copy.parts.size() == 1 ? "" : " parts of";
  return fmt::format("copied,{} {} {}{}", parts, sizes, name_of(copy.axis), first);
}

}  // namespace vernier::cost
