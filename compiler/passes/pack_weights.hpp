// SPDX-License-Identifier: Apache-2.0
// Weights and channel parameters as the MAC array reads them (hw/spec/command.hpp, MacCommand).
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/spec/command.hpp"

#include <cstddef>
#include <vector>

namespace vernier::passes {

/// The type in which the machine reads weights of that type. Constants of int4 are packed two a byte; what is computed has a
/// byte for each (Tensor), and is read as int8. int16 is not TOSA's, but the array has it: int8 weights less a zero point
/// that is computed (computed_parameters.hpp).
constexpr base::ElementType weight_type_of(base::ElementType type, bool is_constant) {
  return type == base::ElementType::Int4 && !is_constant ? base::ElementType::Int8 : type;
}

/// CONV2D weights [out channels][kernel rows][kernel columns][in channels], or DEPTHWISE_CONV2D weights [kernel rows][kernel
/// columns][channels][multiplier], to Tiles order for `tile_lanes` lanes a tile and steps of `lanes` reduction elements.
/// `mode` is the command's: depthwise weights with one input channel run as Conv. A tensor of int4 is packed two a byte,
/// each tile row from a byte of its own on (hw/spec/packed_weights.hpp), any other one has a byte for each weight.
std::vector<std::byte> pack_weights(const base::Tensor& weights, bool is_depthwise, spec::MacMode mode, int64_t lanes,
                                    int64_t tile_lanes);

/// What stands in a parameter record for one channel.
struct ChannelParameters {
  int64_t bias = 0, multiplier = 0, shift = 0;
};
/// Bytes of the bias, with which a record starts.
constexpr int64_t parameter_bias_bytes(bool scale32) { return scale32 ? 4 : 6; }
/// kChannelParameterBytes a channel, in the format of `scale32`.
std::vector<std::byte> pack_parameters(const std::vector<ChannelParameters>& channels, bool scale32);

}  // namespace vernier::passes
