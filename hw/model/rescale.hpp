// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0 RESCALE on one element, and the two scaling primitives of section "Precision scaling".
//
// Nothing here is undefined in C++. Where a REQUIRE of TOSA is violated (see the *_is_defined functions), shifts use their
// low 6 bits, as the 6-bit field of the machine, and results wrap to int32. The pseudo-code's `1 << (shift - 1)` is
// meant as a 64-bit constant, and its apply_clip_u as a clip of a signed number to [0, 2^n - 1] (known errata).
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/model/wrap.hpp"
#include "hw/spec/rescale_limits.hpp"
#include "hw/spec/rounding.hpp"

#include <algorithm>
#include <cstdint>

namespace vernier::model {

/// scaled / 2^shift, ties of the exact quotient to the even number. Shift 0 to 63.
constexpr int64_t shift_half_even(int64_t scaled, int32_t shift) {
  const auto rest = static_cast<uint64_t>(scaled) & ((uint64_t{1} << shift) - 1);
  const uint64_t half = (uint64_t{1} << shift) >> 1;
  const int64_t floor = scaled >> shift;
  const bool is_up = shift > 0 && (rest > half || (rest == half && (floor & 1) != 0));
  return floor + (is_up ? 1 : 0);
}

/// The 64-bit result of either primitive before it becomes an int32.
constexpr int64_t scale_64(int64_t value, int32_t multiplier, int32_t shift, spec::Rounding rounding) {
  const int32_t amount = shift & 63;
  const int64_t scaled = wrapping_mul64(value, multiplier);
  if (rounding == spec::Rounding::HalfEven) return shift_half_even(scaled, amount);
  auto round = static_cast<int64_t>((uint64_t{1} << amount) >> 1);
  if (rounding == spec::Rounding::Double && amount > 31) round += value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
  // The sum has 65 bits; only with a shift of 63, which TOSA's RESCALE has not and its MUL has, the last one counts.
  if (amount == 63) return ((scaled >> 1) + (round >> 1)) >> 62;
  return wrapping_add64(scaled, round) >> amount;
}

/// "Precision scaling", apply_scale_32: about value * multiplier / 2^shift.
constexpr int32_t apply_scale_32(int32_t value, int32_t multiplier, int32_t shift, spec::Rounding rounding) {
  return wrap32(scale_64(value, multiplier, shift, rounding));
}

/// "Precision scaling", apply_scale_16. `value` has 48 bits, `multiplier` 16: the low ones count. TOSA has no Double here:
/// it is Single.
constexpr int32_t apply_scale_16(int64_t value, int32_t multiplier, int32_t shift, spec::Rounding rounding) {
  return wrap32(scale_64(wrap48(value), static_cast<int32_t>(sign_extend(multiplier, 16)), shift,
                         rounding == spec::Rounding::Double ? spec::Rounding::Single : rounding));
}

/// The REQUIREs on multiplier and shift that both primitives share.
constexpr bool is_scale_defined(int32_t multiplier, int32_t shift) { return spec::takes_rescale(multiplier, shift, true); }

/// Whether apply_scale_32 violates no REQUIRE. (That the result fits int32 then follows: |value| <= 2^(shift-1), so the
/// quotient is at most 2^30.)
constexpr bool scale_32_is_defined(int32_t value, int32_t multiplier, int32_t shift) {
  if (!is_scale_defined(multiplier, shift)) return false;
  const int64_t limit = int64_t{1} << (shift - 1);
  return value >= -limit && value < limit;
}

/// Whether apply_scale_16 violates no REQUIRE.
constexpr bool scale_16_is_defined(int64_t value, int32_t multiplier, int32_t shift, spec::Rounding rounding) {
  if (!is_scale_defined(multiplier, shift) || multiplier > INT16_MAX || wrap48(value) != value) return false;
  return fits32(scale_64(value, multiplier, shift, rounding == spec::Rounding::Double ? spec::Rounding::Single : rounding));
}

/// One RESCALE, for one channel. Zero points are raw, as their tensor stores them: they are extended here like the data
/// (int8 -1 with input_unsigned is 255).
struct RescaleParams {
  base::ElementType input_type = base::ElementType::Int32;   // Int8, Int16, Int32 or Int48 (Int48 with scale32 false)
  base::ElementType output_type = base::ElementType::Int32;  // Int8, Int16 or Int32
  bool input_unsigned = false;
  bool output_unsigned = false;
  bool scale32 = true;  // 32-bit multiplier, else 16-bit
  spec::Rounding rounding = spec::Rounding::Single;
  int32_t input_zp = 0;
  int32_t output_zp = 0;
  int32_t multiplier = 1 << 30;  // with shift 30 a scale of 1
  int32_t shift = 30;
};

/// The low bits of a stored value as the number that they mean.
constexpr int64_t extend_stored(int64_t stored, base::ElementType type, bool is_unsigned) {
  const int bits = base::info(type).bits;
  return is_unsigned ? zero_extend(stored, bits) : sign_extend(stored, bits);
}

/// The scaled value before the output zero point.
constexpr int32_t rescale_unbiased(int64_t stored, const RescaleParams& params) {
  const int64_t value = extend_stored(stored, params.input_type, params.input_unsigned) -
                        extend_stored(params.input_zp, params.input_type, params.input_unsigned);
  return params.scale32 ? apply_scale_32(wrap32(value), params.multiplier, params.shift, params.rounding)
                        : apply_scale_16(value, params.multiplier, params.shift, params.rounding);
}

/// `scaled` plus the zero point (a number, not raw), saturated to `type`: a number, 255 for the greatest unsigned int8.
constexpr int32_t saturate_scaled(int32_t scaled, int32_t zero_point, base::ElementType type, bool is_unsigned) {
  const int64_t low = is_unsigned ? 0 : base::min_value(type);
  const int64_t high = is_unsigned ? (int64_t{1} << base::info(type).bits) - 1 : base::max_value(type);
  return wrap32(std::clamp(int64_t{wrap32(int64_t{scaled} + zero_point)}, low, high));
}

/// The end of a RESCALE: `scaled` plus the zero point (raw), saturated to `type`, as a tensor of that type stores it.
constexpr int32_t store_scaled(int32_t scaled, int32_t output_zp, base::ElementType type, bool is_unsigned) {
  const auto zero_point = wrap32(extend_stored(output_zp, type, is_unsigned));
  return wrap32(sign_extend(saturate_scaled(scaled, zero_point, type, is_unsigned), base::info(type).bits));
}

/// TOSA 1.0 RESCALE of one element. `stored` is the value as a tensor of input_type holds it (signed whatever
/// input_unsigned says), and so is the result for output_type: unsigned 255 comes back as -1 in int8.
constexpr int32_t rescale(int64_t stored, const RescaleParams& params) {
  return store_scaled(rescale_unbiased(stored, params), params.output_zp, params.output_type, params.output_unsigned);
}

/// Whether rescale violates no REQUIRE: those of its scaling primitive, and no overflow when output_zp is added.
constexpr bool rescale_is_defined(int64_t stored, const RescaleParams& params) {
  const int64_t value = extend_stored(stored, params.input_type, params.input_unsigned) -
                        extend_stored(params.input_zp, params.input_type, params.input_unsigned);
  const bool is_scaled = params.scale32
                             ? fits32(value) && scale_32_is_defined(wrap32(value), params.multiplier, params.shift)
                             : scale_16_is_defined(value, params.multiplier, params.shift, params.rounding);
  return is_scaled && fits32(rescale_unbiased(stored, params) +
                             extend_stored(params.output_zp, params.output_type, params.output_unsigned));
}

}  // namespace vernier::model
