// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/recurrent/gates.hpp"

#include <cmath>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;

constexpr size_t kRank = 4;
constexpr int64_t kIndexBits = 5;  // entries stand for 32nds
constexpr int64_t kTableBits = 7;  // what a table's results have more than its entries
constexpr int64_t kSlopeBits = 14, kBendBits = 15;

double tanh_at(int64_t i) { return std::tanh(std::ldexp(static_cast<double>(i), -kIndexBits)); }
double slope_at(int64_t i) { return 1 - tanh_at(i) * tanh_at(i); }

int64_t in_steps(double number, int64_t bits) { return std::llround(std::ldexp(number, static_cast<int>(bits))); }

}  // namespace

int64_t whole_bits(double reach) { return reach <= 1 ? 0 : static_cast<int64_t>(std::ceil(std::log2(reach))); }

Id one_plus_tanh(Arithmetic& math, Id x, int64_t unit_bits) {
  const int64_t shift = unit_bits - kIndexBits;
  const Id nearest = math.shift_right(x, math.number(kRank, shift), true);
  const Id d = math.sub(x, math.shift_left(nearest, math.number(kRank, shift)));
  const Id index = math.index_of(nearest);
  const Id value = math.wide_entries(index, [](int64_t i) { return in_steps(1 + tanh_at(i), kGateBits); });
  const Id slope = math.entries(index, [](int64_t i) { return in_steps(slope_at(i), kSlopeBits); });
  const Id bend = math.entries(index, [](int64_t i) { return in_steps(-tanh_at(i) * slope_at(i), kBendBits); });
  // In steps of the slope, 2^-21: what the bend changes it by up to d.
  const Id change = math.mul(bend, d, unit_bits + kBendBits - kSlopeBits);
  const Id rise = math.mul(math.add(slope, change), d, unit_bits + kSlopeBits + kTableBits - kGateBits);
  return math.add(value, rise);
}

Id less_one(Arithmetic& math, Id one_plus) { return math.sub(one_plus, math.number(kRank, int64_t{1} << kGateBits)); }

Id tanh_of(Arithmetic& math, Id x, int64_t unit_bits) { return less_one(math, one_plus_tanh(math, x, unit_bits)); }

}  // namespace vernier::import::quantized
