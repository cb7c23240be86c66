// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/cut.hpp"

#include "hw/base/error.hpp"
#include "hw/package/range.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::schedule {
namespace {

using base::ceil_div;

void shift_box(std::vector<passes::Production>& productions, int32_t passes::Production::*dim, int64_t first,
               int64_t count) {
  for (passes::Production& production : productions) {
    if (production.*dim < 0) continue;
    const auto d = static_cast<size_t>(production.*dim);
    production.begin[d] += first;
    production.extent[d] = count;
  }
}

int64_t tile_channels(const spec::MacCommand& c, const spec::Datapath& datapath) {
  return datapath.lanes >> c.lane_split_log2;
}

int64_t feature_bytes(const passes::Step& step, const spec::Datapath& datapath) {
  int64_t bytes = 0;
  for (const package::Range& range : package::ranges_of(step.command, datapath)) {
    if (range.storage == package::Storage::Sram && range.what != "weights" && range.what != "parameters")
      bytes += range.num_bytes();
  }
  return bytes;
}

/// Rows of a stripe: as few as max_stripes and the least useful size allow, fewer where the working set asks for it.
int64_t stripe_rows(const passes::Step& step, const spec::Datapath& datapath, const CutLimits& limits) {
  const int64_t rows = num_rows(step);
  if (rows == 1) return 1;
  int64_t least = 1;
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) {
    least = ceil_div(limits.min_accumulator_rows, ceil_div(mac->out_columns, int64_t{1} << mac->lane_split_log2));
  } else if (const auto* vec = std::get_if<spec::VectorCommand>(&step.command.body)) {
    const int64_t vectors = std::accumulate(vec->counts.begin() + 1, vec->counts.end(), ceil_div(vec->lanes, datapath.lanes),
                                            std::multiplies<>());
    least = ceil_div(limits.min_vectors, vectors);
  }
  int64_t wanted = std::max(least, ceil_div(rows, limits.max_stripes));
  if (limits.working_set_bytes > 0) {
    const int64_t per_row = ceil_div(feature_bytes(step, datapath), rows);
    wanted = std::min(wanted, std::max<int64_t>(1, limits.working_set_bytes / std::max<int64_t>(1, per_row)));
  }
  return ceil_div(rows, ceil_div(rows, std::min(wanted, rows)));  // even stripes
}

}  // namespace

int64_t num_rows(const passes::Step& step) {
  if (!step.can_split_rows) return 1;
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) return mac->out_rows;
  if (const auto* vec = std::get_if<spec::VectorCommand>(&step.command.body))
    return vec->kept_loops > 0 ? vec->counts[0] : 1;
  if (const auto* dma = std::get_if<spec::DmaCommand>(&step.command.body)) {
    return dma->kind == spec::DmaKind::TableFill ? 1 : dma->counts[0];
  }
  return 1;
}

int64_t channel_step(const spec::MacCommand& command, const spec::Datapath& datapath) {
  return command.mode == spec::MacMode::Depthwise ? datapath.lanes * command.depth_multiplier : datapath.lanes;
}

int64_t weight_bytes(const spec::MacCommand& c, int64_t channels, const spec::Datapath& datapath) {
  const int64_t reduction = c.reduction_end - c.reduction_begin;
  if (c.mode == spec::MacMode::Depthwise) return channels * reduction;
  return channels * ceil_div(reduction, datapath.lanes) * datapath.lanes;
}

passes::Step cut_rows(const passes::Step& step, int64_t first_row, int64_t rows) {
  passes::Step result = step;
  if (auto* mac = std::get_if<spec::MacCommand>(&result.command.body)) {
    mac->origin_row += first_row * mac->stride_rows;
    // The map starts at the first row that the stripe reads, so that a copy of only its rows has an address of its own.
    const int64_t skipped_rows = std::max<int64_t>(0, mac->origin_row);
    mac->input.base += skipped_rows * mac->input.row_pitch_bytes;
    mac->in_rows -= skipped_rows;
    mac->origin_row -= skipped_rows;
    mac->out_rows = rows;
    mac->output.base += first_row * mac->output.row_pitch_bytes;
    if (mac->residual) mac->addend.base += first_row * mac->addend.row_pitch_bytes;
  } else if (auto* vec = std::get_if<spec::VectorCommand>(&result.command.body)) {
    vec->counts[0] = rows;
    for (spec::VectorStream& stream : vec->streams) stream.base += first_row * stream.strides_bytes[0];
  } else if (auto* dma = std::get_if<spec::DmaCommand>(&result.command.body)) {
    dma->counts[0] = rows;
    for (spec::DmaSide* side : {&dma->src, &dma->dst}) {
      side->base.offset += static_cast<uint64_t>(first_row * side->strides_bytes[0]);
    }
  }
  shift_box(result.productions, &passes::Production::row_dim, first_row, rows);
  return result;
}

passes::Step cut_channels(const passes::Step& step, int64_t first, int64_t channels, const spec::Datapath& datapath) {
  passes::Step result = step;
  auto* mac = std::get_if<spec::MacCommand>(&result.command.body);
  VERNIER_CHECK(
      mac != nullptr && mac->weight_order == spec::WeightOrder::Tiles && first % tile_channels(*mac, datapath) == 0,
      "channels {} of step cannot be cut", first);
  VERNIER_CHECK(first % channel_step(*mac, datapath) == 0, "cut at channel {}", first);
  const int64_t block = first / datapath.lanes;
  mac->weight_base += weight_bytes(*mac, first, datapath);
  mac->parameter_base += first * spec::kChannelParameterBytes;
  mac->output.base += block * mac->output.block_pitch_bytes;
  if (mac->residual) mac->addend.base += block * mac->addend.block_pitch_bytes;
  mac->out_channels = channels;
  if (mac->mode == spec::MacMode::Depthwise) {
    mac->input.base += first / mac->depth_multiplier / datapath.lanes * mac->input.block_pitch_bytes;
    mac->in_channels = ceil_div(channels, mac->depth_multiplier);
  }
  shift_box(result.productions, &passes::Production::channel_dim, first, channels);
  return result;
}

std::vector<passes::Step> cut(const passes::Step& step, const spec::Datapath& datapath, const CutLimits& limits) {
  std::vector<passes::Step> blocks;
  const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
  if (mac != nullptr && limits.weight_block_bytes > 0 && mac->weight_order == spec::WeightOrder::Tiles) {
    const int64_t unit = channel_step(*mac, datapath);
    const int64_t unit_bytes = weight_bytes(*mac, std::min(unit, mac->out_channels), datapath);
    const int64_t per_block = unit * std::max<int64_t>(1, limits.weight_block_bytes / unit_bytes);
    for (int64_t at = 0; at < mac->out_channels; at += per_block) {
      const int64_t channels = std::min(per_block, mac->out_channels - at);
      blocks.push_back(channels == mac->out_channels ? step : cut_channels(step, at, channels, datapath));
    }
  } else {
    blocks.push_back(step);
  }
  std::vector<passes::Step> result;
  for (const passes::Step& block : blocks) {
    const int64_t rows = num_rows(block);
    const int64_t per_stripe = stripe_rows(block, datapath, limits);
    for (int64_t at = 0; at < rows; at += per_stripe) {
      const int64_t count = std::min(per_stripe, rows - at);
      result.push_back(count == rows ? block : cut_rows(block, at, count));
    }
  }
  return result;
}

}  // namespace vernier::schedule
