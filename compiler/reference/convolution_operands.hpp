// SPDX-License-Identifier: Apache-2.0
// What CONV2D and DEPTHWISE_CONV2D share. Internal to compiler/reference.
#pragma once

#include "compiler/reference/operators.hpp"
#include "compiler/reference/window.hpp"

#include <cstdint>
#include <vector>

namespace vernier::reference {

/// The tensor's int8 elements less their zero point: 9 bits.
std::vector<int16_t> without_zero_point(const base::Tensor& tensor, int32_t zero_point);

/// Sum of products of 9-bit operands, modulo 2^32: what an int32 accumulator of model::mac holds (hw/model/mac.hpp).
uint32_t dot(const int16_t* a, const int16_t* b, int64_t count);

/// The bias of a channel; one element serves all of them.
inline uint32_t bias_of(const base::Tensor& bias, int64_t channel) {
  return static_cast<uint32_t>(bias.as<int32_t>()[bias.size() == 1 ? 0 : static_cast<size_t>(channel)]);
}

/// Axis 0 is y, 1 is x.
Axis convolution_axis(const Task& task, size_t axis, int64_t kernel);

}  // namespace vernier::reference
