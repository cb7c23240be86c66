// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/mac_cut.hpp"

#include "hw/spec/packed_weights.hpp"

#include <algorithm>

namespace vernier::cost {

using spec::MacCommand;
using spec::MacMode;
using spec::WeightOrder;

namespace {

/// The map starts at the first position that the part reads, so that a copy of only these has an address of its own. It
/// keeps one position, though it may read none of it (a transposed convolution's padding).
void skip_positions(int64_t& origin, int64_t& extent, int64_t& base, int64_t pitch_bytes) {
  const int64_t skipped = std::clamp<int64_t>(origin, 0, extent - 1);
  base += skipped * pitch_bytes;
  extent -= skipped;
  origin -= skipped;
}

/// Where a channel lies in a pixel; within a block only of maps whose blocks lie side by side.
int64_t offset_of_channel(const spec::FeatureMap& map, int64_t channel, const spec::Datapath& datapath) {
  return channel / datapath.lanes * map.block_pitch_bytes + channel % datapath.lanes * base::stored_bytes(map.type);
}

}  // namespace

void cut_rows(MacCommand& c, int64_t first, int64_t count) {
  c.origin_row += first * c.stride_rows;
  skip_positions(c.origin_row, c.in_rows, c.input.base, c.input.row_pitch_bytes);
  c.out_rows = count;
  c.output.base += first * c.output.row_pitch_bytes;
  if (c.residual) c.addend.base += first * c.addend.row_pitch_bytes;
}

void cut_columns(MacCommand& c, int64_t first, int64_t count) {
  c.origin_column += first * c.stride_columns;
  skip_positions(c.origin_column, c.in_columns, c.input.base, c.input.pixel_pitch_bytes);
  c.out_columns = count;
  c.output.base += first * c.output.pixel_pitch_bytes;
  if (c.residual) c.addend.base += first * c.addend.pixel_pitch_bytes;
}

void cut_channels(MacCommand& c, int64_t first, int64_t count, const spec::Datapath& datapath) {
  switch (c.weight_order) {
    case WeightOrder::Tiles: c.weight_base += spec::packed_weight_bytes(c, first, datapath.lanes); break;
    case WeightOrder::LaneMajor: c.weight_base += first * c.weight_pitch_bytes; break;
    case WeightOrder::TapMajor: c.weight_base += first * base::stored_bytes(c.weight_type); break;
  }
  c.parameter_base += first * spec::kChannelParameterBytes;
  c.output.base += offset_of_channel(c.output, first, datapath);
  if (c.residual) c.addend.base += offset_of_channel(c.addend, first, datapath);
  c.out_channels = count;
  if (c.mode == MacMode::Depthwise) {
    c.input.base += offset_of_channel(c.input, first, datapath);
    c.in_channels = count;
  }
}

}  // namespace vernier::cost
