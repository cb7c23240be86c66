// SPDX-License-Identifier: Apache-2.0
// The multiply-accumulate of CONV2D, CONV3D, DEPTHWISE_CONV2D, TRANSPOSE_CONV2D, MATMUL: one step of the loop in those
// sections of TOSA 1.0, "acc = apply_add_s(acc, apply_mul_s(value, weight))" on operands less their zero points.
//
// Accumulators have 48 bits and wrap. Where TOSA says int32, the accumulator is read through wrap32: since 32 bits of a sum
// depend on nothing but 32 bits of each term, that equals wrapping to int32 after every step. For the same reason a loop may
// add plain products in an int64_t and wrap once, as long as there are fewer than 2^31 of them (|product| <= 2^32).
#pragma once

#include "hw/model/wrap.hpp"

#include <cstdint>

namespace vernier::model {

/// (x - x_zp) * (w - w_zp) for operands and zero points of at most 16 bits. Zero points are signed, as stored.
constexpr int64_t product(int32_t x, int32_t x_zp, int32_t w, int32_t w_zp) { return int64_t{x - x_zp} * int64_t{w - w_zp}; }

/// `acc` plus that product, in 48 bits.
constexpr int64_t mac(int64_t acc, int32_t x, int32_t x_zp, int32_t w, int32_t w_zp) {
  return wrap48(wrapping_add64(acc, product(x, x_zp, w, w_zp)));
}

}  // namespace vernier::model
