// SPDX-License-Identifier: Apache-2.0
// The bytes of weights in Tiles order (hw/spec/command.hpp, MacCommand). A tile row is what lies together there: N reduction
// elements of a lane (Conv), or a tap of all lanes of a channel tile (Depthwise).
#pragma once

#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>

namespace vernier::spec {

/// int4 weights in a byte: the first one is the low half.
inline constexpr int64_t kInt4sPerByte = 2;  // [decision 0043]

/// Bytes of a tile row of that many weights. Every tile row begins with a byte of its own, so that an odd number of int4
/// leaves half a byte, which is not read as a weight.
constexpr int64_t tile_row_bytes(base::ElementType weight_type, int64_t elements) {
  if (weight_type == base::ElementType::Int4) return base::ceil_div(elements, kInt4sPerByte);
  return elements * base::stored_bytes(weight_type);
}

/// Bytes of the weights of output channels 0 to `channels`, which is a multiple of the channels of a tile or all of them.
constexpr int64_t packed_weight_bytes(const MacCommand& c, int64_t channels, int64_t lanes) {
  const int64_t reduction = c.reduction_end - c.reduction_begin;
  if (c.mode == MacMode::Conv) {
    return channels * base::ceil_div(reduction, lanes) * tile_row_bytes(c.weight_type, lanes);
  }
  const int64_t tile_channels = lanes >> c.lane_split_log2;
  return reduction * (channels / tile_channels * tile_row_bytes(c.weight_type, tile_channels) +
                      tile_row_bytes(c.weight_type, channels % tile_channels));
}

}  // namespace vernier::spec
