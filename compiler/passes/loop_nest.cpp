// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/loop_nest.hpp"

#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

/// Extent and stride of a stream along a dimension of the space; 0 where it broadcasts.
int64_t stride_of(const PlacedOperand& stream, size_t dim, size_t rank) {
  const size_t missing = rank - stream.shape.size();
  if (dim < missing) return 0;
  const size_t own = dim - missing;
  if (stream.shape[own] == 1) return 0;
  if (!stream.strides.empty()) return stream.strides[own];
  return own + 1 == stream.shape.size() ? base::stored_bytes(stream.type) : stream.placement.strides_bytes[own];
}

/// The last dimension cut into blocks of channels: the loop over blocks.
LoopDim block_dim(const LoopDim& channels, const std::vector<PlacedOperand>& streams, int64_t block) {
  LoopDim blocks{channels.extent / block, channels.is_reduced, -1, {}};
  for (size_t i = 0; i < streams.size(); ++i) {
    const bool is_in_planes = has_planes(streams[i].placement, streams[i].shape, streams[i].type);
    blocks.strides.push_back(is_in_planes ? streams[i].placement.block_pitch_bytes : channels.strides[i] * block);
  }
  return blocks;
}

bool can_merge(const LoopDim& outer, const LoopDim& inner) {
  for (size_t i = 0; i < outer.strides.size(); ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.extent) return false;
  }
  return true;
}

/// Joins neighbours from the inside out. `keep_first`: the first one stays by itself, unless the only other one holds
/// `lanes` at a time and too many of those would idle.
std::vector<LoopDim> collapse(const std::vector<LoopDim>& dims, bool keep_first, int64_t lanes) {
  std::vector<LoopDim> joined;  // innermost first
  for (size_t i = dims.size(); i-- > 0;) {
    bool joins = !joined.empty() && can_merge(dims[i], joined.back());
    if (joins && i == 0 && keep_first) {
      const int64_t apart = dims[i].extent * base::ceil_div(joined.back().extent, lanes);
      const int64_t together = base::ceil_div(dims[i].extent * joined.back().extent, lanes);
      joins = joined.size() == 1 && 4 * apart > 5 * together;  // stripes may cost a quarter more vectors
    }
    if (joins) {
      joined.back().extent *= dims[i].extent;
      joined.back().tensor_dim = -1;
    } else {
      joined.push_back(dims[i]);
    }
  }
  return {joined.rbegin(), joined.rend()};
}

std::vector<LoopDim> dimensions(const base::Shape& space, int64_t reduced_axis, const std::vector<PlacedOperand>& streams) {
  std::vector<LoopDim> dims;
  for (size_t d = 0; d < space.size(); ++d) {
    if (space[d] == 1) continue;
    LoopDim dim{space[d], static_cast<int64_t>(d) == reduced_axis, static_cast<int32_t>(d), {}};
    for (const PlacedOperand& stream : streams) dim.strides.push_back(stride_of(stream, d, space.size()));
    dims.push_back(std::move(dim));
  }
  const auto planes = std::find_if(streams.begin(), streams.end(), [](const PlacedOperand& stream) {
    return stream.strides.empty() && has_planes(stream.placement, stream.shape, stream.type);
  });
  if (planes == streams.end()) return dims;
  // Planes lie inside each other only along rows: rows, blocks, columns, channels of a block.
  const int64_t block = planes->placement.channel_block;
  const LoopDim blocks = block_dim(dims.back(), streams, block);
  dims.back().extent = block;
  dims.back().tensor_dim = -1;
  const auto columns = std::find_if(
      dims.begin(), dims.end(), [&](const LoopDim& d) { return d.tensor_dim == static_cast<int32_t>(space.size()) - 2; });
  dims.insert(columns == dims.end() ? dims.end() - 1 : columns, blocks);
  return dims;
}

}  // namespace

bool keeps_rows(const Lowering& lowering, int64_t elements) {
  constexpr int64_t kMostVectorsInOne = 64;
  return lowering.is_optimizing() || elements > kMostVectorsInOne * lowering.lanes();
}

LoopNest make_loop_nest(const base::Shape& space, int64_t reduced_axis, const std::vector<PlacedOperand>& streams,
                        int64_t lanes, bool keep_rows, bool rows_in_lanes) {
  LoopNest nest;
  nest.lane.strides.assign(streams.size(), 0);
  const std::vector<LoopDim> dims = dimensions(space, reduced_axis, streams);
  if (dims.empty()) return nest;
  std::vector<LoopDim> kept, reduced;
  for (const LoopDim& dim : dims) (dim.is_reduced ? reduced : kept).push_back(dim);
  const bool is_lane_reduced = dims.back().is_reduced && !(rows_in_lanes && !kept.empty());
  kept = collapse(kept, keep_rows, is_lane_reduced ? 1 : lanes);
  std::vector<LoopDim>& with_lane = is_lane_reduced ? reduced : kept;
  nest.lane = with_lane.back();
  with_lane.pop_back();
  nest.num_kept = static_cast<int64_t>(kept.size());
  nest.loops = kept;
  nest.loops.insert(nest.loops.end(), reduced.begin(), reduced.end());
  return nest;
}

}  // namespace vernier::passes
