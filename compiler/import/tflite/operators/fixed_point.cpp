// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/fixed_point.hpp"

#include <algorithm>
#include <bit>

namespace vernier::import::lite {

namespace {

constexpr int64_t kLeast16 = -(int64_t{1} << 15), kGreatest16 = (int64_t{1} << 15) - 1;
constexpr int64_t kLeast32 = -(int64_t{1} << 31), kGreatest32 = (int64_t{1} << 31) - 1;

int64_t saturate16(int64_t value) { return std::clamp(value, kLeast16, kGreatest16); }
int64_t saturate32(int64_t value) { return std::clamp(value, kLeast32, kGreatest32); }
/// (a * b + 2^14) / 2^15, rounded down.
int64_t high_product16(int64_t a, int64_t b) { return saturate16((a * b + (int64_t{1} << 14)) >> 15); }
int64_t multiplier16(const LiteScale& scale) { return std::min((scale.multiplier + (int64_t{1} << 15)) >> 16, kGreatest16); }
int64_t high_product32(int64_t a, int64_t b) { return saturate32(doubling_high(a, b)); }

}  // namespace

int64_t hard_swish_of(int64_t code, const LiteScale& result, const LiteScale& gate) {
  const int64_t fine = code * 128;
  const int64_t value = high_product16(fine, multiplier16(result));
  int64_t opened = fine;
  if (gate.exponent > 0) opened = saturate16(opened * (int64_t{1} << std::min(gate.exponent - 1, 16)));
  opened = high_product16(opened, multiplier16(gate));
  if (gate.exponent > 0) opened = saturate16(opened * 2);
  if (gate.exponent < 0) opened = divided_by_power(opened, -gate.exponent);
  opened = (opened + (int64_t{1} << 15)) >> 1;
  return divided_by_power(opened * value / (int64_t{1} << 15), -result.exponent);
}

int64_t reciprocal_root_of(int64_t code, const LiteScale& scale) {
  constexpr int kMoreBits = 20;
  LiteScale root{kGreatest32, 0};  // of 1
  if (code > 1) {
    int shift = 11;
    uint32_t number = static_cast<uint32_t>(code);
    const int pairs = (std::countl_zero(number) - 1) / 2 - 1;
    shift -= pairs;
    number <<= 2 * pairs;
    const int64_t half = divided_by_power(number >> 1, 1);  // parts of 2^28
    constexpr int64_t kThreeHalves = (int64_t{1} << 28) + (int64_t{1} << 27), kHalfRootOf2 = 1518500250;
    int64_t x = int64_t{1} << 28;
    for (int i = 0; i < 5; ++i) {
      const int64_t cube = saturate32(high_product32(high_product32(x, x), x) * 64);
      x = saturate32((high_product32(kThreeHalves, x) - high_product32(half, cube)) * 8);
    }
    root = {high_product32(x, kHalfRootOf2), shift};
    if (root.exponent < 0) root = {root.multiplier * (int64_t{1} << -root.exponent), 0};
  }
  const int64_t wide = lite_product(1, {root.multiplier, kMoreBits - root.exponent});
  return lite_product(wide, {scale.multiplier, scale.exponent - kMoreBits});
}

}  // namespace vernier::import::lite
