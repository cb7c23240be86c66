// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/fixed_point16.hpp"

#include "compiler/import/tflite/rounding.hpp"

#include <algorithm>
#include <array>

namespace vernier::import::lite {

namespace {

constexpr int64_t kLeastShort = -(int64_t{1} << 15), kGreatestShort = (int64_t{1} << 15) - 1;

/// A sum in 16 bits, which wraps.
int64_t short_of(int64_t number) { return static_cast<int16_t>(number); }
/// a * b / 2^15, halves up.
int64_t short_product(int64_t a, int64_t b) { return std::min((a * b + (int64_t{1} << 14)) >> 15, kGreatestShort); }
/// The kernels keep their constants with 31 bits.
constexpr int64_t short_constant(int64_t of_31_bits) { return (of_31_bits + (int64_t{1} << 15)) >> 16; }

int64_t short_left(int64_t number, int bits) {
  const int64_t most = (int64_t{1} << (15 - bits)) - 1;
  if (number > most) return kGreatestShort;
  return number < -most ? kLeastShort : number * (int64_t{1} << bits);
}

/// e^a of a number below 0 with `integer_bits` before the point.
int64_t short_exponential(int64_t a, int integer_bits) {
  if (a == 0) return kGreatestShort;
  const int fraction = 15 - integer_bits;
  constexpr int64_t kExpOfMinusEighth = short_constant(1895147668), kThird = short_constant(715827883);
  const int64_t quarter = int64_t{1} << (fraction - 2);
  const int64_t above = (a & (quarter - 1)) - quarter;
  const int64_t x = short_of(short_left(above, integer_bits) + (int64_t{1} << 12));
  const int64_t x2 = short_product(x, x), x3 = short_product(x2, x), x4 = short_product(x2, x2);
  const int64_t inner = short_of(short_product(short_of(divided_by_power(x4, 2) + x3), kThird) + x2);
  const int64_t rest = short_product(kExpOfMinusEighth, short_of(x + divided_by_power(inner, 1)));
  int64_t result = std::clamp(kExpOfMinusEighth + rest, kLeastShort, kGreatestShort);
  const int64_t left = short_of(above - a);
  // e^-(1/4), e^-(1/2), e^-1 and so on to e^-16.
  constexpr std::array<int64_t, 7> kFactors{1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (int i = 0; i < 7 && integer_bits > i - 2; ++i) {
    if ((left >> (fraction - 2 + i) & 1) != 0)
      result = short_product(result, short_constant(kFactors.at(static_cast<size_t>(i))));
  }
  constexpr int64_t kReach = 32;
  return integer_bits > 5 && a < -(kReach << fraction) ? 0 : result;
}

/// 2 / (1 + a) with 13 bits after the point, of a from 0 to 1 as parts of 2^15, by Newton's steps.
int64_t short_reciprocal(int64_t a) {
  constexpr int64_t k48By17 = short_constant(1515870810), k32By17 = short_constant(1010580540), kOne = int64_t{1} << 13;
  const int64_t half = (a + kGreatestShort + 1) / 2;
  int64_t x = short_of(k48By17 + short_product(half, -k32By17));
  for (int i = 0; i < 3; ++i) {
    const int64_t error = short_of(kOne - short_product(half, x));
    x = short_of(x + short_left(short_product(x, error), 2));
  }
  return x;
}

}  // namespace

int64_t logistic16_of(int64_t code) {
  if (code == 0) return int64_t{1} << 14;
  const int64_t positive = short_left(short_reciprocal(short_exponential(code > 0 ? -code : code, 3)), 1);
  return code > 0 ? positive : kGreatestShort - positive;
}

int64_t tanh16_of(int64_t code, int integer_bits) {
  if (code == 0) return 0;
  const int64_t quotient = short_reciprocal(short_exponential(code < 0 ? code : -code, integer_bits + 1));
  const int64_t size = short_left(short_of(quotient - (int64_t{1} << 13)), 2);
  return code < 0 ? short_of(-size) : size;
}

}  // namespace vernier::import::lite
